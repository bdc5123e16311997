/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits vectors of references, and first-class aggregates that hold references, if they are live over a parse point.
 * Part of rewrite-statepoints. A vector or aggregate is split into scalars directly after its definition and rebuilt
 * directly before each use, so that only scalars are relocated (LLVM's own pass leaves aggregates unrelocated:
 * docs/llvm-22.md, "aggregates").
 *
 * A value that the function itself builds (insertvalue, phi, shufflevector, ...) is not split: its *parts*
 * (aggregates_parts.c) are the values that it was built from, so that bases can be found through it.
 *
 * Needs: struct cn_refs with liveness. Provides: only scalar references cross parse points, and the operand of each
 * extract of a reference comes from memory or another function. Breaks: struct cn_refs, if the function changed.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/rewrite/values/aggregates.h"

static bool is_crossing_parse_point(const struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  uint32_t index = cn_refs_index(s->refs, value);

  return index != CN_NO_INDEX && s->refs->values.at[index].cross_count > 0;
}

/* True for a phi in a pad, which is always split, because an unwind edge has no place to rebuild a value. */
static bool is_phi_in_pad(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) && cn_is_exception_pad(LLVMGetInstructionParent(value));
}

static LLVMValueRef build_lane_choice(struct cn_aggregate_splitter *s, LLVMValueRef extract_element)
{
  struct cn_aggregate_parts lanes = cn_parts_of(s, LLVMGetOperand(extract_element, 0));
  LLVMValueRef index = LLVMGetOperand(extract_element, 1);

  if (LLVMIsAConstantInt(index)) {
    uint64_t i = LLVMConstIntGetZExtValue(index);
    return i < lanes.count ? lanes.at[i] : LLVMConstNull(LLVMTypeOf(extract_element));
  }
  cn_parts_set_insertion_point(s, extract_element);
  CN_CHECK(lanes.count > 0);
  LLVMValueRef picked = lanes.at[0];
  for (uint32_t i = 1; i < lanes.count; i++)
    picked = LLVMBuildSelect(s->builder, cn_parts_build_index_test(s, index, i), lanes.at[i], picked, "");
  return picked;
}

/* Replace the extract `value` of a reference by a part of its operand, if the function built the operand or if the
 * operand crosses. */
static bool replace_extract_by_part(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  bool element = LLVMIsAExtractElementInst(value);

  if (!cn_is_ref(LLVMTypeOf(value)) || (!element && !LLVMIsAExtractValueInst(value)))
    return false;
  LLVMValueRef whole = LLVMGetOperand(value, 0);
  if (cn_parts_have_unknown_origin(whole) && !is_crossing_parse_point(s, whole))
    return false;
  LLVMValueRef part =
      element ? build_lane_choice(s, value) : cn_parts_of(s, whole).at[cn_parts_first_of_component(value)];
  if (part == value) /* an extract that extract_parts() built */
    return false;
  CN_CHECK(LLVMTypeOf(part) == LLVMTypeOf(value));
  cn_ptrmap_add(&s->erased, value, NULL);
  LLVMReplaceAllUsesWith(value, part);
  cn_parts_delete_if_unused(s, value);
  return true;
}

static void join_parts_at_uses(struct cn_aggregate_splitter *s, const struct cn_ref_value *v)
{
  struct cn_aggregate_parts parts = cn_parts_of(s, v->value);
  LLVMValueRef on_edge = NULL;
  uint32_t edge_block = CN_NO_INDEX;

  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++) {
    const struct cn_ref_use *use = &s->refs->uses.at[u];
    bool phi = LLVMIsAPHINode(use->user);
    uint32_t at = 0;
    if (cn_ptrmap_find(&s->erased, use->user))
      continue;
    LLVMBasicBlockRef block = s->refs->cfg->blocks[use->block].block;
    cn_parts_set_insertion_point(s, phi ? LLVMGetBasicBlockTerminator(block) : use->user);
    LLVMValueRef whole =
        phi && edge_block == use->block ? on_edge : cn_parts_build_aggregate(s, LLVMTypeOf(v->value), parts.at, &at);
    if (phi) {
      on_edge = whole;
      edge_block = use->block;
    }
    CN_CHECK(LLVMTypeOf(whole) == LLVMTypeOf(v->value));
    LLVMSetOperand(use->user, use->operand, whole);
  }
}

/* Delete the list from its end, so that outer values go before the values in them. */
static void delete_dead_values(struct cn_aggregate_splitter *s)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (size_t i = s->dead.count; i-- > 0;)
      if (s->dead.at[i] && !LLVMGetFirstUse(s->dead.at[i])) {
        LLVMInstructionEraseFromParent(s->dead.at[i]);
        s->dead.at[i] = NULL;
        changed = true;
      }
  }
}

static void finish_aggregate_split(struct cn_aggregate_splitter *s)
{
  cn_parts_fill_phis(s);
  CN_ASSERT(s->todo.count == 0);
  delete_dead_values(s);
  for (size_t i = 0; i < s->parts.count; i++)
    free(s->parts.at[i].at);
  cn_free(&s->parts);
  cn_free(&s->phis);
  cn_free(&s->todo);
  cn_free(&s->dead);
  cn_ptrmap_free(&s->split);
  cn_ptrmap_free(&s->mortal);
  cn_ptrmap_free(&s->erased);
  LLVMDisposeBuilder(s->builder);
}

bool cn_aggregates_split(struct cn_ctx *ctx, const struct cn_refs *refs)
{
  struct cn_aggregate_splitter s = {.ctx = ctx, .refs = refs, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  bool changed = false;

  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
  for (size_t v = 0; v < refs->values.count; v++)
    changed |= replace_extract_by_part(&s, refs->values.at[v].value);
  for (size_t v = 0; v < refs->values.count; v++)
    if (!refs->values.at[v].scalar && (refs->values.at[v].cross_count || is_phi_in_pad(refs->values.at[v].value))) {
      join_parts_at_uses(&s, &refs->values.at[v]);
      changed = true;
    }
  finish_aggregate_split(&s);
  return changed;
}
