/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences, which keep safepoints out of the shadows of stackmaps. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_POINT_FENCES_H
#define CN_COMPILE_LOWER_POINT_FENCES_H

#include "compile/core/pass.h"

/* Insert a fence before each statepoint of the function that may lie in a shadow, or, for a target whose shadows LLVM
 * miscounts, directly after each stackmap with a shadow. */
void cn_insert_point_fences(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function);
void cn_remove_point_fences(LLVMValueRef function);

#endif
