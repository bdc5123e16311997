/* SPDX-License-Identifier: Apache-2.0
 *
 * Validates a struct cn_refs against the invariants in its header. Needs: a valid struct cn_cfg. Provides:
 * cn_refs_wrong(). Breaks: nothing.
 */
#include "compile/rewrite/values/refs.h"

static bool is_ascending_below(const uint32_t *at, size_t count, uint64_t limit)
{
  for (size_t i = 0; i < count; i++)
    if (at[i] >= limit || (i > 0 && at[i] <= at[i - 1]))
      return false;
  return true;
}

static const char *value_invariant_error(const struct cn_refs *refs, uint32_t v, enum cn_refs_when when)
{
  const struct cn_ref_value *value = &refs->values.at[v];
  size_t count = refs->values.count;

  if (cn_refs_index(refs, value->value) != v)
    return "references: the index does not lead to a value";
  if (value->block >= refs->cfg->count || value->pos > refs->last_pos[value->block])
    return "references: a definition is in no block";
  if (value->root >= count)
    return "references: a root is no value";
  if (value->root != v && (value->from >= count || value->from == v))
    return "references: no step leads to the root";
  if (value->base != CN_NO_INDEX && (value->base >= count || refs->values.at[value->base].base != value->base))
    return "references: a base has a base";
  if (value->derived != CN_NO_INDEX && (value->derived >= count || refs->values.at[value->derived].base != value->base))
    return "references: a derived value has another base";
  if (when == CN_REFS_AFTER_LIVENESS &&
      ((uint64_t)value->cross + value->cross_count > refs->crossings.count ||
       !is_ascending_below(refs->crossings.at + value->cross, value->cross_count, refs->points.count)))
    return "references: the crossings of a value do not ascend";
  return NULL;
}

static const char *uses_invariant_error(const struct cn_refs *refs, uint32_t v, enum cn_refs_when when)
{
  const struct cn_ref_value *value = &refs->values.at[v];

  if ((uint64_t)value->uses + value->use_count > refs->uses.count)
    return "references: a slice of uses ends beyond the last";
  for (uint32_t u = value->uses; u < value->uses + value->use_count; u++) {
    const struct cn_ref_use *use = &refs->uses.at[u];
    if (use->value != v)
      return "references: a use is in another value's slice";
    if (use->block >= refs->cfg->count || use->pos > refs->last_pos[use->block] + 1)
      return "references: a use is in no block";
    if (use->via != CN_NO_INDEX && refs->values.at[use->via].root != v)
      return "references: a use comes by a value with another root";
    if (use->point != CN_NO_INDEX && use->point >= refs->points.count)
      return "references: a use is of no parse point";
    if (when == CN_REFS_AFTER_BUILD && u > value->uses && use->pos < use[-1].pos)
      return "references: the uses of a value do not ascend";
  }
  return NULL;
}

static const char *points_invariant_error(const struct cn_refs *refs)
{
  if (refs->first_point[0] != 0 || refs->first_point[refs->cfg->count] != refs->points.count)
    return "references: the blocks do not share out the parse points";
  for (uint32_t b = 0; b < refs->cfg->count; b++) {
    if (b > 0 && refs->last_pos[b] <= refs->last_pos[b - 1])
      return "references: the positions of the blocks do not ascend";
    if (refs->first_point[b] > refs->first_point[b + 1] || refs->first_point[b + 1] > refs->points.count)
      return "references: the parse points of the blocks do not ascend";
    for (uint32_t p = refs->first_point[b]; p < refs->first_point[b + 1]; p++)
      if (refs->points.at[p].block != b || refs->points.at[p].pos > refs->last_pos[b])
        return "references: a parse point is in another block";
  }
  for (size_t p = 0; p < refs->points.count; p++) {
    const struct cn_parse_point *point = &refs->points.at[p];
    if (p > 0 && point->pos <= point[-1].pos)
      return "references: the parse points do not ascend";
    if (!is_ascending_below(point->live.at, point->live.count, refs->values.count))
      return "references: the live values of a parse point do not ascend";
  }
  return NULL;
}

const char *cn_refs_wrong(const struct cn_refs *refs, enum cn_refs_when when)
{
  const char *wrong = points_invariant_error(refs);

  for (uint32_t v = 0; v < refs->values.count && !wrong; v++) {
    wrong = value_invariant_error(refs, v, when);
    if (!wrong)
      wrong = uses_invariant_error(refs, v, when);
  }
  return wrong;
}
