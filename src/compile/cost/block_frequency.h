/* SPDX-License-Identifier: Apache-2.0
 *
 * How often blocks run. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_BLOCK_FREQUENCY_H
#define CN_COMPILE_COST_BLOCK_FREQUENCY_H

#include "compile/cost/loops.h"

/* Of a block that runs on every call. */
#define CN_ALWAYS (UINT64_C(1) << 40)

/* For each block, how often a call of the function enters it at least once: at most CN_ALWAYS. By
 * the branches' weights, from a profile or from __builtin_expect(); without, all ways are alike,
 * but those that end in an abort. */
void cn_block_frequency_find(const struct cn_loops *loops, uint64_t *often);

#endif
