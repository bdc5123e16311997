/* SPDX-License-Identifier: Apache-2.0
 *
 * Natural loops of one function, with bounds of their work. The loops are valid as long as their struct cn_cfg.
 */
#ifndef CN_COMPILE_COST_LOOPS_H
#define CN_COMPILE_COST_LOOPS_H

#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"

/* A loop whose complete work (cost.h) is at most this, two microseconds, needs no poll. */
#define CN_SMALL_WORK 4096

struct cn_loop {
  uint32_t header; /* block index; all back edges to one header make one loop */
  uint32_t latch;  /* the only source of a back edge, or CN_NO_BLOCK */
  uint32_t parent; /* loop index, or CN_NO_BLOCK */
  uint32_t below;  /* the number of inner loops plus one; the inner loops come just before this loop */
  bool inner;      /* the loop contains loops or irreducible cycles */
  bool irreducible;
  bool calls;       /* the loop has parse points or fills memory, so it polls or costs much more than a poll */
  bool leaves;      /* the loop calls functions other than intrinsics, which may never return */
  uint32_t *blocks; /* a slice of `order`: the header, then the other blocks, with each inner loop's blocks in a row */
  uint32_t count;
  uint32_t exits;  /* the number of edges that leave the loop */
  uint32_t exit;   /* the target of the last edge that leaves the loop */
  uint64_t size;   /* the work of one iteration over all blocks; unbounded work counts as a call */
  uint64_t misses; /* additional work if all accesses miss all caches */
  uint64_t trips;  /* the largest trip count, or CN_WORK_UNKNOWN */
  uint64_t work;   /* the most work of all iterations, or CN_WORK_UNKNOWN */
};

/* The loops of a function, innermost first. Invariants (cn_loops_wrong()):
 *   - a body begins with its header, which dominates the body, and has each block once
 *   - the parent of a loop comes after the loop and contains it
 *   - a loop contains the `below` loops up to itself
 *   - of[] agrees with the loops of the control flow graph
 *   - order[] has all blocks, with the blocks of a loop in a row, and the source of each forward edge precedes the
 *     target */
struct cn_loops {
  const struct cn_cfg *cfg;
  struct cn_loop *at;
  uint32_t count;
  uint32_t *of; /* per block: the innermost loop around it, or CN_NO_BLOCK */
  uint32_t *order;
};

/* Build the forest of loops, without and with costs (loop_costs.c). */
void cn_loops_build(struct cn_loops *loops, const struct cn_cfg *cfg);
void cn_loops_build_with_costs(struct cn_loops *loops, const struct cn_cfg *cfg);
void cn_loops_free(struct cn_loops *loops);
/* Describes a fault of the loops, or returns null. The check takes time linear in the sum of the bodies. */
const char *cn_loops_wrong(const struct cn_loops *loops);
bool cn_loop_contains_block(const struct cn_loops *loops, uint32_t loop, uint32_t block);
/* True if each iteration of the loop runs the block. */
bool cn_loop_always_runs_block(const struct cn_loops *loops, uint32_t loop, uint32_t block);
bool cn_is_defined_outside_loop(const struct cn_loops *loops, uint32_t loop, LLVMValueRef value);

/* An induction variable: a phi of the header that advances by the same constant in every iteration. */
struct cn_induction {
  LLVMValueRef phi, next; /* next = phi + step */
  int64_t step;           /* the constant step, in bytes for a pointer; 0 if the step is `by` */
  LLVMValueRef by;        /* an integer step that may change in the loop; null if the step is a constant */
};

/* True if `value` is an induction variable of the loop, or its next value. The variable is a pointer or an integer of
 * at most 64 bits. */
bool cn_loop_match_induction(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout, LLVMValueRef value,
                             struct cn_induction *out);

/* The value of a phi of the loop's header on all entries into the loop, or null if the values differ. */
LLVMValueRef cn_loop_start_value_of(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi);

/* True if an exit of the loop depends on a comparison of an induction variable. */
bool cn_loop_has_counting_exit(const struct cn_loops *loops, uint32_t loop);

/* The largest trip count that the exit test in block `b` allows, or CN_WORK_UNKNOWN (trip_counts.c). */
uint64_t cn_trip_count_by_exit(const struct cn_loops *loops, uint32_t loop, uint32_t b);

/* The largest trip count of a loop that ends if `compare` equals `leaves`, or CN_WORK_UNKNOWN. The function needs a
 * bound of the distance from the induction variable's start to its end (trips_by_distance.c). */
uint64_t cn_trip_count_by_distance(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves);

/* The largest trip count of a loop that ends if `compare` of two integers equals `leaves`, for a loop that halves their
 * distance, such as a binary search, or CN_WORK_UNKNOWN (trips_by_halving.c). */
uint64_t cn_trip_count_by_halving(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves);

/* An upper bound of an unsigned integer, from `depth` levels of operands, or UINT64_MAX (largest_value.c). */
uint64_t cn_largest_value(LLVMValueRef value, unsigned depth);
enum { CN_DEFAULT_VALUE_DEPTH = 4 }; /* the default for `depth` */

#endif
