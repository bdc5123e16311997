/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the invariants of a struct cn_cfg (cfg.h) against the current function. Needs: nothing. Provides:
 * cn_cfg_wrong(). Breaks: nothing.
 */
#include "compile/analysis/cfg.h"

#include <stdlib.h>
#include "base/check.h"

static const char *block_wrong(const struct cn_cfg *cfg, uint32_t i)
{
  const struct cn_cfg_block *b = &cfg->blocks[i];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);
  bool reached = i == 0;

  if (cn_cfg_index_of(cfg, b->block) != i)
    return "control flow graph: the index does not lead to a block";
  if (!end || LLVMGetNumSuccessors(end) != b->succ_count)
    return "control flow graph: a terminator has changed";
  for (unsigned s = 0; s < b->succ_count; s++)
    if (b->succs[s] >= cfg->count || cn_cfg_index_of(cfg, LLVMGetSuccessor(end, s)) != b->succs[s])
      return "control flow graph: an edge leads elsewhere";
  for (uint32_t p = 0; p < b->pred_count; p++)
    reached |= b->preds[p] < i;
  return reached ? NULL : "control flow graph: not in reverse post-order";
}

/* Predecessors are in ascending order, so the edges in the order of their sources match the preds[] of each target in
 * turn.
 */
static const char *preds_wrong(const struct cn_cfg *cfg)
{
  uint32_t *next = cn_alloc(cfg->count * sizeof *next);
  bool matches = true;

  for (uint32_t i = 0; i < cfg->count && matches; i++)
    for (uint32_t s = 0; s < cfg->blocks[i].succ_count && matches; s++) {
      uint32_t to = cfg->blocks[i].succs[s];
      const struct cn_cfg_block *b = &cfg->blocks[to];
      matches = next[to] < b->pred_count && b->preds[next[to]] == i;
      next[to]++;
    }
  for (uint32_t i = 0; i < cfg->count && matches; i++)
    matches = next[i] == cfg->blocks[i].pred_count;
  free(next);
  return matches ? NULL : "control flow graph: predecessors and successors disagree";
}

/* Checks the tree at block `i`. The caller compares the sums in `children` to prove that siblings have disjoint places.
 */
static const char *tree_wrong(const struct cn_cfg *cfg, uint32_t i, uint64_t *children)
{
  const struct cn_cfg_block *b = &cfg->blocks[i];

  if (i == 0)
    return b->idom == 0 && b->place == 0 && b->below == cfg->count
               ? NULL
               : "control flow graph: the entry is not the root of the dominator tree";
  if (b->idom >= i)
    return "control flow graph: a block comes before its immediate dominator";
  const struct cn_cfg_block *parent = &cfg->blocks[b->idom];
  if (b->place <= parent->place || (uint64_t)b->place + b->below > (uint64_t)parent->place + parent->below)
    return "control flow graph: a block's places are not among those of its dominator";
  children[b->idom] += b->below;
  for (uint32_t p = 0; p < b->pred_count; p++)
    if (!cn_cfg_dominates(cfg, b->idom, b->preds[p]))
      return "control flow graph: a predecessor is not dominated by the immediate dominator";
  return NULL;
}

static const char *loop_wrong(const struct cn_cfg *cfg, uint32_t i)
{
  const struct cn_cfg_block *b = &cfg->blocks[i];

  if (b->loop == CN_NO_BLOCK)
    return b->depth == 0 ? NULL : "control flow graph: a block in no loop has a depth";
  if (b->loop > i || cfg->blocks[b->loop].loop != b->loop || !cn_cfg_dominates(cfg, b->loop, i))
    return "control flow graph: a block's loop has no header that dominates it";
  if (b->depth == 0 || b->depth != cfg->blocks[b->loop].depth)
    return "control flow graph: a block is not as deep as the header of its loop";
  if (b->loop != i || b->outer == CN_NO_BLOCK)
    return b->loop != i || b->depth == 1 ? NULL : "control flow graph: a loop has none around it, but a depth";
  if (b->outer >= i || cfg->blocks[b->outer].loop != b->outer || !cn_cfg_dominates(cfg, b->outer, i) ||
      b->depth != cfg->blocks[b->outer].depth + 1)
    return "control flow graph: a loop is not one deeper than the next around it";
  return NULL;
}

static const char *dominators_wrong(const struct cn_cfg *cfg)
{
  uint64_t *children = cn_alloc(cfg->count * sizeof *children);
  const char *wrong = NULL;

  for (uint32_t i = 0; i < cfg->count && !wrong; i++)
    wrong = tree_wrong(cfg, i, children);
  for (uint32_t i = 0; i < cfg->count && !wrong; i++)
    if (children[i] + 1 != cfg->blocks[i].below)
      wrong = "control flow graph: the places of the dominator tree do not add up";
  for (uint32_t i = 0; i < cfg->count && !wrong; i++)
    wrong = loop_wrong(cfg, i);
  free(children);
  return wrong;
}

const char *cn_cfg_wrong(const struct cn_cfg *cfg)
{
  const char *wrong = NULL;

  if (cfg->count == 0 || cfg->blocks[0].block != LLVMGetEntryBasicBlock(cfg->function))
    return "control flow graph: it does not begin with the entry";
  for (uint32_t i = 0; i < cfg->count && !wrong; i++)
    wrong = block_wrong(cfg, i);
  if (!wrong)
    wrong = preds_wrong(cfg);
  if (!wrong && cfg->has_dominators)
    wrong = dominators_wrong(cfg);
  return wrong;
}
