/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of small structs that clang passes as integers, though they are references. Private to src/compile/source.
 */
#ifndef CN_COMPILE_SOURCE_STRUCT_WORDS_H
#define CN_COMPILE_SOURCE_STRUCT_WORDS_H

#include "compile/core/pass.h"

enum { CN_STRUCT_WORDS_MAX = 2 };

/* The words of an argument or a result; count 0: it stays as it is. */
struct cn_struct_words {
  unsigned count;
  bool is_ref[CN_STRUCT_WORDS_MAX];
};

/* A new signature. Parameter i of the old one begins at parameter places[i] of the new one, and is `words[i].count`
 * parameters if that is not 0. The caller frees the arrays. */
struct cn_struct_signature {
  LLVMTypeRef type; /* null if the signature stays */
  struct cn_struct_words result, *words;
  unsigned *places, count;
};

/* struct_shapes.c: the words of the coerced parameter or argument of `type` in memory at `pointer`. Sets *known if IR
 * tells the type of the memory. */
struct cn_struct_words cn_struct_words_in_memory(struct cn_ctx *ctx, LLVMValueRef pointer, LLVMTypeRef type,
                                                 bool *known);
/* True for the types of clang's coerced structs: i64 and [2 x i64]. */
bool cn_struct_is_coerced_type(LLVMTypeRef type);
/* The words of the parameters and the result of a definition, by its code; signature->words is new. */
void cn_struct_words_of_definition(struct cn_ctx *ctx, LLVMValueRef function, struct cn_struct_signature *signature);
/* The words of the arguments and the result of a call, by the code around it. */
void cn_struct_words_of_call(struct cn_ctx *ctx, LLVMValueRef call, struct cn_struct_signature *signature);

/* True if the result of a function or of a call is memory whose address is the first parameter. */
bool cn_struct_returns_by_address(LLVMValueRef function);
bool cn_struct_call_returns_by_address(LLVMValueRef call);

/* Complete the signature for functions of type `old`: type and places. The type stays null if nothing changes, or if a
 * parameter has a type whose registers are unknown. */
void cn_struct_signature_complete(struct cn_ctx *ctx, LLVMTypeRef old, bool returns_by_address,
                                  struct cn_struct_signature *signature);
void cn_struct_signature_free(struct cn_struct_signature *signature);

#endif
