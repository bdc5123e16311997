/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives loops forms that rarely poll. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H
#define CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* The blocks of a function that poll, and those that need no poll, after its loops have new forms. */
struct cn_loop_form_polls {
  /* Blocks whose retreating edge needs no poll: to the most work of their loop. */
  struct cn_ptrmap bounded;
  struct cn_ptrmap first;  /* blocks that must poll at their start */
  struct cn_ptrmap polled; /* blocks that end in a retreating edge into one of these */
  struct cn_ptrmap seldom; /* blocks that come after many iterations of a loop */
};

/* Give the loops of `function` that may do more than `small_work` forms that rarely poll (choose_form.c). */
void cn_choose_loop_forms(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                          struct cn_loop_form_polls *out);

/* So many iterations, of at least two instructions, take a microsecond. */
#define CN_STRIP_MINE_MANY 1024

/* A loop that fits. The bound is named by operand: transforming an earlier loop may replace it. */
struct cn_countable_loop {
  LLVMBasicBlockRef header, latch;
  LLVMValueRef compare;
  unsigned bound;        /* operand of compare */
  LLVMIntPredicate stay; /* induction variable against bound: stay in the loop */
  bool tests_next;       /* the test compares iv.next; else iv.phi */
  bool no_wrap;          /* the flags of the advance rule out wrapping before the test ends the loop */
  struct cn_induction iv;
  uint64_t trips; /* K */
  uint64_t work;  /* the most of one iteration */
  uint32_t loop;
  bool polls_first; /* on entry, too; else only between two chunks */
};

/* The work of K iterations, and of one more, which a test of the old value allows. */
static inline uint64_t cn_strip_mine_chunk_work(const struct cn_countable_loop *c)
{
  CN_CHECK(c->trips && c->work);
  return (c->trips + 1) * c->work;
}

/* The distance of a step. */
static inline uint64_t cn_strip_mine_step_magnitude(int64_t step)
{
  return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* True if loop `loop` ends by the test of a counter against an invariant at its latch, and its entering edges can be
 * redirected (countable.c). */
bool cn_countable_find_counter(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                               struct cn_countable_loop *out);

/* True if the loop is worth chunks (countable.c). */
bool cn_countable_is_worth_chunks(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                                  struct cn_countable_loop *out);

/* Turn a loop that is worth it into two; the inner one runs for a bounded time (strip_mine.c). */
void cn_strip_mine_loop(struct cn_ctx *ctx, const struct cn_countable_loop *c, struct cn_loop_form_polls *out);

/* True if every iteration runs an inner loop that does more than `small_work`, so that chunks would save nothing
 * (countable.c). For loops with one latch. */
bool cn_countable_always_runs_inner(const struct cn_loops *loops, uint32_t loop, uint64_t small_work);

/* Build, at the builder's place, whether the loop makes more than K iterations (and one, if it tests the old value)
 * when entered with its induction variable at `start`. True if in doubt. If the loop may leave before its test, the
 * bound may be undefined. */
LLVMValueRef cn_strip_mine_build_far_test(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_countable_loop *c,
                                          LLVMValueRef start);
/* Build the distance from `start` to the bound, in the direction of the steps. */
LLVMValueRef cn_strip_mine_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_countable_loop *c,
                                          LLVMValueRef start);

#endif
