/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares the exceptional edges of parse points. Part of rewrite-statepoints. Demotes values that are live into the
 * unwind destination of an invoke (demote.c), so that the pad's code reads its references from the frame. A gc.relocate
 * in the destination would need a landing pad of type token, which returns no values (token_pads.c makes such pads);
 * LLVM forbids a gc.relocate in a funclet (docs/llvm-22.md, "unwind edges").
 *
 * Needs: struct cn_refs. Provides: references are live into pads in memory only (cn_unwind_wrong()); normal
 * destinations of invokes have space for results. Breaks: struct cn_refs; the splitting of edges also breaks struct
 * cn_cfg, and erases phis of references with one input in pads (pad_phis.c needs this).
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/rewrite/frame/frame.h"

/* ---- pads ---- */

LLVMValueRef cn_unwind_pad_of(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsALandingPadInst(i) || LLVMIsAFuncletPadInst(i) || LLVMIsACatchSwitchInst(i) ? i : NULL;
}

bool cn_unwind_is_token_pad(LLVMValueRef pad)
{
  return pad && LLVMIsALandingPadInst(pad) && LLVMGetTypeKind(LLVMTypeOf(pad)) == LLVMTokenTypeKind;
}

/* ---- normal destinations ---- */

struct edge_splitter {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  struct cn_ptrmap between;        /* block of an invoke -> the new block on its normal edge */
  struct cn_ptrmap renamed;        /* members of `to` */
  CN_VECTOR(LLVMBasicBlockRef) to; /* targets of split edges, whose phis still name the blocks of the invokes */
};

/* True if `block` has phis, or an incoming edge besides the normal edge of one invoke. */
static bool is_shared_or_has_phis(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

  return LLVMGetNextUse(use) || LLVMIsAPHINode(LLVMGetFirstInstruction(block));
}

static void split_edge(struct edge_splitter *edges, LLVMValueRef invoke)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(invoke), to = LLVMGetNormalDest(invoke);
  LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(edges->ctx->llvm, to, "");
  bool fresh;

  CN_ASSERT(LLVMIsAInvokeInst(invoke));
  LLVMPositionBuilderAtEnd(edges->builder, between);
  LLVMSetCurrentDebugLocation2(edges->builder, LLVMInstructionGetDebugLoc(invoke));
  LLVMBuildBr(edges->builder, to);
  LLVMSetNormalDest(invoke, between);
  *cn_ptrmap_add(&edges->between, from, NULL) = (uintptr_t)between;
  cn_ptrmap_add(&edges->renamed, to, &fresh);
  if (fresh)
    cn_push(&edges->to, to);
}

/* LLVM-C cannot rename the incoming blocks of a phi, so a new phi replaces `phi`. */
static void rename_incoming(LLVMBuilderRef builder, const struct cn_ptrmap *to, LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, phi);
  LLVMValueRef renamed = cn_build_phi_like(builder, phi, "");
  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, n);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
    const uint64_t *between = cn_ptrmap_find(to, block);
    if (between)
      block = (LLVMBasicBlockRef)(uintptr_t)*between;
    LLVMAddIncoming(renamed, &value, &block, 1);
  }
  cn_emit_replace_instruction(phi, renamed);
}

void cn_unwind_rename_phi_inputs(LLVMBuilderRef builder, const struct cn_ptrmap *to, LLVMBasicBlockRef block)
{
  LLVMValueRef next;

  for (LLVMValueRef phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    rename_incoming(builder, to, phi);
  }
}

static void fold_single_input_phis(LLVMBasicBlockRef pad)
{
  LLVMValueRef next;

  for (LLVMValueRef phi = LLVMGetFirstInstruction(pad); LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    if (!cn_holds_ref(LLVMTypeOf(phi)) || LLVMCountIncoming(phi) != 1 || LLVMGetIncomingValue(phi, 0) == phi)
      continue;
    LLVMReplaceAllUsesWith(phi, LLVMGetIncomingValue(phi, 0));
    LLVMInstructionEraseFromParent(phi);
  }
}

void cn_unwind_split_edges(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct edge_splitter edges = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function) {
    if (LLVMIsAPHINode(LLVMGetFirstInstruction(b)) && cn_is_exception_pad(b))
      fold_single_input_phis(b);
    LLVMValueRef invoke = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAInvokeInst(invoke))
      continue;
    bool wrapped = cn_classify_call(invoke).kind == CN_CALL_PARSE_POINT;
    if ((wrapped || cn_holds_ref(LLVMTypeOf(invoke))) && is_shared_or_has_phis(LLVMGetNormalDest(invoke)))
      split_edge(&edges, invoke);
  }
  for (size_t i = 0; i < edges.to.count; i++)
    cn_unwind_rename_phi_inputs(edges.builder, &edges.between, edges.to.at[i]);
  cn_ptrmap_free(&edges.between);
  cn_ptrmap_free(&edges.renamed);
  cn_free(&edges.to);
  LLVMDisposeBuilder(edges.builder);
}

