/* SPDX-License-Identifier: Apache-2.0
 *
 * Expands calls that give an array another length. Private to src/compile.
 */
#ifndef CN_COMPILE_ALLOCATION_LOWER_RESIZE_H
#define CN_COMPILE_ALLOCATION_LOWER_RESIZE_H

#include "compile/core/pass.h"
#include "compile/allocation/layout_constants.h"

/* Expand a call of an allocator that resizes. The layout operand is a constant. */
void cn_expand_resize_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                           const struct cn_allocator *allocator);

#endif
