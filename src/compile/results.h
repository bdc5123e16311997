/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose result a statepoint cannot return. Private to src/compile.
 */
#ifndef CN_COMPILE_RESULTS_H
#define CN_COMPILE_RESULTS_H

#include "compile/pass.h"

/* Does a result of this type come back on the x87 stack, in whole or in part? */
bool cn_results_use_x87(LLVMTypeRef type);

/* Can a statepoint return this type: surely in registers, none of them of the x87 stack? */
bool cn_results_fit(LLVMTypeRef type);

/* Move every parse point of managed functions that returns another type into a native function. */
void cn_results_wrap(struct cn_ctx *ctx);

#endif
