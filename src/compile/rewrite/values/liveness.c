/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the references that are live over parse points (late-insertion-slides-2014, "Finding references which need
 * relocated"). Part of rewrite-statepoints. For one value after the other, the search goes from each use back to the
 * definition, so the time is linear in the length of the live ranges, for any number of blocks and values.
 *
 * Needs: struct cn_refs. Provides: crossings and live sets. Breaks: nothing.
 *
 * B. Boissinot et al., "Computing Liveness Sets for SSA-Form Programs" (2011), section "use by use".
 */
#include "base/check.h"
#include "base/sorted.h"
#include "compile/rewrite/values/refs.h"

#include <stdlib.h>

void cn_live_range_init(struct cn_live_range *range, const struct cn_cfg *cfg)
{
  size_t n = cfg->count;
  uint32_t *all = cn_alloc(5 * n * sizeof *all);

  *range =
      (struct cn_live_range){.in = all, .out = all + n, .used = all + 2 * n, .last = all + 3 * n, .slot = all + 4 * n};
}

void cn_live_range_free(struct cn_live_range *range)
{
  cn_free(&range->blocks);
  free(range->in); /* one allocation for all five arrays */
}

static void add_live_in_block(struct cn_live_range *range, uint32_t block)
{
  if (range->in[block] == range->stamp)
    return;
  range->in[block] = range->stamp;
  cn_push(&range->blocks, block);
}

static void add_uses_to_range(struct cn_live_range *range, const struct cn_refs *refs, uint32_t of, uint32_t def_block)
{
  const struct cn_ref_value *v = &refs->values.at[of];

  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++) {
    const struct cn_ref_use *use = &refs->uses.at[u];
    uint32_t until = use->pos + use->after;
    if (range->used[use->block] != range->stamp || range->last[use->block] < until)
      range->last[use->block] = until;
    range->used[use->block] = range->stamp;
    if (use->block != def_block)
      add_live_in_block(range, use->block);
  }
}

static int compare_blocks(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return (x > y) - (x < y);
}

/* Add all blocks that the definition dominates: with CAIRN_RELOCATION_LIVENESS off, a value is live in all of them. An
 * invoke defines its value on the edge to its normal destination. */
static void add_dominated_blocks(struct cn_live_range *range, const struct cn_cfg *cfg, const struct cn_ref_value *v)
{
  uint32_t from = v->block;

  CN_CHECK(cfg->has_dominators);
  if (LLVMIsAInvokeInst(v->value)) {
    from = cn_cfg_index_of(cfg, LLVMGetNormalDest(v->value));
    CN_CHECK(from != CN_NO_BLOCK);
    if (cfg->blocks[from].pred_count > 1)
      return; /* an edge into a shared block dominates no block */
    add_live_in_block(range, from);
  }
  range->out[from] = range->stamp;
  for (uint32_t b = from + 1; b < cfg->count; b++)
    if (range->out[cfg->blocks[b].idom] == range->stamp) {
      range->out[b] = range->stamp;
      add_live_in_block(range, b);
    }
}

void cn_live_range(struct cn_live_range *range, const struct cn_refs *refs, uint32_t value)
{
  const struct cn_ref_value *v = &refs->values.at[value];

  CN_ASSERT(value < refs->values.count);
  range->stamp++;
  CN_CHECK(range->stamp != 0); /* stamp 0 would match unvisited blocks */
  range->blocks.count = 0;
  add_uses_to_range(range, refs, value, v->block);
  /* The list of a base has all values derived from it; the list of a derived value would have only the values after
   * it. */
  for (uint32_t d = v->base == value ? v->derived : CN_NO_INDEX; d != CN_NO_INDEX; d = refs->values.at[d].derived)
    add_uses_to_range(range, refs, d, v->block);
  if (v->scalar && v->root == value && !cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_LIVENESS))
    add_dominated_blocks(range, refs->cfg, v);
  for (size_t i = 0; i < range->blocks.count; i++) {
    /* The definition's block dominates this block, so the definition's block has a smaller index. */
    CN_CHECK(range->blocks.at[i] > v->block);
    const struct cn_cfg_block *block = &refs->cfg->blocks[range->blocks.at[i]];
    for (uint32_t p = 0; p < block->pred_count; p++) {
      range->out[block->preds[p]] = range->stamp;
      if (block->preds[p] != v->block)
        add_live_in_block(range, block->preds[p]);
    }
  }
  if (range->blocks.count > 1)
    qsort(range->blocks.at, range->blocks.count, sizeof *range->blocks.at, compare_blocks);
  for (size_t i = 0; i < range->blocks.count; i++)
    range->slot[range->blocks.at[i]] = (uint32_t)i;
}

uint32_t cn_first_point_after(const struct cn_refs *refs, uint32_t block, uint32_t pos)
{
  uint32_t low = refs->first_point[block], high = refs->first_point[block + 1];

  CN_ASSERT(block < refs->cfg->count && low <= high);
  CN_BISECT(low, high, middle, refs->points.at[middle].pos <= pos);
  return low;
}

/* Record the parse points of `block` that `value` crosses. The value is defined in the block at `from`, or live-in if
 * `from` is CN_NO_INDEX. */
static void record_crossings_in_block(struct cn_refs *refs, const struct cn_live_range *range, uint32_t value,
                                      uint32_t block, uint32_t from)
{
  uint32_t until = 0;

  if (range->out[block] == range->stamp)
    until = UINT32_MAX;
  else if (range->used[block] == range->stamp)
    until = range->last[block];
  uint32_t first = from == CN_NO_INDEX ? refs->first_point[block] : cn_first_point_after(refs, block, from);
  for (uint32_t p = first; p < refs->first_point[block + 1]; p++) {
    struct cn_parse_point *point = &refs->points.at[p];
    if (point->pos >= until)
      break;
    cn_push(&point->live, value);
    cn_push(&refs->crossings, p);
  }
}

void cn_liveness_compute(struct cn_refs *refs)
{
  struct cn_live_range range;

  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
  refs->crossings.count = 0;
  for (size_t p = 0; p < refs->points.count; p++)
    refs->points.at[p].live.count = 0;
  if (!refs->points.count)
    return;
  cn_live_range_init(&range, refs->cfg);
  for (uint32_t v = 0; v < refs->values.count; v++) {
    struct cn_ref_value *value = &refs->values.at[v];
    value->cross = (uint32_t)refs->crossings.count;
    value->cross_count = 0;
    if (value->base == CN_NO_INDEX)
      continue;
    cn_live_range(&range, refs, v);
    record_crossings_in_block(refs, &range, v, value->block, value->pos);
    for (size_t i = 0; i < range.blocks.count; i++)
      record_crossings_in_block(refs, &range, v, range.blocks.at[i], CN_NO_INDEX);
    value->cross_count = (uint32_t)refs->crossings.count - value->cross;
  }
  cn_live_range_free(&range);
  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_LIVENESS));
}

void cn_liveness_print(LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;
  struct cn_refs refs;
  char name[64];

  CN_ASSERT(LLVMIsAFunction(function));
  cn_cfg_build_edges(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness_compute(&refs);
  for (size_t p = 0; p < refs.points.count; p++) {
    const struct cn_parse_point *point = &refs.points.at[p];
    fprintf(out, "  %s:", cn_value_name(LLVMGetCalledValue(point->call), name, sizeof name));
    for (size_t i = 0; i < point->live.count; i++)
      fprintf(out, " %s", cn_value_name(refs.values.at[point->live.at[i]].value, name, sizeof name));
    fputc('\n', out);
  }
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}
