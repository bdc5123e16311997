/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains a stale value by the safepoint that made it stale, and by the path from this safepoint to the use. Needs:
 * struct cn_value_states. Provides: struct cn_stale_witness (verify.h). Breaks: nothing.
 *
 * Phis, selects and GEPs may have passed on a stale value after the safepoint. The search goes back over these
 * instructions, one leg per value, until a leg has a safepoint between the value's definition and its use. Each leg is
 * a shortest path.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* The maximum number of legs of a search. */
#define MAX_WITNESS_LEGS 64

/* Search backwards from `from` to the start of its block. True if a statepoint or `def` ends the leg. */
static bool scan_back_for_statepoint(LLVMValueRef from, LLVMValueRef def, LLVMValueRef *statepoint)
{
  for (LLVMValueRef i = from; i; i = LLVMGetPreviousInstruction(i)) {
    if (i == def)
      return true;
    if (cn_classify_call(i).kind == CN_CALL_STATEPOINT) {
      *statepoint = i;
      return true;
    }
  }
  return false;
}

/* A leg of the path, found by a breadth-first search against the control flow. */
struct path_leg {
  const struct cn_cfg *cfg;
  LLVMValueRef def;
  uint32_t *next; /* for each block, 1 + the next block on the path to the use; 0 if unseen */
  CN_VECTOR(uint32_t) queue;
  LLVMValueRef statepoint; /* found, or null */
  uint32_t from, to;       /* the block at the leg's start, and the block of the use */
};

/* Find a statepoint between the value's definition and its use just after `last` in block `to`. */
static void search_statepoint(struct path_leg *leg, LLVMValueRef last)
{
  uint32_t def = LLVMIsAInstruction(leg->def) ? cn_cfg_index_of(leg->cfg, LLVMGetInstructionParent(leg->def)) : 0;

  CN_CHECK(def != CN_NO_BLOCK && leg->to < leg->cfg->count);
  leg->from = def;
  if (last && scan_back_for_statepoint(last, leg->def, &leg->statepoint)) {
    leg->from = leg->to;
    return;
  }
  cn_push(&leg->queue, leg->to);
  for (size_t at = 0; at < leg->queue.count && !leg->statepoint; at++) {
    const struct cn_cfg_block *block = &leg->cfg->blocks[leg->queue.at[at]];
    for (uint32_t p = 0; p < block->pred_count && !leg->statepoint; p++) {
      uint32_t pred = block->preds[p];
      if (leg->next[pred])
        continue;
      leg->next[pred] = leg->queue.at[at] + 1;
      LLVMValueRef end = LLVMGetBasicBlockTerminator(leg->cfg->blocks[pred].block);
      if (!scan_back_for_statepoint(end, leg->def, &leg->statepoint))
        cn_push(&leg->queue, pred);
      else if (leg->statepoint)
        leg->from = pred;
    }
  }
}

/* Append the blocks of an earlier leg to the path, which is in reverse order. */
static void add_leg(struct cn_stale_witness *witness, const struct path_leg *leg)
{
  CN_VECTOR(LLVMBasicBlockRef) path = {0};
  uint32_t b = leg->from;

  cn_push(&path, leg->cfg->blocks[b].block);
  while ((b != leg->to || path.count == 1) && leg->next[b]) {
    b = leg->next[b] - 1;
    cn_push(&path, leg->cfg->blocks[b].block);
  }
  for (size_t i = path.count; i-- > 0;)
    if (witness->blocks.count == 0 || witness->blocks.at[witness->blocks.count - 1] != path.at[i])
      cn_push(&witness->blocks, path.at[i]);
  cn_free(&path);
}

/* The operand that is already stale at its use by `i`, or null. The place of this use goes to *last and *b. */
static LLVMValueRef stale_operand_of(const struct cn_verifier *v, LLVMValueRef i, LLVMValueRef *last, uint32_t *b)
{
  if (LLVMIsAPHINode(i)) {
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
      uint32_t from = cn_cfg_index_of(&v->cfg, LLVMGetIncomingBlock(i, k));
      struct cn_stale_state stale = cn_values_state_of(&v->values, LLVMGetIncomingValue(i, k));
      if (from == CN_NO_BLOCK || cn_values_is_valid_at(&stale, v->epochs.out[from]))
        continue;
      *b = from;
      *last = LLVMGetBasicBlockTerminator(v->cfg.blocks[from].block);
      return LLVMGetIncomingValue(i, k);
    }
    return NULL;
  }
  *last = LLVMGetPreviousInstruction(i);
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    struct cn_stale_state stale = cn_values_state_of(&v->values, LLVMGetOperand(i, (unsigned)o));
    if (!cn_values_is_valid_at(&stale, cn_epoch_at(&v->epochs, i)))
      return LLVMGetOperand(i, (unsigned)o);
  }
  return NULL;
}

static void reverse_blocks(struct cn_stale_witness *witness)
{
  for (size_t i = 0, j = witness->blocks.count; i + 1 < j; i++) {
    LLVMBasicBlockRef block = witness->blocks.at[i];
    witness->blocks.at[i] = witness->blocks.at[--j];
    witness->blocks.at[j] = block;
  }
}

void cn_witness_find(struct cn_stale_witness *witness, const struct cn_verifier *v, LLVMValueRef value,
                     LLVMValueRef last, uint32_t b)
{
  CN_CHECK(b < v->cfg.count);
  *witness = (struct cn_stale_witness){.origin = value};
  for (int depth = 0; depth < MAX_WITNESS_LEGS; depth++) {
    struct path_leg leg = {.cfg = &v->cfg, .def = value, .to = b};
    leg.next = cn_alloc(v->cfg.count * sizeof *leg.next);
    search_statepoint(&leg, last);
    add_leg(witness, &leg);
    free(leg.next);
    cn_free(&leg.queue);
    witness->origin = value;
    witness->statepoint = leg.statepoint;
    if (leg.statepoint || !LLVMIsAInstruction(value) || !cn_values_only_propagates(value))
      break;
    b = cn_cfg_index_of(&v->cfg, LLVMGetInstructionParent(value));
    LLVMValueRef next = stale_operand_of(v, value, &last, &b);
    if (!next)
      break;
    value = next;
  }
  CN_CHECK(witness->blocks.count);
  reverse_blocks(witness);
}

void cn_witness_free(struct cn_stale_witness *witness)
{
  cn_free(&witness->blocks);
}
