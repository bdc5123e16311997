/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives loops forms that rarely poll. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H
#define CN_COMPILE_PLACE_LOOPS_LOOP_FORMS_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/emit.h"
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
  bool leaves;      /* the loop calls functions */
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

/* The number of instructions of a copy of the loop; UINT32_MAX if the number exceeds `most`, or if the loop cannot be
 * copied (choose_form.c). */
uint32_t cn_clone_size(const struct cn_loops *loops, uint32_t loop, uint32_t most);

/* ---- nest.c: copies loop nests for few iterations ---- */

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

/* ---- unroll.c: unrolls loops, which then poll once for several iterations ---- */

/* A loop to unroll. */
struct cn_unrolled_loop {
  LLVMBasicBlockRef *blocks; /* the header first (owned) */
  uint32_t count;
  uint32_t times;
};

/* The most iterations between two polls of an unrolled loop. */
#define CN_UNROLL_MOST 8

/* True if a poll in each iteration would be a large part of the loop's work. */
bool cn_unroll_is_worth(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, struct cn_unrolled_loop *out);

/* True if cn_unroll_is_worth() is true at -O3, and the loop has several exits, so that it probably makes few
 * iterations. In such a loop, the test on entry that chunks need would cost more than the polls. */
bool cn_unroll_loop_leaves_early(const struct cn_loops *loops, uint32_t loop);

/* Unroll the loop, so that only the last copy has back edges. Needs LCSSA form. */
void cn_unroll_loop(struct cn_ctx *ctx, const struct cn_unrolled_loop *unroll);

/* Drop the alias scopes that an iteration declares, such as those of an inlined function's `restrict`: these scopes say
 * nothing about the accesses of two iterations. */
void cn_loop_drop_noalias_scopes(const LLVMBasicBlockRef *blocks, uint32_t count);

/* ---- peel.c: makes the first iteration of a search without a poll ---- */

/* A loop to peel. */
struct cn_peeled_loop {
  LLVMBasicBlockRef *blocks; /* the header first (owned) */
  uint32_t count;
};

/* True if the loop is a small search that may end in its first iterations. */
bool cn_peel_is_worth(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, struct cn_peeled_loop *out);

/* Put a copy of the loop's body before the loop. Needs LCSSA form. */
void cn_peel_loop(struct cn_ctx *ctx, const struct cn_peeled_loop *peel);

#endif
