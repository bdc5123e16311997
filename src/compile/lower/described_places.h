/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in ordinary memory that the collector always scans for references. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_DESCRIBED_PLACES_H
#define CN_COMPILE_LOWER_DESCRIBED_PLACES_H

#include "compile/analysis/alloca_layout.h"
#include "compile/lower/pointer_flow.h"

struct cn_function_locals {
  LLVMValueRef function;
  struct cn_alloca_layouts layouts;
};

/* The places of a module. The caller sets `flow.ctx`, sets `function` to the function that it checks, and zeroes the
 * rest. */
struct cn_described_places {
  struct cn_pointer_flow flow;
  LLVMValueRef function;
  CN_VECTOR(struct cn_function_locals) locals; /* computed on demand */
  struct cn_ptrmap locals_index;               /* function -> its index in `locals` plus 1 */
};

/* True if the collector may miss a reference at `pointer` + `offset`. */
bool cn_described_places_may_miss(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset);

/* A bit for each word of a copy of `bytes` bytes that may bring a reference where the collector misses the reference.
 * CN_ALL_WORDS: too many, or unknown. UINT64_MAX stands for an unknown number of bytes. */
#define CN_ALL_WORDS UINT64_MAX
uint64_t cn_described_places_words_at_risk(struct cn_described_places *places, LLVMValueRef to, LLVMValueRef from,
                                           uint64_t bytes);

/* Equally distant described places in a local or a global of the function: from `origin` + `first` to `origin` +
 * `last`.
 */
struct cn_place_run {
  LLVMValueRef origin;
  uint64_t first, last;
};

/* Find the run that has all described places of `pointer` + `offset` next to its constant part. If a pointer lies
 * between the ends of the run, it points to a described place. False: there is no such run. */
bool cn_described_places_find_run(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset,
                                  struct cn_place_run *run);

/* The local of the function that `pointer` always points into, or null. */
LLVMValueRef cn_pointer_local_of(LLVMValueRef pointer);

void cn_described_places_free(struct cn_described_places *places);

#endif
