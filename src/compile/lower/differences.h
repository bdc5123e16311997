/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of references. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_DIFFERENCES_H
#define CN_COMPILE_LOWER_DIFFERENCES_H

#include "compile/core/pass.h"

/* If `instruction` is a difference of two references in the form of front ends (sub of two ptrtoint), set `operands` to
 * the references and return `instruction`. Otherwise return null. */
LLVMValueRef cn_differences_match(LLVMValueRef instruction, LLVMValueRef operands[2]);

/* Build the distance between two references into one object, for the rewriter. If the optimiser runs after the
 * rewriter, the distance is an opaque call, because the optimiser would compute it from addresses on both sides of a
 * safepoint. */
LLVMValueRef cn_differences_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef to,
                                           LLVMValueRef from);

/* Hide the differences of references in `function` from the optimiser, until pass `lower-differences` turns them into
 * subtractions again. */
void cn_differences_hide_subtractions(struct cn_ctx *ctx, LLVMValueRef function);

#endif
