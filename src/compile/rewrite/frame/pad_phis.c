/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces phis of references at the head of pads. Part of rewrite-statepoints. A phi in a pad reads its operands on
 * unwind edges, which have no place for a relocate. The phi becomes a slot, which is stored before the instruction that
 * unwinds and loaded after the pad. A derived reference is stored as its base and its distance from the base; the
 * distance is an integer in a separate local.
 *
 * A block with a catchswitch has space for phis only. Stores at the end of a block with a catchswitch are made in the
 * predecessors of the block instead. The pads after a catchswitch copy the slots of its phis to further slots, which
 * later invokes leave unchanged; the uses of the phis read these further slots.
 *
 * Needs: struct cn_refs, phis with one input folded (cn_unwind_split_edges()). Provides: pads without phis of
 * references that may move. Breaks: struct cn_refs.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/lower/lower.h"
#include "compile/rewrite/frame/frame.h"

#define NO_SLOT UINT32_MAX

struct pad_phi {
  LLVMValueRef phi;
  uint32_t block;
  LLVMValueRef base;                /* the phi itself, another phi of pads, or a value that dominates the phi */
  LLVMValueRef after;               /* the instruction after the pad; null in a catchswitch's block */
  LLVMValueRef loaded;              /* the value that the phi's uses read; null in a catchswitch's block */
  bool in_switch;                   /* the block ends in a catchswitch */
  uint32_t slot, kept;              /* slots of a base: stored before unwinding, and after a catchswitch */
  uint32_t distance, kept_distance; /* slots of a distance: stored before unwinding, and after a catchswitch */
};

struct pad_phi_lowering {
  struct cn_ctx *ctx;
  const struct cn_refs *refs;
  LLVMBuilderRef builder;
  CN_VECTOR(struct pad_phi) phis;
  struct cn_ptrmap index; /* phi -> index of phis */
  uint32_t slot_count, distance_count;
  LLVMValueRef slots, distances; /* allocas */
  LLVMTypeRef word;
};

static bool ends_in_catchswitch(const struct cn_cfg *cfg, uint32_t block)
{
  CN_ASSERT(block < cfg->count);
  return LLVMIsACatchSwitchInst(LLVMGetBasicBlockTerminator(cfg->blocks[block].block));
}

static bool is_ref_phi(LLVMValueRef i)
{
  return LLVMIsAPHINode(i) && cn_is_ref(LLVMTypeOf(i));
}

/* ---- the phis ---- */

static bool has_ref_phi(LLVMBasicBlockRef pad)
{
  LLVMValueRef i = LLVMGetFirstInstruction(pad);

  while (LLVMIsAPHINode(i) && !is_ref_phi(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsAPHINode(i);
}

static bool has_pad_phis(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    if (cn_is_exception_pad(cfg->blocks[b].block) && has_ref_phi(cfg->blocks[b].block))
      return true;
  return false;
}

static void find_pad_phi_bases(struct cn_refs *refs)
{
  for (uint32_t b = 0; b < refs->cfg->count; b++) {
    if (!cn_is_exception_pad(refs->cfg->blocks[b].block))
      continue;
    LLVMValueRef i = LLVMGetFirstInstruction(refs->cfg->blocks[b].block);
    for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
      if (is_ref_phi(i))
        refs->values.at[cn_refs_index(refs, i)].cross_count = 1;
  }
  cn_refs_find_bases(refs);
}

static void add_pad_phi(struct pad_phi_lowering *pads, LLVMValueRef phi, uint32_t block)
{
  uint32_t base = pads->refs->values.at[cn_refs_index(pads->refs, phi)].base;
  struct pad_phi p = {.phi = phi,
                      .block = block,
                      .in_switch = ends_in_catchswitch(pads->refs->cfg, block),
                      .slot = NO_SLOT,
                      .kept = NO_SLOT,
                      .distance = NO_SLOT,
                      .kept_distance = NO_SLOT};

  if (base == CN_NO_INDEX)
    return;
  CN_CHECK(LLVMTypeOf(phi) == LLVMTypeOf(pads->refs->values.at[base].value));
  p.base = pads->refs->values.at[base].value;
  p.after = p.in_switch ? NULL : cn_insertion_point_after(phi);
  uint32_t *count = p.base == phi ? &pads->slot_count : &pads->distance_count;
  uint32_t first = (*count)++, second = p.in_switch ? (*count)++ : NO_SLOT;
  if (p.base == phi) {
    p.slot = first;
    p.kept = second;
  } else {
    p.distance = first;
    p.kept_distance = second;
  }
  *cn_ptrmap_add(&pads->index, phi, NULL) = pads->phis.count;
  cn_push(&pads->phis, p);
}

static struct pad_phi *pad_phi_of(struct pad_phi_lowering *pads, LLVMValueRef value)
{
  const uint64_t *index = cn_ptrmap_find(&pads->index, value);

  return index ? &pads->phis.at[*index] : NULL;
}

/* List bases first: a derived value is built after its base. */
static void gather_pad_phis(struct pad_phi_lowering *pads)
{
  const struct cn_cfg *cfg = pads->refs->cfg;

  for (int derived = 0; derived < 2; derived++)
    for (uint32_t b = 0; b < cfg->count; b++) {
      if (!cn_is_exception_pad(cfg->blocks[b].block))
        continue;
      LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block);
      for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        uint32_t index = is_ref_phi(i) ? cn_refs_index(pads->refs, i) : CN_NO_INDEX;
        if (index != CN_NO_INDEX && (pads->refs->values.at[index].base != index) == derived)
          add_pad_phi(pads, i, b);
      }
    }
}

