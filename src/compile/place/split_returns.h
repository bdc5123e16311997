/* SPDX-License-Identifier: Apache-2.0
 *
 * Returns before any call. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_SPLIT_RETURNS_H
#define CN_COMPILE_PLACE_SPLIT_RETURNS_H

#include "compile/core/pass.h"

/* Give paths through `function` that return before any call their own return. */
void cn_split_returns(struct cn_ctx *ctx, LLVMValueRef function);

#endif
