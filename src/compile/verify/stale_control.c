/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds numbers that depend on an address through control flow. A phi that selects one of two constants, or a counter
 * of a loop's iterations, may depend on a branch on the address's bits.
 *
 * Needs: struct cn_value_states except `control`. Provides: `control`, which the phis of each block join. Breaks:
 * nothing.
 *
 * A branch on a residue of an address (stale_integers.c) selects the inputs of the phis where paths from the branch
 * meet; their blocks are the iterated dominance frontier of the branch's successors. The order of two addresses is no
 * residue.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* Join `stale` into the state of block `b`. True if the state changes. */
static bool join_control_state(struct cn_value_states *values, uint32_t b, struct cn_stale_state stale)
{
  struct cn_stale_state *at = &values->control[b];
  struct cn_stale_state all = cn_stale_drop_weight(cn_stale_join_states(*at, stale));
  bool news = all.epoch != at->epoch;

  CN_ASSERT(stale.epoch != CN_EPOCH_NONE && all.epoch != CN_EPOCH_NONE);
  *at = all;
  return news;
}

/* Join `stale` into the iterated dominance frontier of `first`, a successor of a branch. A block of the frontier has a
 * predecessor that `first` or another block of the frontier dominates without strictly dominating the block. */
static bool mark_dominance_frontier(struct cn_value_states *values, uint32_t first, struct cn_stale_state stale)
{
  const struct cn_cfg *cfg = values->epochs->cfg;
  bool *reached = cn_alloc(cfg->count * sizeof *reached), news = false, more = true;

  CN_CHECK(values->control && first < cfg->count);
  reached[first] = true;
  if (cfg->blocks[first].pred_count > 1)
    news |= join_control_state(values, first, stale);
  while (more) {
    more = false;
    for (uint32_t b = 0; b < cfg->count; b++)
      for (uint32_t p = 0; !reached[b] && p < cfg->blocks[b].pred_count; p++)
        for (uint32_t r = cfg->blocks[b].preds[p]; !reached[b] && r != cfg->blocks[b].idom; r = cfg->blocks[r].idom)
          if (reached[r]) {
            reached[b] = more = true;
            news |= join_control_state(values, b, stale);
          }
  }
  free(reached);
  return news;
}

bool cn_stale_update_control(struct cn_value_states *values)
{
  const struct cn_cfg *cfg = values->epochs->cfg;
  bool news = false;

  for (uint32_t b = 0; b < cfg->count; b++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
    bool decides =
        cfg->blocks[b].succ_count > 1 && (LLVMIsASwitchInst(end) || (cn_is_branch(end) && LLVMIsConditional(end)));
    struct cn_stale_state by = {CN_EPOCH_NONE, 0};
    if (decides)
      by = cn_values_state_of(values, LLVMIsASwitchInst(end) ? LLVMGetOperand(end, 0) : LLVMGetCondition(end));
    if (by.epoch == CN_EPOCH_NONE)
      continue;
    if (!values->control)
      values->control = cn_alloc(cfg->count * sizeof *values->control);
    for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
      news |= mark_dominance_frontier(values, cfg->blocks[b].succs[s], by);
  }
  return news;
}
