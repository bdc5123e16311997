/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in ordinary memory that the collector always scans for references. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_DESCRIBED_PLACES_H
#define CN_COMPILE_LOWER_DESCRIBED_PLACES_H

#include "compile/analysis/alloca_layout.h"

/* The places of a function. The caller sets `ctx` and `function`, and zeroes the rest. */
struct cn_described_places {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_alloca_layouts locals; /* computed on demand */
  bool found;
};

/* True if the collector may miss a reference at `pointer` + `offset`. */
bool cn_described_places_may_miss(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset);

/* True if the collector may miss a reference at a word of the `bytes` bytes from `pointer` on; UINT64_MAX stands for an
 * unknown number of bytes. */
bool cn_described_places_may_miss_any(struct cn_described_places *places, LLVMValueRef pointer, uint64_t bytes);

/* The local of the function that `pointer` always points into, or null. */
LLVMValueRef cn_pointer_local_of(LLVMValueRef pointer);

/* True if the memory that `pointer` points into is provably free of references. */
bool cn_described_places_lack_refs(struct cn_described_places *places, LLVMValueRef pointer);

void cn_described_places_free(struct cn_described_places *places);

/* A pointer and all values that GEPs, casts, phis and selects compute it from; the origins are among these values. */
typedef CN_VECTOR(LLVMValueRef) cn_pointer_sources;
cn_pointer_sources cn_pointer_sources_find(LLVMValueRef pointer);
bool cn_pointer_is_origin(LLVMValueRef pointer);

#endif
