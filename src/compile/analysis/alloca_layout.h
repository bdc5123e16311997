/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a function's allocas that hold references. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_ALLOCA_LAYOUT_H
#define CN_COMPILE_ANALYSIS_ALLOCA_LAYOUT_H

#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_ALLOCA_WORD_BYTES = 8 };

struct cn_alloca_layout {
  LLVMValueRef alloca;
  uint64_t *bits; /* for each 8-byte word: it holds a reference */
  uint64_t words;
  bool typed;    /* its type holds references */
  bool unclear;  /* a reference covers two words, or lies outside of the alloca */
  bool floating; /* code accesses a reference at a variable offset */
  bool huge;
  LLVMValueRef copied; /* a parse point that passes a copy of the alloca on the stack, or null */
};
struct cn_alloca_layouts {
  CN_VECTOR(struct cn_alloca_layout) maps; /* every alloca of the function */
};

void cn_alloca_layouts_find(struct cn_ctx *ctx, LLVMValueRef function, struct cn_alloca_layouts *maps);
void cn_alloca_layouts_free(struct cn_alloca_layouts *maps);
/* True for memcpy and memmove, including the element-wise atomic forms. */
bool cn_alloca_uses_is_copy(LLVMValueRef instruction);
/* True for an intrinsic whose result is its address argument, or an address at a distance from the argument. */
bool cn_alloca_uses_returns_argument(LLVMValueRef call);
/* Mark the references that code accesses through `pointer`, the address of the map's alloca. */
void cn_alloca_uses_mark_accesses(struct cn_ctx *ctx, struct cn_alloca_layout *map, LLVMValueRef pointer);
/* cn_alloca_uses_mark_reference() marks a reference at the offset, cn_alloca_uses_mark_references() all references of a
 * value of the type. */
void cn_alloca_uses_mark_reference(struct cn_alloca_layout *map, uint64_t offset);
void cn_alloca_uses_mark_references(struct cn_ctx *ctx, struct cn_alloca_layout *map, LLVMTypeRef type,
                                    uint64_t offset);
bool cn_alloca_uses_access_references(struct cn_ctx *ctx, LLVMValueRef pointer);
bool cn_alloca_layout_holds_refs(const struct cn_alloca_layout *map);
void cn_alloca_layouts_report_bad(struct cn_ctx *ctx, LLVMValueRef function);

#endif
