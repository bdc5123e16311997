/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of block frequencies. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_BLOCK_FREQUENCY_H
#define CN_COMPILE_COST_BLOCK_FREQUENCY_H

#include "compile/cost/loops.h"

/* The frequency of a block that runs on every call. */
#define CN_ALWAYS (UINT64_C(1) << 40)

/* For each block, the frequency of calls that enter the block at least once, up to CN_ALWAYS. Branch weights come from
 * a profile or __builtin_expect(). Without weights, all edges have equal frequencies, except edges to an abort. */
void cn_find_block_frequencies(const struct cn_loops *loops, uint64_t *often);

/* For each block, true if the weights make it rare: the block runs at most once in a thousand runs of its predecessors
 * in the same loop. */
void cn_find_rare_blocks(const struct cn_loops *loops, bool *rare);

#endif
