/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the place of a relocate: before the first instruction that reads it, or at the end of the nearest common
 * dominator of readers in several blocks. If possible the place is in a loop as shallow as the statepoint's loop
 * (late-insertion-slides-2014, "Finding references which need relocated": on the paths that need it). The reload of a
 * spilled reference is then at the relocate's place, so that the reference needs no register over the calls before this
 * place. Part of rewrite-statepoints.
 *
 * The relocate's place is always before the next safepoint that the value crosses, since this safepoint reads the
 * definition. The spill slot therefore still holds the value there.
 *
 * Needs: positions. Provides: the instruction before which a relocate belongs. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/rewrite/emit/rematerialise.h"

/* A definition stays at its statepoint if its readers are further apart than this number of dominators, so that the
 * cost stays linear. */
#define MAX_DOMINATOR_STEPS 64

static struct cn_sink_place sink_place_at_block_end(const struct cn_refs *refs, uint32_t block)
{
  return (struct cn_sink_place){.state = CN_SINK_BEFORE_INSTRUCTION,
                                .before = LLVMGetBasicBlockTerminator(refs->cfg->blocks[block].block),
                                .block = block,
                                .pos = refs->last_pos[block]};
}

static void keep_earlier_place(struct cn_sink_place *place, struct cn_sink_place other)
{
  if (other.pos < place->pos || (other.pos == place->pos && other.copy && !place->copy))
    *place = other;
}

void cn_sink_join_places(struct cn_refs *refs, struct cn_sink_place *place, struct cn_sink_place other)
{
  CN_CHECK(other.state != CN_SINK_UNREAD);
  if (place->state == CN_SINK_AFTER_STATEPOINT || other.state == CN_SINK_AFTER_STATEPOINT) {
    *place = (struct cn_sink_place){.state = CN_SINK_AFTER_STATEPOINT};
  } else if (place->state == CN_SINK_UNREAD) {
    *place = other;
  } else if (place->block == other.block) {
    keep_earlier_place(place, other);
  } else {
    cn_cfg_add_dominators(refs->cfg);
    uint32_t block = cn_tree_common_ancestor(&refs->cfg->blocks->idom, sizeof *refs->cfg->blocks, place->block,
                                             other.block, MAX_DOMINATOR_STEPS + 1);
    if (block == CN_NO_BLOCK)
      *place = (struct cn_sink_place){.state = CN_SINK_AFTER_STATEPOINT};
    else if (block == other.block)
      *place = other;
    else if (block != place->block)
      *place = sink_place_at_block_end(refs, block);
  }
}

/* The block with the shallowest loop depth among `from` and its dominators up to `to`; among blocks of equal depth, the
 * nearest to `from`. If `to` is more than MAX_DOMINATOR_STEPS dominators away, the result is `to`. */
static uint32_t find_shallowest_dominator(const struct cn_cfg *cfg, uint32_t from, uint32_t to)
{
  uint32_t best = from;

  CN_ASSERT(cn_cfg_dominates(cfg, to, from));
  for (unsigned steps = 0; from != to; steps++) {
    if (steps > MAX_DOMINATOR_STEPS)
      return to;
    from = cfg->blocks[from].idom;
    if (cfg->blocks[from].depth < cfg->blocks[best].depth)
      best = from;
  }
  return best;
}

void cn_sink_choose_place(struct cn_refs *refs, uint32_t at, struct cn_sink_place *place)
{
  const struct cn_parse_point *point = &refs->points.at[at];

  if (!cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_SINK))
    place->state = CN_SINK_AFTER_STATEPOINT;
  if (place->state == CN_SINK_BEFORE_INSTRUCTION && place->block != point->block) {
    cn_cfg_add_dominators(refs->cfg);
    uint32_t block = find_shallowest_dominator(refs->cfg, place->block, point->block);
    if (block != place->block)
      *place = sink_place_at_block_end(refs, block);
  }
  /* An invoke ends its block, so its relocate must be in another block. */
  if (place->state == CN_SINK_AFTER_STATEPOINT || place->before == point->call)
    *place = (struct cn_sink_place){.state = CN_SINK_AFTER_STATEPOINT, .block = point->block, .pos = point->pos + 1};
}
