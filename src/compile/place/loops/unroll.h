/* SPDX-License-Identifier: Apache-2.0
 *
 * Unrolled loops, which poll once for several trips. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_UNROLL_H
#define CN_COMPILE_PLACE_LOOPS_UNROLL_H

#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* A loop that is to be unrolled. */
struct cn_unroll {
  LLVMBasicBlockRef *blocks; /* the header first (owned) */
  uint32_t count;
  uint32_t times;
};

/* At most so many trips between two polls. */
#define CN_UNROLL_MOST 8

/* Would a poll on each trip cost much beside the loop's work? */
bool cn_unroll_fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, struct cn_unroll *out);

/* The same, whatever it takes in bytes, and has it several exits, so that it probably makes few
 * trips? Then a test on entry, for chunks, would cost more than the polls. */
bool cn_unroll_leaves_early(const struct cn_loops *loops, uint32_t loop);

/* Unroll it: the last copy has all back edges. Needs LCSSA form: only phis after the loop use its
 * values. */
void cn_unroll_build(struct cn_ctx *ctx, const struct cn_unroll *unroll);

#endif
