/* SPDX-License-Identifier: Apache-2.0
 *
 * Peels searches: a small loop with several exits that stays rolled gets a copy of its body before it, which makes the
 * first iteration without a poll. Many searches end there: a chain or a probe sequence of a hash table has few entries.
 * A search that ends in its first iteration runs as many instructions as in plain C, because the code generator saves
 * registers and aligns the stack only before the loop. Part of pass `place-safepoints`.
 *
 *   before:  head':  (the first iteration)              head:  phi [.., head'], [.., latch]
 *            ...                                               ...
 *            latch': br (..), head, exit                latch: poll; br (..), head, exit
 *
 * Needs: struct cn_loops with costs for the choice, LCSSA form for the copy. Provides: struct cn_peeled_loop, the
 * choice; the copy. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/loop_forms.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/cost/cost.h"

/* The most instructions of a loop that is peeled. */
#define MAX_PEELED_INSTRUCTIONS 24

/* True if edges into the header can be redirected; edges of computed jumps cannot be redirected. */
static bool has_redirectable_edges(const struct cn_cfg *cfg, uint32_t header)
{
  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[cfg->blocks[header].preds[p]].block);
    if (!cn_is_branch(end) && !LLVMIsASwitchInst(end))
      return false;
  }
  return true;
}

/* True if the loop has several exits, or one exit for several reasons, and so is a search rather than a walk. */
static bool is_search(const struct cn_loops *loops, uint32_t loop)
{
  const struct cn_loop *l = &loops->at[loop];

  if (l->exits != 1)
    return l->exits > 1;
  for (uint32_t b = 0; b < l->count; b++) {
    const struct cn_cfg_block *block = &loops->cfg->blocks[l->blocks[b]];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
    for (uint32_t s = 0; s < block->succ_count; s++)
      if (!cn_loop_contains_block(loops, loop, block->succs[s]))
        return cn_is_branch(end) && LLVMIsConditional(end) &&
               (LLVMIsASelectInst(LLVMGetCondition(end)) || LLVMIsABinaryOperator(LLVMGetCondition(end)));
  }
  return false;
}

bool cn_peel_is_worth(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, struct cn_peeled_loop *out)
{
  const struct cn_loop *l = &loops->at[loop];

  if (ctx->options->opt_level < 3 || l->inner || l->irreducible || !is_search(loops, loop) ||
      cn_clone_size(loops, loop, MAX_PEELED_INSTRUCTIONS) > MAX_PEELED_INSTRUCTIONS ||
      !has_redirectable_edges(loops->cfg, l->header))
    return false;
  out->count = l->count;
  out->blocks = cn_alloc(l->count * sizeof(LLVMBasicBlockRef));
  for (uint32_t b = 0; b < l->count; b++)
    out->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  return true;
}

/* Give each phi of the header a copy with the values on entry. */
static void build_entry_phis(LLVMBasicBlockRef header, struct cn_clone *clone)
{
  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    LLVMPositionBuilderAtEnd(clone->builder, cn_clone_of_block(clone, header));
    LLVMValueRef first = cn_build_phi_like(clone->builder, phi, "first");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, k);
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
      if (!cn_clone_has(clone, from))
        LLVMAddIncoming(first, &value, &from, 1);
    }
    CN_CHECK(LLVMCountIncoming(first));
    cn_clone_set_copy(clone, phi, first);
  }
}

/* Let the back edges of the copy enter the loop. */
static void redirect_back_edges(const struct cn_peeled_loop *p, const struct cn_clone *clone)
{
  LLVMBasicBlockRef header = p->blocks[0], first = cn_clone_of_block(clone, header);
  unsigned kind = LLVMGetMDKindIDInContext(clone->ctx->llvm, "llvm.loop", 9);

  for (uint32_t b = 0; b < p->count; b++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cn_clone_of_block(clone, p->blocks[b]));
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
      if (LLVMGetSuccessor(end, s) == first) {
        LLVMSetSuccessor(end, s, header);
        LLVMSetMetadata(end, kind, NULL);
      }
  }
}

/* Build a phi of the header that has the values of the copy's back edges in place of the values on entry. */
static LLVMValueRef build_phi_after_copy(const struct cn_clone *clone, LLVMValueRef phi)
{
  LLVMPositionBuilderBeforeInstrAndDbgRecords(clone->builder, phi);
  LLVMValueRef fresh = cn_build_phi_like(clone->builder, phi, "");

  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, k);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
    if (!cn_clone_has(clone, from))
      continue;
    LLVMAddIncoming(fresh, &value, &from, 1);
    value = cn_clone_of(clone, value);
    from = cn_clone_of_block(clone, from);
    LLVMAddIncoming(fresh, &value, &from, 1);
  }
  return fresh;
}

void cn_peel_loop(struct cn_ctx *ctx, const struct cn_peeled_loop *p)
{
  LLVMBasicBlockRef header = p->blocks[0];
  LLVMValueRef function = LLVMGetBasicBlockParent(header);
  const struct cn_step_loop_claim is = {.header = header, .blocks = p->count};
  struct cn_clone clone;
  struct cn_ptrmap kept = {0};

  CN_CHECK(p->count);
  cn_step_check_before(ctx, function, "peeling", &is, 1);
  cn_loop_drop_noalias_scopes(p->blocks, p->count);
  cn_clone_begin(&clone, ctx, p->blocks, p->count, header);
  build_entry_phis(header, &clone);
  cn_clone_fill(&clone);
  for (uint32_t b = 0; b < p->count; b++)
    cn_ptrmap_add(&kept, p->blocks[b], NULL);
  cn_redirect_incoming_edges(header, cn_clone_of_block(&clone, header), &kept);
  redirect_back_edges(p, &clone);
  cn_clone_replace_phis(&clone, header, build_phi_after_copy);
  cn_step_check_after(ctx, function, "peeling", &is, 1);
  cn_ptrmap_free(&kept);
  cn_clone_end(&clone);
}
