/* SPDX-License-Identifier: Apache-2.0
 *
 * Natural loops of one function, and bounds of how long they run. Valid as long as their struct cn_cfg.
 */
#ifndef CN_COMPILE_COST_LOOPS_H
#define CN_COMPILE_COST_LOOPS_H

#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"

/* A loop that does at most so much work (cost.h) in all needs no poll: two microseconds. */
#define CN_SMALL_WORK 4096

struct cn_loop {
  uint32_t header; /* block index; all back edges to one header make one loop */
  uint32_t latch;  /* the only source of a back edge, or CN_NO_BLOCK */
  uint32_t parent; /* loop index, or CN_NO_BLOCK */
  uint32_t below;  /* the number of inner loops and itself; this loop is the last of these */
  bool inner;      /* has loops or irreducible cycles in it */
  bool irreducible;
  bool calls;       /* has a parse point, or fills memory: it polls, or costs much more than a poll */
  bool leaves;      /* calls a function other than an intrinsic: the callee may not return */
  uint32_t *blocks; /* its header first, and the blocks of each inner loop in a row; a slice of the order */
  uint32_t count;
  uint32_t exits;  /* the number of edges that lead out of it */
  uint32_t exit;   /* the target of the last of these edges */
  uint64_t size;   /* work of one iteration over all its blocks; unbounded work counts as a call */
  uint64_t misses; /* further work if all its accesses miss all caches */
  uint64_t trips;  /* the most iterations, or CN_WORK_UNKNOWN */
  uint64_t work;   /* the most work in all, or CN_WORK_UNKNOWN */
};

/* Innermost first. It holds (cn_loops_wrong()) that
 *   - a body begins with its header, which dominates all of it, and has each of its blocks once
 *   - the parent of a loop comes after it, and contains it
 *   - a loop contains the `below` loops up to itself
 *   - of[] names the loops that the control flow graph does
 *   - order[] has all blocks, those of a loop in a row, and each edge that does not retreat leads
 *     onward in it */
struct cn_loops {
  const struct cn_cfg *cfg;
  struct cn_loop *at;
  uint32_t count;
  uint32_t *of; /* by block: the innermost loop around it, or CN_NO_BLOCK */
  uint32_t *order;
};

/* The forest of loops, without their costs; and with them (loop_costs.c). */
void cn_loops_build(struct cn_loops *loops, const struct cn_cfg *cfg);
void cn_loops_build_with_costs(struct cn_loops *loops, const struct cn_cfg *cfg);
void cn_loops_free(struct cn_loops *loops);
/* Null, or the fault of the loops. Linear in the sum of the bodies. */
const char *cn_loops_wrong(const struct cn_loops *loops);
bool cn_loop_contains_block(const struct cn_loops *loops, uint32_t loop, uint32_t block);
/* True if each iteration of the loop runs the block. */
bool cn_loop_always_runs_block(const struct cn_loops *loops, uint32_t loop, uint32_t block);
/* True if `value` is computed outside the loop, if it is computed at all. */
bool cn_is_defined_outside_loop(const struct cn_loops *loops, uint32_t loop, LLVMValueRef value);

/* An induction variable: a phi of the header that advances by the same constant in every iteration. */
struct cn_induction {
  LLVMValueRef phi, next; /* next = phi + step */
  int64_t step;           /* bytes, for a pointer; 0 if the step is `by` */
  LLVMValueRef by;        /* an integer step, which may still change within the loop; null if the step is a constant */
};

/* True if `value` is an induction variable of the loop, or its next. Integers of at most 64 bits and pointers. */
bool cn_loop_match_induction(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout, LLVMValueRef value,
                             struct cn_induction *out);

/* The value of a phi of the loop's header on entry, if all entries agree; or null. */
LLVMValueRef cn_loop_start_value_of(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi);

/* True if one of its exits is taken by a comparison of an induction variable. */
bool cn_loop_has_counting_exit(const struct cn_loops *loops, uint32_t loop);

/* The largest trip count by the exit test in block `b`, or CN_WORK_UNKNOWN (trip_counts.c). */
uint64_t cn_trip_count_by_exit(const struct cn_loops *loops, uint32_t loop, uint32_t b);

/* The largest trip count by `compare`, which leaves the loop when it is `leaves`, if the bound is at a known distance
 * from the start of the induction variable (trips_by_distance.c). */
uint64_t cn_trip_count_by_distance(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves);

/* The largest value of an integer, unsigned, as far as `depth` levels of operands tell; or
 * UINT64_MAX (largest_value.c). */
uint64_t cn_largest_value(LLVMValueRef value, unsigned depth);
enum { CN_DEFAULT_VALUE_DEPTH = 4 }; /* the usual one */

#endif
