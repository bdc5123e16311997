/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that a struct cn_loops is as its header says. Needs: a valid struct cn_cfg. Provides: cn_loops_wrong().
 * Breaks: nothing.
 */
#include "compile/cost/loops.h"

static const char *why_latch_is_wrong(const struct cn_loops *loops, const struct cn_loop *loop)
{
  const struct cn_cfg_block *header = &loops->cfg->blocks[loop->header];
  uint32_t back = 0, last = CN_NO_BLOCK;

  for (uint32_t p = 0; p < header->pred_count; p++)
    if (cn_cfg_dominates(loops->cfg, loop->header, header->preds[p])) {
      back++;
      last = header->preds[p];
    }
  return loop->latch == (back == 1 ? last : CN_NO_BLOCK) ? NULL : "loops: the latch is another";
}

static const char *why_nesting_is_wrong(const struct cn_loops *loops, uint32_t l)
{
  const struct cn_loop *loop = &loops->at[l];

  if (loop->below == 0 || loop->below > l + 1)
    return "loops: a loop contains others than there are before it";
  if (loop->parent == CN_NO_BLOCK)
    return NULL;
  if (loop->parent <= l || loop->parent >= loops->count)
    return "loops: an outer loop comes before an inner one";
  const struct cn_loop *parent = &loops->at[loop->parent];
  if (loop->parent - l + loop->below > parent->below)
    return "loops: what a loop contains is not among what its parent does";
  return cn_loop_contains_block(loops, loop->parent, loop->header) && parent->inner
             ? NULL
             : "loops: a parent does not contain its loop";
}

static const char *why_body_is_wrong(const struct cn_loops *loops, uint32_t l)
{
  const struct cn_loop *loop = &loops->at[l];

  if (loop->count == 0 || loop->blocks[0] != loop->header || loop->blocks < loops->order ||
      loop->blocks + loop->count > loops->order + loops->cfg->count)
    return "loops: a body does not begin with its header";
  for (uint32_t i = 0; i < loop->count; i++)
    if (loop->blocks[i] >= loops->cfg->count || !cn_loop_contains_block(loops, l, loop->blocks[i]) ||
        !cn_cfg_dominates(loops->cfg, loop->header, loop->blocks[i]))
      return "loops: a block of a body is not in the loop";
  return NULL;
}

static const char *why_order_is_wrong(const struct cn_loops *loops)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint32_t *place = cn_alloc(cfg->count * sizeof *place);
  bool right = true;

  for (uint32_t i = 0; i < cfg->count && right; i++) {
    right = loops->order[i] < cfg->count && !place[loops->order[i]];
    if (right)
      place[loops->order[i]] = i + 1;
  }
  for (uint32_t b = 0; b < cfg->count && right; b++)
    for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
      right &= cn_cfg_is_retreating_edge(b, cfg->blocks[b].succs[s]) || place[b] < place[cfg->blocks[b].succs[s]];
  free(place);
  return right ? NULL : "loops: the order lacks a block, or an edge leads back in it";
}

const char *cn_loops_wrong(const struct cn_loops *loops)
{
  const char *wrong = why_order_is_wrong(loops);
  uint64_t bodies = 0, depths = 0;

  for (uint32_t b = 0; b < loops->cfg->count && !wrong; b++) {
    uint32_t of = loops->of[b], header = loops->cfg->blocks[b].loop;
    depths += loops->cfg->blocks[b].depth;
    if (of == CN_NO_BLOCK ? header != CN_NO_BLOCK : of >= loops->count || loops->at[of].header != header)
      return "loops: a block's loop is not that of the control flow graph";
  }
  for (uint32_t l = 0; l < loops->count && !wrong; l++) {
    bodies += loops->at[l].count;
    wrong = why_nesting_is_wrong(loops, l);
    if (!wrong)
      wrong = why_latch_is_wrong(loops, &loops->at[l]);
    if (!wrong)
      wrong = why_body_is_wrong(loops, l);
  }
  return wrong || bodies == depths ? wrong : "loops: a body lacks a block, or has one twice";
}
