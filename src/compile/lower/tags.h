/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that tags.c and boxes.c share. Private to src/compile/lower.
 */
#ifndef CN_COMPILE_LOWER_TAGS_H
#define CN_COMPILE_LOWER_TAGS_H

#include "compile/core/pass.h"

/* The declaration `name` if the module uses it by calls alone, else null. Another type and another use are errors of
 * rule tag-call. */
LLVMValueRef cn_tags_find_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type);

/* Give the function the attributes of a pure leaf, which the optimiser may rely on. */
void cn_tags_add_leaf_attributes(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- boxes.c: words outside of the heap ---- */

/* Check the declarations of cairn.box.from, cairn.box.is and cairn.box.bits, and give these functions attributes. */
void cn_boxes_prepare_functions(struct cn_ctx *ctx);

/* Replace the calls of these functions by arithmetic. True if the module has such calls. */
bool cn_boxes_lower(struct cn_ctx *ctx, LLVMBuilderRef builder);

#endif
