/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies loop nests for few iterations. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_NEST_H
#define CN_COMPILE_PLACE_LOOPS_NEST_H

#include "base/vector.h"
#include "compile/place/loops/loop_forms.h"

/* A loop in the nest. The copy bounds its iterations. */
struct cn_nest_inner_loop {
  struct cn_countable_loop test;
  LLVMValueRef from_zero; /* zero if the start may count as 0; else null */
  unsigned start;  /* if `from_zero` is null: the index of the phi's input with the start (the copy of an earlier nest
                      may replace the value) */
  uint32_t parent; /* the loop around it */
};

struct cn_nest {
  LLVMBasicBlockRef *blocks; /* the header first (owned) */
  uint32_t count;
  uint64_t work;    /* the work of one iteration of each loop */
  bool polls_first; /* the copy polls on entry too */
  CN_VECTOR(struct cn_nest_inner_loop) inner;
};

/* True if it pays to give `loop` a copy whose inner loops are free of polls. */
bool cn_nest_is_worth_copy(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                           struct cn_nest *nest);

/* Copy the nest, which must be in LCSSA form, and record its bounded loops in `out`. New phis replace the phis of the
 * header. */
void cn_nest_copy(struct cn_ctx *ctx, const struct cn_nest *nest, struct cn_loop_form_polls *out);

void cn_nest_free(struct cn_nest *nest);

#endif
