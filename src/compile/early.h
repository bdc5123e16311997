/* SPDX-License-Identifier: Apache-2.0
 *
 * Returns before any call. Private to src/compile.
 */
#ifndef CN_COMPILE_EARLY_H
#define CN_COMPILE_EARLY_H

#include "compile/pass.h"

/* Give the ways through `function` that return before any call a return of their own. */
void cn_early_returns(struct cn_ctx *ctx, LLVMValueRef function);

#endif
