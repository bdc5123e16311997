/* SPDX-License-Identifier: Apache-2.0
 *
 * How often blocks run. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_BLOCK_FREQUENCY_H
#define CN_COMPILE_COST_BLOCK_FREQUENCY_H

#include "compile/cost/loops.h"

/* The frequency of a block that runs on every call. */
#define CN_ALWAYS (UINT64_C(1) << 40)

/* For each block, how often a call of the function enters it at least once: at most CN_ALWAYS.
 * Known from branch weights, of a profile or __builtin_expect(). Without weights all edges are
 * alike, except those to an abort. */
void cn_block_frequency_find(const struct cn_loops *loops, uint64_t *often);

/* For each block, does it hardly ever run, by weights? At most once in a thousand runs of what
 * leads to it, within the innermost loop around it. */
void cn_block_frequency_rare(const struct cn_loops *loops, bool *rare);

#endif
