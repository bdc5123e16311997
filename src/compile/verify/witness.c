/* SPDX-License-Identifier: Apache-2.0
 *
 * How a value went stale: which safepoint it did not survive, and the way from there to the use.
 * Needs: struct cn_values. Provides: struct cn_witness (verify.h). Breaks: nothing.
 *
 * A stale value may have been handed on through phis, selects and GEPs since. The trail goes back
 * over these, one leg per value, until on some leg a safepoint lies between where the value was
 * made and where it is read; each leg is a shortest path.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* Values that a trail goes back over. */
#define LEG_LIMIT 64

/* Look back from `from` in its block for a statepoint or for `def`. True: that ends the leg. */
static bool scan_back(LLVMValueRef from, LLVMValueRef def, LLVMValueRef *statepoint)
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

/* One leg, searched backwards: breadth first, `next` leads on towards the use. */
struct leg {
  const struct cn_cfg *cfg;
  LLVMValueRef def;
  uint32_t *next; /* by block: the block after it on the way to the use, and 1; 0: not seen */
  CN_VECTOR(uint32_t) queue;
  LLVMValueRef statepoint; /* found, or null */
  uint32_t from, to;       /* where the leg starts, and where the value is read */
};

/* Find a statepoint between the definition and just after `last` in block `to`, or else the
 * definition. */
static void search(struct leg *leg, LLVMValueRef last)
{
  uint32_t def =
      LLVMIsAInstruction(leg->def) ? cn_cfg_index(leg->cfg, LLVMGetInstructionParent(leg->def)) : 0;

  leg->from = def;
  if (last && scan_back(last, leg->def, &leg->statepoint)) {
    leg->from = leg->to;
    return;
  }
  cn_push(&leg->queue, leg->to);
  for (size_t at = 0; at < leg->queue.count && !leg->statepoint; at++) {
    const struct cn_block *block = &leg->cfg->blocks[leg->queue.at[at]];
    for (uint32_t p = 0; p < block->pred_count && !leg->statepoint; p++) {
      uint32_t pred = block->preds[p];
      if (leg->next[pred])
        continue;
      leg->next[pred] = leg->queue.at[at] + 1;
      LLVMValueRef end = LLVMGetBasicBlockTerminator(leg->cfg->blocks[pred].block);
      if (!scan_back(end, leg->def, &leg->statepoint))
        cn_push(&leg->queue, pred);
      else if (leg->statepoint)
        leg->from = pred;
    }
  }
}

/* Put the leg before what the trail has already; the trail is kept backwards meanwhile. */
static void add_leg(struct cn_witness *trail, const struct leg *leg)
{
  CN_VECTOR(LLVMBasicBlockRef) way = {0};
  uint32_t b = leg->from;

  cn_push(&way, leg->cfg->blocks[b].block);
  while ((b != leg->to || way.count == 1) && leg->next[b]) {
    b = leg->next[b] - 1;
    cn_push(&way, leg->cfg->blocks[b].block);
  }
  for (size_t i = way.count; i-- > 0;)
    if (trail->blocks.count == 0 || trail->blocks.at[trail->blocks.count - 1] != way.at[i])
      cn_push(&trail->blocks, way.at[i]);
  cn_free(&way);
}

/* The operand through which `i` is stale although no statepoint follows it; its place goes to
 * *last and *b. */
static LLVMValueRef stale_operand(const struct cn_verifier *v, LLVMValueRef i, LLVMValueRef *last,
                                  uint32_t *b)
{
  if (LLVMIsAPHINode(i)) {
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
      uint32_t from = cn_cfg_index(&v->cfg, LLVMGetIncomingBlock(i, k));
      struct cn_stale stale = cn_values_of(&v->values, LLVMGetIncomingValue(i, k));
      if (from == CN_NO_BLOCK || cn_values_valid_at(&stale, v->epochs.out[from]))
        continue;
      *b = from;
      *last = LLVMGetBasicBlockTerminator(v->cfg.blocks[from].block);
      return LLVMGetIncomingValue(i, k);
    }
    return NULL;
  }
  *last = LLVMGetPreviousInstruction(i);
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    struct cn_stale stale = cn_values_of(&v->values, LLVMGetOperand(i, (unsigned)o));
    if (!cn_values_valid_at(&stale, cn_epochs_at(&v->epochs, i)))
      return LLVMGetOperand(i, (unsigned)o);
  }
  return NULL;
}

static void reverse(struct cn_witness *trail)
{
  for (size_t i = 0, j = trail->blocks.count; i + 1 < j; i++) {
    LLVMBasicBlockRef block = trail->blocks.at[i];
    trail->blocks.at[i] = trail->blocks.at[--j];
    trail->blocks.at[j] = block;
  }
}

void cn_witness_find(struct cn_witness *trail, const struct cn_verifier *v, LLVMValueRef value,
                     LLVMValueRef last, uint32_t b)
{
  *trail = (struct cn_witness){.origin = value};
  for (int depth = 0; depth < LEG_LIMIT; depth++) {
    struct leg leg = {.cfg = &v->cfg, .def = value, .to = b};
    leg.next = cn_alloc(v->cfg.count * sizeof *leg.next);
    search(&leg, last);
    add_leg(trail, &leg);
    free(leg.next);
    cn_free(&leg.queue);
    trail->origin = value;
    trail->statepoint = leg.statepoint;
    if (leg.statepoint || !LLVMIsAInstruction(value) || !cn_values_hands_on(value))
      break;
    b = cn_cfg_index(&v->cfg, LLVMGetInstructionParent(value));
    LLVMValueRef next = stale_operand(v, value, &last, &b);
    if (!next)
      break;
    value = next;
  }
  reverse(trail);
}

void cn_witness_free(struct cn_witness *trail)
{
  cn_free(&trail->blocks);
}
