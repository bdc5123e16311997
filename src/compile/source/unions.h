/* SPDX-License-Identifier: Apache-2.0
 *
 * Tagged unions of C (docs/words.md, "Tagged unions in C"). Private to src/compile/source.
 */
#ifndef CN_COMPILE_SOURCE_UNIONS_H
#define CN_COMPILE_SOURCE_UNIONS_H

#include "compile/core/pass.h"

/* The C name of the type of the member before each tagged union (include/cairn/cairn.h). */
#define CN_UNION_BIT_TYPE "cairn_union_bit_"

bool cn_unions_is_bit_type(LLVMTypeRef type);
/* True if a struct in `type` has a tagged union. */
bool cn_unions_has_union(LLVMTypeRef type);

/* Replace the accesses of numbers in tagged unions. In native code the words stay integers. */
void cn_unions_compile(struct cn_ctx *ctx, LLVMValueRef function, bool native);

/* union_constants.c: give tagged unions in initialisers of globals the form that cn_unions_compile() expects. */
void cn_unions_compile_constants(struct cn_ctx *ctx);

#endif
