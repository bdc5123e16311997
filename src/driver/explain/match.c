/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds for each safepoint of the machine code the statepoint of the IR that it was made of, by block and position. The
 * code generator copies and merges calls, so a statepoint may have any number of safepoints. A safepoint that several
 * statepoints fit gets none. Runs after all lines are taken; changes struct cn_explain alone.
 */
#include <string.h>
#include "base/check.h"
#include "driver/explain/explain.h"

/* The statepoints of one function, and its safepoints, as ranges of indices. */
struct match_range {
  size_t first_statepoint, end_statepoint, first_safepoint, end_safepoint;
};

static const struct cn_explain_line *line_of(const struct cn_explain *explain, const struct cn_explain_safepoint *s)
{
  return &explain->functions.at[s->function].assembly.at[s->line];
}

static bool is_same_chain(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True if the statepoint may have become code of this line. `by_block` also compares the blocks. */
static bool fits(const struct cn_explain *explain, size_t statepoint, const struct cn_explain_safepoint *safepoint,
                 bool by_block)
{
  const struct cn_explain_statepoint *p = &explain->statepoints.at[statepoint];
  const struct cn_explain_line *line = line_of(explain, safepoint);

  return p->kind == safepoint->kind && p->pairs.count == safepoint->places.count &&
         is_same_chain(p->position.chain, line->position.chain) &&
         (!by_block || cn_text_equals(p->block, line->ir_block));
}

/* The statepoint of a safepoint: the only one that fits, or the one with the same number if as many statepoints fit as
 * the block has safepoints like this one. */
static size_t find_statepoint(const struct cn_explain *explain, const struct match_range *range, size_t safepoint,
                              bool by_block)
{
  const struct cn_explain_safepoint *s = &explain->safepoints.at[safepoint];
  const struct cn_explain_line *line = line_of(explain, s);
  size_t fitting = 0, alike = 0, number = 0, found = CN_EXPLAIN_NONE;

  for (size_t i = range->first_statepoint; i < range->end_statepoint; i++)
    fitting += fits(explain, i, s, by_block);
  for (size_t i = range->first_safepoint; i < range->end_safepoint; i++) {
    const struct cn_explain_safepoint *other = &explain->safepoints.at[i];
    const struct cn_explain_line *its = line_of(explain, other);
    bool is_alike = other->kind == s->kind && other->places.count == s->places.count &&
                    is_same_chain(its->position.chain, line->position.chain) &&
                    (!by_block || cn_text_equals(its->ir_block, line->ir_block));
    number += is_alike && i < safepoint;
    alike += is_alike;
  }
  if (fitting != 1 && fitting != alike)
    return CN_EXPLAIN_NONE;
  for (size_t i = range->first_statepoint; i < range->end_statepoint && found == CN_EXPLAIN_NONE; i++)
    if (fits(explain, i, s, by_block) && (fitting == 1 || number-- == 0))
      found = i;
  return found;
}

static void match_range(struct cn_explain *explain, const struct match_range *range)
{
  for (size_t i = range->first_safepoint; i < range->end_safepoint; i++) {
    struct cn_explain_safepoint *safepoint = &explain->safepoints.at[i];
    size_t found = find_statepoint(explain, range, i, true);
    if (found == CN_EXPLAIN_NONE)
      found = find_statepoint(explain, range, i, false);
    safepoint->statepoint = found;
    if (found != CN_EXPLAIN_NONE && explain->statepoints.at[found].safepoint == CN_EXPLAIN_NONE)
      explain->statepoints.at[found].safepoint = i;
  }
}

void cn_explain_match(struct cn_explain *explain)
{
  struct match_range range = {0};

  /* Code has the module's order of functions. */
  for (size_t f = 0; f < explain->functions.count; f++) {
    while (range.end_statepoint < explain->statepoints.count &&
           explain->statepoints.at[range.end_statepoint].function == f)
      range.end_statepoint++;
    while (range.end_safepoint < explain->safepoints.count && explain->safepoints.at[range.end_safepoint].function == f)
      range.end_safepoint++;
    match_range(explain, &range);
    range.first_statepoint = range.end_statepoint;
    range.first_safepoint = range.end_safepoint;
  }
}
