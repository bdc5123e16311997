/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which functions poll on entry (statepoints-later, "PlaceSafepoints": polls at method entry). Part of pass
 * `place-safepoints`.
 *
 * Needs: struct cn_loops, struct cn_function_facts, the sites in loops. Provides: the place of the entry poll. Breaks:
 * nothing; may move a comparison within its block.
 *
 * A function polls on entry if a path from the entry to the first safepoint closes a call cycle, or does more than
 * CN_CALL_WORK before it may return.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/place/function_facts.h"

struct entry_poll_search {
  const struct cn_function_facts *facts;
  const struct cn_loops *loops;
  const struct cn_poll_sites *sites;
  struct cn_function_work work;
  uint32_t node;
};

static bool is_function_exit(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  return LLVMGetNumSuccessors(end) == 0 && !LLVMIsAUnreachableInst(end);
}

/* By block: true if the function can return or throw after the block's end without a safepoint. The search may need
 * several rounds for loops. */
static bool *find_unpolled_exits(const struct entry_poll_search *e)
{
  const struct cn_cfg *cfg = e->loops->cfg;
  bool *leaves = cn_alloc(cfg->count * sizeof *leaves), changed = true;

  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  while (changed) {
    changed = false;
    for (uint32_t b = cfg->count; b-- > 0;) {
      const struct cn_cfg_block *block = &cfg->blocks[b];
      bool now = leaves[b] || is_function_exit(block->block);
      for (uint32_t s = 0; s < block->succ_count; s++)
        now |= leaves[block->succs[s]] && e->work.blocks[block->succs[s]].passes;
      changed |= now != leaves[b];
      leaves[b] = now;
    }
  }
  return leaves;
}

/* The first instruction of block `b` that needs an earlier poll, or null. `*p` is the point at the block's start; the
 * call advances it to the block's end. */
static LLVMValueRef find_poll_need_in_block(const struct entry_poll_search *e, uint32_t b, bool leaves,
                                            struct cn_work_at_point *p)
{
  struct cn_work_summary ended = {0};

  leaves &= e->work.blocks[b].passes;
  for (LLVMValueRef i = LLVMGetFirstInstruction(e->loops->cfg->blocks[b].block); i && p->fresh;
       i = LLVMGetNextInstruction(i)) {
    if (LLVMIsAPHINode(i))
      continue;
    struct cn_work_summary piece = cn_work_summary_of_instruction(e->work.known, i);
    CN_ASSERT(e->work.known->sites == &e->sites->seen);
    if (cn_ptrmap_find(&e->sites->seen, i))
      p->fresh = false;
    else
      *p = cn_work_advance_point(*p, &piece, &ended);
    bool late = leaves && p->entry > CN_CALL_WORK;
    if (p->fresh && (late || cn_function_facts_closes_cycle(e->facts, e->node, i)))
      return i;
  }
  p->fresh &= !cn_work_block_ends_in_poll(e->work.known, e->loops->cfg, b);
  return NULL;
}

/* The most work up to the start of block `b`, over the paths without a safepoint before the block. */
static struct cn_work_at_point join_predecessor_work(const struct entry_poll_search *e,
                                                     const struct cn_work_at_point *out, uint32_t b)
{
  const struct cn_cfg_block *block = &e->loops->cfg->blocks[b];
  struct cn_work_at_point p = {.fresh = b == 0};
  uint32_t l = e->loops->of[b];

  for (uint32_t i = 0; i < block->pred_count; i++) {
    const struct cn_work_at_point *from = &out[block->preds[i]];
    if (cn_cfg_is_retreating_edge(block->preds[i], b) || !from->fresh)
      continue;
    p.entry = p.entry < from->entry ? from->entry : p.entry;
    p.fresh = true;
  }
  if (p.fresh && l != CN_NO_BLOCK && e->loops->at[l].header == b)
    p.entry = cn_work_add(p.entry, e->work.at[l].more);
  return p;
}

static LLVMValueRef find_first_poll_need(const struct entry_poll_search *e)
{
  uint32_t count = e->loops->cfg->count;
  struct cn_work_at_point *out = cn_alloc(count * sizeof *out);
  bool *leaves = find_unpolled_exits(e);
  LLVMValueRef need = NULL;

  for (uint32_t b = 0; b < count && !need; b++) {
    out[b] = join_predecessor_work(e, out, b);
    need = find_poll_need_in_block(e, b, leaves[b], &out[b]);
  }
  free(leaves);
  free(out);
  return need;
}

void cn_entry_polls_add_site(const struct cn_function_facts *facts, const struct cn_loops *loops,
                             struct cn_poll_sites *sites)
{
  struct entry_poll_search e = {.facts = facts, .loops = loops, .sites = sites};
  struct cn_work_summaries known = facts->known;

  known.sites = &sites->seen;
  e.node = cn_callgraph_find_node(&facts->graph, loops->cfg->function);
  CN_CHECK(e.node != CN_NO_NODE && sites->cfg == loops->cfg);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
  cn_work_build(&e.work, facts->ctx, loops, &known);
  LLVMValueRef need = find_first_poll_need(&e);
  if (need)
    cn_poll_sites_add(sites, cn_poll_site_at_entry(facts->ctx, loops->cfg, need));
  cn_work_free(&e.work);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
}
