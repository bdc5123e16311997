/* SPDX-License-Identifier: Apache-2.0
 *
 * Unrolls loops, which then poll once for several iterations. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_UNROLL_H
#define CN_COMPILE_PLACE_LOOPS_UNROLL_H

#include "compile/core/pass.h"
#include "compile/cost/loops.h"

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

#endif
