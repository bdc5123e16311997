/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose result a statepoint cannot return. Private to src/compile.
 */
#ifndef CN_COMPILE_RESULTS_H
#define CN_COMPILE_RESULTS_H

#include "compile/pass.h"

/* Move every parse point of managed functions that returns another type into a native function. */
void cn_results_wrap(struct cn_ctx *ctx);

#endif
