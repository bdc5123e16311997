/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives loops forms that rarely poll. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H
#define CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* The blocks of a function that poll, and the blocks that need no poll, after its loops have got new forms. */
struct cn_loop_form_polls {
  /* Block whose retreating edge needs no poll -> the most work of its loop. */
  struct cn_ptrmap bounded;
  struct cn_ptrmap first;  /* blocks that must poll at their start */
  struct cn_ptrmap polled; /* blocks that end in a retreating edge into a block of `first` */
  struct cn_ptrmap seldom; /* blocks that come after many iterations of a loop */
};

/* Give each loop of `function` that may do more than `small_work` a form that rarely polls (choose_form.c). */
void cn_choose_loop_forms(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                          struct cn_loop_form_polls *out);

/* This number of iterations, with at least two instructions each, takes a microsecond. */
#define CN_STRIP_MINE_MANY 1024

/* A countable loop. The bound is stored as an operand number, because the transformation of an earlier loop may replace
 * the value. */
struct cn_countable_loop {
  LLVMBasicBlockRef header, latch;
  LLVMValueRef compare;
  unsigned bound;        /* operand of compare */
  LLVMIntPredicate stay; /* the loop continues if this predicate holds for induction variable and bound */
  bool tests_next;       /* the test reads iv.next; if false, it reads iv.phi */
  bool no_wrap;          /* no-wrap flags of the advance exclude a wrap before the test ends the loop */
  struct cn_induction iv;
  uint64_t trips; /* K */
  uint64_t work;  /* the most of one iteration */
  uint32_t loop;
  bool polls_first; /* the loop polls on entry and between chunks; false: only between chunks */
};

/* The most work of a chunk of `trips` iterations. A test of the old value (iv.phi) may add one iteration. */
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

/* True if the latch of `loop` tests a counter against an invariant, and the edges that enter the loop can be redirected
 * (countable.c). */
bool cn_countable_find_counter(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                               struct cn_countable_loop *out);

/* True if chunks of the loop pay (countable.c). */
bool cn_countable_is_worth_chunks(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                                  struct cn_countable_loop *out);

/* Turn the loop into two nested loops; the inner loop runs for a bounded time (strip_mine.c). */
void cn_strip_mine_loop(struct cn_ctx *ctx, const struct cn_countable_loop *c, struct cn_loop_form_polls *out);

/* True if every iteration runs an inner loop that does more than `small_work`, so that chunks would save nothing
 * (countable.c). For loops with one latch. */
bool cn_countable_always_runs_inner(const struct cn_loops *loops, uint32_t loop, uint64_t small_work);

/* Build a test that is true if the loop may make more than K iterations (K + 1 if it tests the old value) from `start`
 * on. If the loop may leave before its test, the bound may be undefined. */
LLVMValueRef cn_strip_mine_build_far_test(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_countable_loop *c,
                                          LLVMValueRef start);
/* Build the distance from `start` to the bound, measured in the direction of the steps. */
LLVMValueRef cn_strip_mine_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_countable_loop *c,
                                          LLVMValueRef start);

#endif
