/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocation by direct SSA construction. After a parse point that a value crosses, the value is
 * the relocate of that parse point; every use is rewritten to the definition that reaches it,
 * with phis exactly where different ones meet. Relocates and phis are made when something reads
 * them, so none is dead. Value by value, in time linear in the live range.
 *
 * Needs: statepoints emitted with their live sets, bases attached. Provides: SSA form in which
 * no use sees a reference from before a safepoint. Breaks: struct cn_refs (uses are outdated).
 *
 * M. Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013)
 * for the idea of making definitions on demand; the phis' places are minimal by sources.c.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/rewrite.h"

/* The last copies that were made of constant GEPs: uses close together share one. */
struct copy {
  uint32_t block, number;
  LLVMValueRef value;
};

/* One value's definitions, numbered as sources.c wants: 1 the original, 2.. its relocates in the
 * order of its crossings, then what enters each block of its live range. */
struct web {
  struct cn_emitter *emitter;
  struct cn_refs *refs;
  struct cn_live_range range;
  uint32_t *crossed, *last_cross; /* per block: if crossed == range.stamp, its last crossing */
  const struct cn_ref_value *v;
  uint32_t value, sources;
  /* sources.c's answer per block of the range; null if nothing was crossed before it */
  uint32_t *top;
  LLVMValueRef *made;      /* per number */
  uint32_t room;           /* of `made` */
  CN_VECTOR(uint32_t) todo; /* nodes whose phi has no operands yet */
  CN_VECTOR(struct copy) copies;
};

static const struct cn_parse_point *crossing(const struct web *web, uint32_t i)
{
  return &web->refs->points.at[web->refs->crossings.at[web->v->cross + i]];
}

static uint32_t at_end(const struct web *web, uint32_t block)
{
  if (web->crossed[block] == web->range.stamp)
    return 2 + web->last_cross[block];
  if (block == web->v->block)
    return 1;
  CN_CHECK(web->range.in[block] == web->range.stamp);
  return web->sources + 1 + web->range.slot[block];
}

static uint32_t resolve(const struct web *web, uint32_t number)
{
  return number > web->sources ? web->top[number - web->sources - 1] : number;
}

/* The number of the definition that is read at a position. */
static uint32_t reaching(const struct web *web, uint32_t block, uint32_t pos)
{
  uint32_t low = 0, high = web->v->cross_count;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (crossing(web, middle)->pos < pos)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && crossing(web, low - 1)->block == block)
    return 2 + low - 1;
  if (block == web->v->block)
    return 1;
  CN_CHECK(web->range.in[block] == web->range.stamp);
  return resolve(web, web->sources + 1 + web->range.slot[block]);
}

static LLVMValueRef make_phi(struct web *web, uint32_t node)
{
  LLVMBuilderRef builder = cn_emitter_builder(web->emitter);
  LLVMBasicBlockRef block = web->refs->cfg->blocks[web->range.blocks.at[node]].block;
  size_t length;

  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, LLVMGetFirstInstruction(block));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMGetValueName2(web->v->value, &length);
  bool named = length > 0 && cn_emitter_names(web->emitter);
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(web->v->value), named ? "moved" : "");
  cn_push(&web->todo, node);
  return phi;
}

static LLVMValueRef value_of(struct web *web, uint32_t number)
{
  if (number == 1)
    return web->v->value;
  if (!web->made[number]) {
    if (number <= web->sources) {
      uint32_t point = web->refs->crossings.at[web->v->cross + number - 2];
      web->made[number] = cn_emit_relocate(web->emitter, web->refs, point, web->value);
    } else {
      web->made[number] = make_phi(web, number - web->sources - 1);
    }
  }
  return web->made[number];
}

static void fill_phis(struct web *web)
{
  while (web->todo.count) {
    uint32_t node = web->todo.at[--web->todo.count];
    const struct cn_block *block = &web->refs->cfg->blocks[web->range.blocks.at[node]];
    LLVMValueRef phi = web->made[web->sources + 1 + node];
    for (uint32_t p = 0; p < block->pred_count; p++) {
      LLVMValueRef in = value_of(web, resolve(web, at_end(web, block->preds[p])));
      LLVMAddIncoming(phi, &in, &web->refs->cfg->blocks[block->preds[p]].block, 1);
    }
  }
}

/* Find out where phis belong. */
static void solve(struct web *web)
{
  uint32_t nodes = (uint32_t)web->range.blocks.count;
  const struct cn_block *blocks = web->refs->cfg->blocks;

  web->top = NULL;
  if (nodes == 0)
    return;
  uint32_t *first = cn_alloc((nodes + 1) * sizeof *first);
  uint32_t total = 0;

  for (uint32_t n = 0; n < nodes; n++) {
    first[n] = total;
    total += blocks[web->range.blocks.at[n]].pred_count;
  }
  first[nodes] = total;
  uint32_t *inputs = cn_alloc(total * sizeof *inputs);
  for (uint32_t n = 0; n < nodes; n++)
    for (uint32_t p = first[n]; p < first[n + 1]; p++)
      inputs[p] = at_end(web, blocks[web->range.blocks.at[n]].preds[p - first[n]]);
  web->top = cn_sources_solve(web->sources, nodes, first, inputs);
  free(inputs);
  free(first);
}

