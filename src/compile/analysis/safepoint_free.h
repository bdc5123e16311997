/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoint-free intervals of code. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_SAFEPOINT_FREE_H
#define CN_COMPILE_ANALYSIS_SAFEPOINT_FREE_H

#include "base/ptrmap.h"
#include "compile/analysis/cfg.h"

/* The safepoint-free intervals of a function. Each safepoint begins an interval, and so does each block whose
 * predecessors end in different intervals. If `a` dominates `b` and both are in one interval, all paths from `a` to `b`
 * are free of safepoints. */
struct cn_safepoint_free_intervals {
  const struct cn_cfg *cfg;
  uint32_t *in, *out;     /* per block: the interval at its start, and at its end */
  struct cn_ptrmap after; /* an instruction, if a safepoint precedes it in its block -> the interval after it */
};
void cn_safepoint_free_find_intervals(struct cn_safepoint_free_intervals *windows, const struct cn_cfg *cfg);
void cn_safepoint_free_dispose(struct cn_safepoint_free_intervals *windows);
/* The intervals just before and just after `instruction`; 0 if the instruction is unreachable. */
uint32_t cn_safepoint_free_before(const struct cn_safepoint_free_intervals *windows, LLVMValueRef instruction);
uint32_t cn_safepoint_free_after(const struct cn_safepoint_free_intervals *windows, LLVMValueRef instruction);

#endif
