/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds safepoint-free paths to a function's returns. Needs: struct cn_cfg; struct cn_work_summaries, which tells the
 * calls that poll and the chosen sites of polls. The caller may name other ends of paths. Provides: struct
 * cn_unpolled_returns with its queries. Breaks: nothing.
 */
#include "compile/cost/cost.h"

#include <stdlib.h>
#include "base/check.h"

/* True if each path from `instruction` on ends inside block `b`. */
static bool path_ends_in_block(const struct cn_unpolled_returns *w, uint32_t b, LLVMValueRef i)
{
  const struct cn_ptrmap *sites = w->known->sites;

  for (; i; i = LLVMGetNextInstruction(i)) {
    if ((sites && cn_ptrmap_find(sites, i)) || (w->ends && w->ends(w->env, b, i)))
      return true;
    if (!LLVMIsAPHINode(i) && !cn_work_summary_of_instruction(w->known, i).passes)
      return true;
  }
  return cn_work_block_ends_in_poll(w->known, w->cfg, b);
}

/* True if a safepoint-free path leads from the end of block `b` to a return. */
static bool reaches_return_after_block(const struct cn_unpolled_returns *w, uint32_t b)
{
  const struct cn_cfg_block *block = &w->cfg->blocks[b];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  if (LLVMIsAReturnInst(end))
    return true;
  if (LLVMIsAInvokeInst(end) && !w->caught)
    return w->returns[cn_cfg_index_of(w->cfg, LLVMGetNormalDest(end))];
  for (uint32_t s = 0; s < block->succ_count; s++)
    if (w->returns[block->succs[s]])
      return true;
  return false;
}

void cn_unpolled_returns_find(struct cn_unpolled_returns *w)
{
  uint32_t count = w->cfg->count;
  bool *stops = cn_alloc(count * sizeof *stops), changed = true;

  w->returns = cn_alloc(count * sizeof *w->returns);
  for (uint32_t b = 0; b < count; b++)
    stops[b] = path_ends_in_block(w, b, LLVMGetFirstInstruction(w->cfg->blocks[b].block));
  while (changed) {
    changed = false;
    for (uint32_t b = count; b-- > 0;) {
      bool now = !stops[b] && reaches_return_after_block(w, b);
      changed |= now != w->returns[b];
      w->returns[b] = now;
    }
  }
  free(stops);
}

void cn_unpolled_returns_free(struct cn_unpolled_returns *w)
{
  free(w->returns);
}

bool cn_unpolled_return_after_call(const struct cn_unpolled_returns *w, uint32_t b, LLVMValueRef call)
{
  LLVMValueRef next = LLVMGetNextInstruction(call);

  CN_ASSERT(cn_is_call(call));
  return !(next && path_ends_in_block(w, b, next)) && reaches_return_after_block(w, b);
}
