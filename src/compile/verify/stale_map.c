/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps values to the epochs of their addresses, joins the states of two values, and tells whether a value is valid in
 * an epoch (epochs.c). Needs: struct cn_epochs. Provides: struct cn_value_states for the files that fill it in
 * (stale_values.c). Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

static const struct cn_stale_state never_stale = {CN_EPOCH_NONE, 0};

/* ---- two addresses ---- */

/* The state of a value with state `a` or `b`. The epoch is the common epoch of both states, or mixed; with different
 * weights, the value counts as a residue. */
struct cn_stale_state cn_stale_join_states(struct cn_stale_state a, struct cn_stale_state b)
{
  if (a.epoch == CN_EPOCH_NONE)
    return b;
  if (b.epoch == CN_EPOCH_NONE)
    return a;
  return (struct cn_stale_state){a.epoch == b.epoch ? a.epoch : CN_EPOCH_MIXED,
                                 a.weight == b.weight ? a.weight : CN_WEIGHT_OTHER};
}

struct cn_stale_state cn_stale_drop_weight(struct cn_stale_state stale)
{
  if (stale.epoch != CN_EPOCH_NONE)
    stale.weight = CN_WEIGHT_OTHER;
  return stale;
}

/* ---- the map: value -> its cells, index and number packed into a word ---- */

struct cn_stale_state cn_values_state_of_scalar(const struct cn_value_states *values, LLVMValueRef value,
                                                uint32_t scalar)
{
  const uint64_t *packed = cn_ptrmap_find(&values->map, value);

  if (!packed)
    return never_stale;
  /* A scalar operand of a vector instruction applies to every lane. */
  uint32_t scalars = (uint32_t)*packed;
  CN_ASSERT(scalars && (*packed >> 32) + scalars <= values->cells.count);
  return values->cells.at[(*packed >> 32) + (scalar < scalars ? scalar : 0)];
}

struct cn_stale_state cn_values_state_of(const struct cn_value_states *values, LLVMValueRef value)
{
  const uint64_t *packed = cn_ptrmap_find(&values->map, value);
  struct cn_stale_state all = never_stale;

  for (uint32_t l = 0; packed && l < (uint32_t)*packed; l++)
    all = cn_stale_join_states(all, values->cells.at[(*packed >> 32) + l]);
  return all;
}

void cn_values_set_scalar(struct cn_value_states *values, LLVMValueRef value, uint32_t scalar, uint32_t scalars,
                          struct cn_stale_state stale)
{
  bool fresh;

  if (stale.epoch == CN_EPOCH_NONE && !cn_ptrmap_find(&values->map, value))
    return;
  uint64_t *packed = cn_ptrmap_add(&values->map, value, &fresh);
  CN_CHECK(scalar < scalars && values->cells.count <= UINT32_MAX - scalars);
  if (fresh) {
    *packed = (uint64_t)values->cells.count << 32 | scalars;
    for (uint32_t l = 0; l < scalars; l++)
      cn_push(&values->cells, never_stale);
  }
  CN_ASSERT((uint32_t)*packed == scalars);
  values->cells.at[(*packed >> 32) + scalar] = stale;
}

const char *cn_values_wrong(const struct cn_value_states *values)
{
  uint64_t all = 0;

  for (size_t i = 0; i < values->map.room; i++)
    if (values->map.entries[i].key) {
      uint64_t packed = values->map.entries[i].value;
      if ((packed >> 32) + (uint32_t)packed > values->cells.count)
        return "values: one has scalars that are not there";
      all += (uint32_t)packed;
    }
  if (all != values->cells.count)
    return "values: scalars are shared or lost";
  for (size_t i = 0; i < values->cells.count; i++) {
    const struct cn_stale_state *cell = &values->cells.at[i];
    bool small = abs(cell->weight) <= CN_WEIGHT_OTHER / 2;
    if (cell->epoch == CN_EPOCH_NONE ? cell->weight != 0 : !small && cell->weight != CN_WEIGHT_OTHER)
      return "values: a weight is no sum";
  }
  return NULL;
}

bool cn_values_is_valid_at(const struct cn_stale_state *stale, uint32_t epoch)
{
  return stale->epoch == CN_EPOCH_NONE || stale->epoch == epoch;
}

/* ---- where edges meet ---- */

void cn_join_add_edge(const struct cn_value_states *values, struct cn_edge_join *join, uint32_t from, uint32_t b,
                      struct cn_stale_state stale)
{
  CN_ASSERT(from < values->epochs->cfg->count && b < values->epochs->cfg->count);
  if (stale.epoch == CN_EPOCH_NONE) {
    join->plain |= !values->first_pass || !cn_cfg_is_retreating_edge(from, b);
    return;
  }
  join->invalid |= stale.epoch != values->epochs->out[from];
  join->loops |= cn_cfg_is_retreating_edge(from, b);
  join->all = cn_stale_join_states(join->all, stale);
}

/* The joined value has its block's epoch if each incoming value is valid at its edge. Otherwise the joined value has
 * the common epoch of its incoming values if all of their edges are forward edges, because a value from a back edge
 * belongs to the epoch of an earlier iteration. In all other cases the epoch is mixed. */
struct cn_stale_state cn_join_result_of(const struct cn_value_states *values, const struct cn_edge_join *join,
                                        uint32_t b)
{
  struct cn_stale_state all = join->all;

  if (all.epoch != CN_EPOCH_NONE && !join->invalid)
    all.epoch = values->epochs->in[b];
  else if (all.epoch != CN_EPOCH_NONE && join->loops)
    all.epoch = CN_EPOCH_MIXED;
  return join->plain ? cn_stale_drop_weight(all) : all;
}