/* ---- values that are live into pads ---- */

struct reference_list {
  CN_VECTOR(LLVMValueRef) values;
};

uint32_t cn_unwind_point_crossed_by(struct cn_live_range *range, const struct cn_refs *refs, const uint32_t *pads,
                                    uint32_t value)
{
  const struct cn_ref_value *v = &refs->values.at[value];
  bool ranged = false;

  CN_ASSERT((size_t)v->cross + v->cross_count <= refs->crossings.count);
  for (uint32_t c = v->cross; c < v->cross + v->cross_count; c++) {
    uint32_t point = refs->crossings.at[c], pad = pads[point];
    if (pad == CN_NO_BLOCK)
      continue;
    if (!ranged)
      cn_live_range(range, refs, value);
    ranged = true;
    if (range->in[pad] == range->stamp)
      return point;
  }
  return CN_NO_INDEX;
}

uint32_t *cn_unwind_find_pads(const struct cn_refs *refs)
{
  uint32_t *pads = cn_alloc(refs->points.count * sizeof *pads);
  bool any = false;

  for (size_t p = 0; p < refs->points.count; p++) {
    LLVMValueRef call = refs->points.at[p].call;
    bool unwinds = LLVMIsAInvokeInst(call);
    pads[p] = unwinds ? cn_cfg_index_of(refs->cfg, LLVMGetUnwindDest(call)) : CN_NO_BLOCK;
    any |= unwinds;
  }
  if (any)
    return pads;
  free(pads);
  return NULL;
}

const char *cn_unwind_wrong(const struct cn_refs *refs)
{
  uint32_t *pads = cn_unwind_find_pads(refs);
  struct cn_live_range range;
  bool wrong = false;

  if (!pads)
    return NULL;
  for (size_t p = 0; p < refs->points.count; p++)
    if (pads[p] != CN_NO_BLOCK && cn_unwind_is_token_pad(cn_unwind_pad_of(refs->cfg->blocks[pads[p]].block)))
      pads[p] = CN_NO_BLOCK; /* a pad of type token relocates its references */
  cn_live_range_init(&range, refs->cfg);
  for (uint32_t v = 0; v < refs->values.count && !wrong; v++)
    wrong = cn_unwind_point_crossed_by(&range, refs, pads, v) != CN_NO_INDEX;
  cn_live_range_free(&range);
  free(pads);
  return wrong ? "unwind: a reference lives into a pad over a parse point" : NULL;
}

/* Find the values that are live into pads; the caller needs the bases of these values only. */
static void find_values_live_into_pads(struct cn_refs *refs, const uint32_t *pads, struct reference_list *unwound)
{
  struct cn_live_range range;

  cn_liveness_compute(refs);
  cn_live_range_init(&range, refs->cfg);
  for (uint32_t v = 0; v < refs->values.count; v++) {
    struct cn_ref_value *value = &refs->values.at[v];
    if (value->scalar && cn_unwind_point_crossed_by(&range, refs, pads, v) != CN_NO_INDEX)
      cn_push(&unwound->values, value->value);
    else
      value->cross_count = 0;
  }
  cn_live_range_free(&range);
}

bool cn_unwind_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored)
{
  struct reference_list unwound = {0};
  uint32_t *pads = cn_unwind_find_pads(refs);

  if (!pads)
    return false;
  cn_refs_leave_out_dead_values(refs);
  find_values_live_into_pads(refs, pads, &unwound);
  free(pads);
  cn_refs_find_bases(refs);
  uint64_t *chosen = cn_alloc(CN_BITSET_WORDS(refs->values.count) * sizeof *chosen);
  for (size_t i = 0; i < unwound.values.count; i++) {
    uint32_t index = cn_refs_index(refs, unwound.values.at[i]);
    CN_CHECK(index != CN_NO_INDEX);
    uint32_t base = refs->values.at[index].base;
    if (base != CN_NO_INDEX)
      cn_bitset_add(chosen, base);
  }
  cn_demote(ctx, refs, chosen, stored);
  free(chosen);
  cn_free(&unwound.values);
  return true;
}