/* Where an instruction must stand to be ready when `use` reads it. */
static LLVMValueRef place_before(const struct web *web, const struct cn_ref_use *use)
{
  if (use->point != CN_NO_INDEX)
    return web->refs->points.at[use->point].call;
  if (LLVMIsAPHINode(use->user))
    return LLVMGetBasicBlockTerminator(web->refs->cfg->blocks[use->block].block);
  return use->user;
}

/* Compute constant GEP `value` again, from `root`. Its operand may have been rewritten already:
 * refs knows the chain as it was. */
static LLVMValueRef rematerialise(struct web *web, uint32_t value, LLVMValueRef root,
                                  LLVMValueRef before)
{
  LLVMBuilderRef builder = cn_emitter_builder(web->emitter);
  const struct cn_ref_value *gep = &web->refs->values.at[value];

  if (gep->from != web->value)
    root = rematerialise(web, gep->from, root, before);
  LLVMValueRef copy = LLVMInstructionClone(gep->value);
  LLVMSetOperand(copy, 0, root);
  LLVMPositionBuilderBefore(builder, before);
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

static void rewrite_use(struct web *web, const struct cn_ref_use *use, struct cn_ptrmap *copies_of)
{
  uint32_t number = reaching(web, use->block, use->pos);
  LLVMValueRef value;

  if (use->via == CN_NO_INDEX) {
    if (number == 1)
      return;
    value = value_of(web, number);
  } else {
    const struct cn_ref_value *gep = &web->refs->values.at[use->via];
    if (number == reaching(web, gep->block, gep->pos))
      return;
    bool fresh;
    uint64_t *slot = cn_ptrmap_add(copies_of, gep->value, &fresh);
    if (fresh) {
      *slot = web->copies.count;
      cn_push(&web->copies, (struct copy){.block = 0});
    }
    struct copy *copy = &web->copies.at[*slot];
    if (fresh || copy->block != use->block || copy->number != number)
      *copy = (struct copy){use->block, number,
                            rematerialise(web, use->via, value_of(web, number),
                                          place_before(web, use))};
    value = copy->value;
  }
  cn_set_use(web->refs, use, value);
}

static void rewrite_uses(struct web *web)
{
  struct cn_ptrmap copies_of = {0};

  web->copies.count = 0;
  for (uint32_t u = web->v->uses; u < web->v->uses + web->v->use_count; u++)
    rewrite_use(web, &web->refs->uses.at[u], &copies_of);
  cn_ptrmap_free(&copies_of);
}

static void clear_made(struct web *web)
{
  uint32_t count = web->sources + 1 + (uint32_t)web->range.blocks.count;

  if (count > web->room) {
    free(web->made);
    web->room = count + count / 2;
    web->made = cn_alloc(web->room * sizeof *web->made);
  } else {
    memset(web->made, 0, count * sizeof *web->made);
  }
}

static void relocate_value(struct web *web, uint32_t value)
{
  const struct cn_ref_value *v = &web->refs->values.at[value];

  web->v = v;
  web->value = value;
  web->sources = 1 + v->cross_count;
  cn_live_range(&web->range, web->refs, value);
  for (uint32_t i = 0; i < v->cross_count; i++) {
    uint32_t block = crossing(web, i)->block;
    web->crossed[block] = web->range.stamp;
    web->last_cross[block] = i;
  }
  clear_made(web);
  solve(web);
  for (uint32_t i = 0; i < v->cross_count; i++) {
    const struct cn_parse_point *point = crossing(web, i);
    uint32_t number = reaching(web, point->block, point->pos);
    cn_set_live(web->refs, web->refs->crossings.at[v->cross + i], value, value_of(web, number));
  }
  rewrite_uses(web);
  fill_phis(web);
  free(web->top);
}

void cn_relocate(struct cn_emitter *emitter, struct cn_refs *refs)
{
  struct web web = {.emitter = emitter, .refs = refs};

  cn_live_init(&web.range, refs->cfg);
  web.crossed = cn_alloc(2 * (size_t)refs->cfg->count * sizeof *web.crossed);
  web.last_cross = web.crossed + refs->cfg->count;
  for (uint32_t v = 0; v < refs->values.count; v++)
    if (refs->values.at[v].cross_count)
      relocate_value(&web, v);
  cn_free(&web.todo);
  cn_free(&web.copies);
  free(web.made);
  free(web.crossed);
  cn_live_free(&web.range);
}