/* ---- storing ---- */

static void set_insertion_point(struct pad_phi_lowering *pads, LLVMValueRef before)
{
  LLVMPositionBuilderBefore(pads->builder, before);
  LLVMSetCurrentDebugLocation2(pads->builder, LLVMInstructionGetDebugLoc(before));
}

static LLVMValueRef incoming_value_from(LLVMValueRef value, LLVMBasicBlockRef at, LLVMBasicBlockRef from)
{
  if (!LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != at)
    return value;
  for (unsigned n = 0; n < LLVMCountIncoming(value); n++)
    if (LLVMGetIncomingBlock(value, n) == from)
      return LLVMGetIncomingValue(value, n);
  CN_UNREACHABLE(); /* every edge has an operand */
}

static LLVMValueRef build_distance_between(struct pad_phi_lowering *pads, LLVMValueRef from, LLVMValueRef to)
{
  if (from == to)
    return LLVMConstInt(pads->word, 0, false);
  return cn_differences_build_distance(pads->ctx, pads->builder, to, from);
}

/* Store `value`, or its distance from `base`, into the slot of `p` at the end of block `from`. */
static void store_at_block_end(struct pad_phi_lowering *pads, const struct pad_phi *p, uint32_t from,
                               LLVMValueRef value, LLVMValueRef base)
{
  const struct cn_cfg_block *block = &pads->refs->cfg->blocks[from];

  if (ends_in_catchswitch(pads->refs->cfg, from)) {
    for (uint32_t i = 0; i < block->pred_count; i++) {
      LLVMBasicBlockRef pred = pads->refs->cfg->blocks[block->preds[i]].block;
      store_at_block_end(pads, p, block->preds[i], incoming_value_from(value, block->block, pred),
                         incoming_value_from(base, block->block, pred));
    }
    return;
  }
  set_insertion_point(pads, LLVMGetBasicBlockTerminator(block->block));
  if (p->slot != NO_SLOT)
    LLVMBuildStore(pads->builder, value, cn_demote_slot_address(pads->builder, pads->slots, p->slot));
  else
    LLVMBuildStore(pads->builder, build_distance_between(pads, base, value),
                   cn_demote_slot_address(pads->builder, pads->distances, p->distance));
}

/* The current base of `p`: its loaded value if the base is a replaced phi. */
static LLVMValueRef current_base_of(struct pad_phi_lowering *pads, const struct pad_phi *p)
{
  const struct pad_phi *base = pad_phi_of(pads, p->base);

  return base && base->loaded ? base->loaded : p->base;
}

static void store_phi_operands(struct pad_phi_lowering *pads, const struct pad_phi *p)
{
  const struct cn_cfg *cfg = pads->refs->cfg;
  LLVMBasicBlockRef block = cfg->blocks[p->block].block;
  bool here = LLVMIsAPHINode(p->base) && LLVMGetInstructionParent(p->base) == block;
  LLVMValueRef base = here ? p->base : current_base_of(pads, p);

  for (unsigned n = 0; n < LLVMCountIncoming(p->phi); n++) {
    LLVMBasicBlockRef pred = LLVMGetIncomingBlock(p->phi, n);
    LLVMValueRef value = LLVMGetIncomingValue(p->phi, n), start = base;
    if (here && LLVMGetIncomingBlock(base, n) == pred) /* phis of a block mostly list incoming blocks in one order */
      start = LLVMGetIncomingValue(base, n);
    else if (here)
      start = incoming_value_from(base, block, pred);
    store_at_block_end(pads, p, cn_cfg_index_of(cfg, pred), value, start);
  }
}

/* ---- loading ---- */

/* Load the value of `p` from the slot that is stored after a catchswitch (`kept`) or before unwinding. `base` is the
 * base of a derived value. */
static LLVMValueRef load_phi_value(struct pad_phi_lowering *pads, const struct pad_phi *p, LLVMValueRef base, bool kept)
{
  LLVMTypeRef bytes = LLVMInt8TypeInContext(pads->ctx->llvm);

  uint32_t slot = kept ? p->kept : p->slot;
  LLVMValueRef address;

  if (slot != NO_SLOT) {
    address = cn_demote_slot_address(pads->builder, pads->slots, slot);
    return LLVMBuildLoad2(pads->builder, LLVMTypeOf(p->phi), address, "");
  }
  slot = kept ? p->kept_distance : p->distance;
  CN_CHECK(slot != NO_SLOT);
  address = cn_demote_slot_address(pads->builder, pads->distances, slot);
  LLVMValueRef distance = LLVMBuildLoad2(pads->builder, pads->word, address, "");
  return LLVMBuildGEP2(pads->builder, bytes, base, &distance, 1, "");
}

