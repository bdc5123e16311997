/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that return a long double. Private to src/compile.
 */
#ifndef CN_COMPILE_X87_H
#define CN_COMPILE_X87_H

#include "compile/pass.h"

/* Does a result of this type come back on the x87 stack, in whole or in part? */
bool cn_x87_holds(LLVMTypeRef type);

/* Move every parse point of managed functions that returns such a type into a native function. */
void cn_x87_wrap(struct cn_ctx *ctx);

#endif
