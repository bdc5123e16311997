/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in ordinary memory in which the collector surely looks for references. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_LOWER_DESCRIBED_PLACES_H
#define CN_COMPILE_LOWER_DESCRIBED_PLACES_H

#include "compile/analysis/alloca_layout.h"

/* The places of a function. Zero-initialised but for the first two. */
struct cn_described_places {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_alloca_layouts locals; /* found when they are asked for */
  bool found;
};

/* May the collector not look for a reference at `pointer` + `offset`? */
bool cn_described_places_miss(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset);

/* May it not look for one at a word of the `bytes` from `pointer` on? UINT64_MAX: so many that it
 * is not known. */
bool cn_described_places_miss_some(struct cn_described_places *places, LLVMValueRef pointer, uint64_t bytes);

/* The local of the function to which `pointer` goes for sure; or null. */
LLVMValueRef cn_described_places_local(LLVMValueRef pointer);

/* Is surely no reference in the memory that `pointer` goes to? */
bool cn_described_places_none(struct cn_described_places *places, LLVMValueRef pointer);

void cn_described_places_free(struct cn_described_places *places);

/* All that `pointer` may be computed from, by GEPs, casts, phis and selects: itself first, and the
 * origins among them. */
typedef CN_VECTOR(LLVMValueRef) cn_pointer_sources;
cn_pointer_sources cn_pointer_sources_find(LLVMValueRef pointer);
bool cn_pointer_is_origin(LLVMValueRef pointer);

#endif
