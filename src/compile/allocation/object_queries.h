/* SPDX-License-Identifier: Apache-2.0
 *
 * Markers that ask for the layout, the length or the size of an object. Private to src/compile.
 */
#ifndef CN_COMPILE_ALLOCATION_OBJECT_QUERIES_H
#define CN_COMPILE_ALLOCATION_OBJECT_QUERIES_H

#include "compile/allocation/layout_constants.h"

enum cn_object_query { CN_QUERY_IS, CN_QUERY_IS_ARRAY, CN_QUERY_COUNT, CN_QUERY_SIZE, CN_OBJECT_QUERY_COUNT };

/* Check the declarations of the markers, and give them attributes for the optimiser. */
void cn_object_queries_prepare(struct cn_ctx *ctx);

/* True if the instruction calls a marker; *query is then its query. */
bool cn_object_query_of_call(LLVMValueRef instruction, enum cn_object_query *query);

/* The layout operand, number 1, of a call that asks for a layout; null for other instructions. *array is true for a
 * query of arrays. */
LLVMValueRef cn_object_query_layout(LLVMValueRef instruction, bool *array);

/* Replace the markers. Reports errors. */
void cn_object_queries_lower(struct cn_ctx *ctx);

#endif
