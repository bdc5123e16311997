/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of block frequencies. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_BLOCK_FREQUENCY_H
#define CN_COMPILE_COST_BLOCK_FREQUENCY_H

#include "compile/cost/loops.h"

/* The frequency of a block that runs on every call. */
#define CN_ALWAYS (UINT64_C(1) << 40)

/* For each block, how often a call of the function enters it at least once: at most CN_ALWAYS. Known from branch
 * weights, of a profile or __builtin_expect(). If weights are missing, all edges are alike, except those to an
 * abort. */
void cn_find_block_frequencies(const struct cn_loops *loops, uint64_t *often);

/* For each block: true if it hardly ever runs, by weights. Then it runs at most once in a thousand runs of the blocks
 * before it, within the innermost loop around it. */
void cn_find_rare_blocks(const struct cn_loops *loops, bool *rare);

#endif