static void replace_phi_uses(struct pad_phi_lowering *pads, struct pad_phi *p)
{
  set_insertion_point(pads, p->after);
  p->loaded = load_phi_value(pads, p, current_base_of(pads, p), false);
  LLVMReplaceAllUsesWith(p->phi, p->loaded);
}

/* In each pad after a catchswitch, copy the first slot of the phi to the slot that its uses read. */
static void copy_to_kept_slot(struct pad_phi_lowering *pads, const struct pad_phi *p)
{
  const struct cn_cfg_block *block = &pads->refs->cfg->blocks[p->block];
  bool base = p->slot != NO_SLOT;
  LLVMValueRef slots = base ? pads->slots : pads->distances;
  LLVMTypeRef type = base ? LLVMTypeOf(p->phi) : pads->word;

  for (uint32_t s = 0; s < block->succ_count; s++) {
    LLVMBasicBlockRef pad = pads->refs->cfg->blocks[block->succs[s]].block;
    LLVMValueRef at = LLVMGetFirstInstruction(pad);
    while (LLVMIsAPHINode(at))
      at = LLVMGetNextInstruction(at);
    set_insertion_point(pads, cn_insertion_point_after(at));
    LLVMValueRef from = cn_demote_slot_address(pads->builder, slots, base ? p->slot : p->distance);
    LLVMValueRef value = LLVMBuildLoad2(pads->builder, type, from, "");
    LLVMBuildStore(pads->builder, value,
                   cn_demote_slot_address(pads->builder, slots, base ? p->kept : p->kept_distance));
  }
}

static LLVMValueRef load_kept_value(struct pad_phi_lowering *pads, const struct pad_phi *p)
{
  const struct pad_phi *base = p->base == p->phi ? NULL : pad_phi_of(pads, p->base);

  return load_phi_value(pads, p, base && base->in_switch ? load_kept_value(pads, base) : current_base_of(pads, p),
                        true);
}

static void replace_catchswitch_phi_uses(struct pad_phi_lowering *pads, const struct pad_phi *p)
{
  CN_VECTOR(LLVMValueRef) users = {0}; /* a user with two uses is listed twice */

  CN_EACH_USE(use, p->phi)
    if (!pad_phi_of(pads, LLVMGetUser(use))) /* the phis are deleted after all stores are built */
      cn_push(&users, LLVMGetUser(use));
  for (size_t i = 0; i < users.count; i++) {
    LLVMValueRef user = users.at[i];
    unsigned operand = 0;
    while (LLVMGetOperand(user, operand) != p->phi)
      operand++;
    set_insertion_point(pads,
                        LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, operand)) : user);
    LLVMSetOperand(user, operand, load_kept_value(pads, p));
  }
  cn_free(&users);
}

/* ---- all ---- */

static void build_slot_allocas(struct pad_phi_lowering *pads)
{
  LLVMValueRef function = pads->refs->cfg->function;

  if (pads->slot_count)
    pads->slots = cn_demote_make_slots(pads->builder, function, LLVMTypeOf(pads->phis.at[0].phi), pads->slot_count);
  if (pads->distance_count)
    pads->distances = cn_demote_make_slots(pads->builder, function, pads->word, pads->distance_count);
}

static void replace_pad_phis(struct pad_phi_lowering *pads)
{
  for (size_t i = 0; i < pads->phis.count; i++)
    if (!pads->phis.at[i].in_switch)
      replace_phi_uses(pads, &pads->phis.at[i]);
  for (size_t i = 0; i < pads->phis.count; i++)
    store_phi_operands(pads, &pads->phis.at[i]);
  for (size_t i = 0; i < pads->phis.count; i++)
    if (pads->phis.at[i].in_switch) {
      copy_to_kept_slot(pads, &pads->phis.at[i]);
      replace_catchswitch_phi_uses(pads, &pads->phis.at[i]);
    }
  for (size_t i = 0; i < pads->phis.count; i++)
    LLVMReplaceAllUsesWith(pads->phis.at[i].phi, LLVMConstNull(LLVMTypeOf(pads->phis.at[i].phi)));
  for (size_t i = 0; i < pads->phis.count; i++)
    LLVMInstructionEraseFromParent(pads->phis.at[i].phi);
}

bool cn_pad_phis_replace(struct cn_ctx *ctx, struct cn_refs *refs)
{
  struct pad_phi_lowering pads = {.ctx = ctx, .refs = refs, .word = LLVMInt64TypeInContext(ctx->llvm)};

  if (!has_pad_phis(refs->cfg))
    return false;
  /* Leave out constants: the distance from a constant is an address, which changes when the object moves. */
  cn_refs_leave_out_dead_values(refs);
  find_pad_phi_bases(refs);
  pads.builder = LLVMCreateBuilderInContext(ctx->llvm);
  gather_pad_phis(&pads);
  if (pads.phis.count) {
    build_slot_allocas(&pads);
    replace_pad_phis(&pads);
  }
  cn_free(&pads.phis);
  cn_ptrmap_free(&pads.index);
  LLVMDisposeBuilder(pads.builder);
  return true;
}
