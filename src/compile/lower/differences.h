/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of references. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_DIFFERENCES_H
#define CN_COMPILE_LOWER_DIFFERENCES_H

#include "compile/core/pass.h"

/* If `instruction` is a difference of two references as front ends emit it (sub of two ptrtoint), set `operands` to the
 * references and return `instruction`; else return null. */
LLVMValueRef cn_differences_match(LLVMValueRef instruction, LLVMValueRef operands[2]);

/* Build the distance between two references into one object, for the rewriter itself. If the optimiser runs after the
 * rewriter, the distance is opaque to it: the optimiser would form it of addresses from both sides of a safepoint. */
LLVMValueRef cn_differences_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef to,
                                           LLVMValueRef from);

/* Make the differences of references in `function` opaque to the optimiser; pass `lower-differences` makes subtractions
 * of them again. */
void cn_differences_hide_subtractions(struct cn_ctx *ctx, LLVMValueRef function);

#endif
