/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an object that escapes on some paths only could be allocated. Part of pass `escape`.
 *
 * Needs: struct cn_loops, struct cn_web. Provides: struct cn_sink. Breaks: nothing.
 *
 * Each use that escapes asks for its own block. A block goes up in the tree of dominators as long
 * as one of these is reached from it, before the call runs again:
 *
 *   itself, or another of them     the object would be allocated twice
 *   a use that it does not         there the one object or the other would be meant, depending on
 *   dominate                       the way
 *
 * If one comes to the block of the call, the object is allocated there, as it was. Otherwise each
 * run of the call leads to at most one of the blocks, so no path allocates more than it did.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/cost/block_frequency.h"
#include "compile/core/emit.h"
#include "compile/escape/escape.h"
#include "compile/markers/nopoll.h"

enum { FAR = 4096 }; /* blocks that a walk visits at most */

struct search {
  struct cn_ctx *ctx;
  const struct cn_cfg *cfg;
  const struct cn_web *web;
  uint32_t home;         /* the block of the call */
  uint64_t *used, *seen; /* blocks with uses; those that the walk at hand has met */
  CN_VECTOR(uint32_t) blocks, open;
};

static uint32_t meet(const struct cn_cfg *cfg, uint32_t a, uint32_t b)
{
  while (a != b)
    if (a > b)
      a = cfg->blocks[a].idom;
    else
      b = cfg->blocks[b].idom;
  return a;
}

static bool is_asked(const struct search *s, uint32_t block)
{
  for (size_t i = 0; i < s->blocks.count; i++)
    if (s->blocks.at[i] == block)
      return true;
  return false;
}

static void open_successors(struct search *s, uint32_t block)
{
  const struct cn_block *b = &s->cfg->blocks[block];

  for (uint32_t i = 0; i < b->succ_count; i++)
    if (b->succs[i] != s->home && !cn_bit(s->seen, b->succs[i])) {
      cn_bit_set(s->seen, b->succs[i]);
      cn_push(&s->open, b->succs[i]);
    }
}

/* Walk from `block` to where the call runs again. A block that it must not reach without going up,
 * or CN_NO_BLOCK. The call's own if the walk is long. */
static uint32_t find_obstacle(struct search *s, uint32_t block)
{
  uint32_t found = CN_NO_BLOCK, visited = 0;

  for (size_t w = 0; w < CN_BITSET_WORDS(s->cfg->count); w++)
    s->seen[w] = 0;
  s->open.count = 0;
  open_successors(s, block);
  while (s->open.count && found == CN_NO_BLOCK) {
    uint32_t at = s->open.at[--s->open.count];
    if (++visited > FAR)
      return s->home;
    if (is_asked(s, at) || (cn_bit(s->used, at) && !cn_cfg_dominates(s->cfg, block, at)))
      found = at;
    open_successors(s, at);
  }
  return found;
}

/* Add a block, unless another dominates it; and drop those that it dominates. */
static void ask(struct search *s, uint32_t block)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (cn_cfg_dominates(s->cfg, s->blocks.at[i], block))
      return;
  for (size_t i = 0; i < s->blocks.count; i++)
    if (!cn_cfg_dominates(s->cfg, block, s->blocks.at[i]))
      s->blocks.at[kept++] = s->blocks.at[i];
  s->blocks.count = kept;
  cn_push(&s->blocks, block);
}

static void drop(struct search *s, uint32_t block)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (s->blocks.at[i] != block)
      s->blocks.at[kept++] = s->blocks.at[i];
  s->blocks.count = kept;
}

/* Let one block go up that must. False: none must. */
static bool lift_one(struct search *s)
{
  for (size_t i = 0; i < s->blocks.count; i++) {
    uint32_t block = s->blocks.at[i], obstacle = find_obstacle(s, block);
    if (obstacle == CN_NO_BLOCK)
      continue;
    uint32_t up = meet(s->cfg, block, obstacle);
    if (up == block)
      up = s->cfg->blocks[block].idom;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, up));
    drop(s, block);
    ask(s, up);
    return true;
  }
  return false;
}

/* Note the blocks of uses, and ask for those of escapes. False: one is not known. */
static bool begin(struct search *s)
{
  for (size_t i = 0; i < s->web->uses.count; i++) {
    uint32_t block = cn_cfg_index(s->cfg, s->web->uses.at[i].block);
    if (block == CN_NO_BLOCK)
      return false;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, block));
    cn_bit_set(s->used, block);
    if (s->web->uses.at[i].escapes)
      ask(s, block);
  }
  return true;
}

static bool settle(struct search *s)
{
  if (!begin(s))
    return false;
  while (!is_asked(s, s->home) && lift_one(s))
    ;
  return !is_asked(s, s->home) && s->blocks.count <= CN_SINK_MOST;
}

/* May an allocation stand at the block's start? */
static bool has_room(const struct search *s, uint32_t block)
{
  LLVMBasicBlockRef at = s->cfg->blocks[block].block;

  return !cn_is_pad(at) && !cn_nopoll_cover(s->ctx, cn_first_after_phis(at));
}

/* Is the object made less often there, by a quarter at least? Outside of the call's loop it is. */
static bool pays(const struct search *s, const struct cn_loops *loops, const uint64_t *often)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (loops->of[s->home] == CN_NO_BLOCK ||
        cn_loops_contain(loops, loops->of[s->home], s->blocks.at[i]))
      sum += often[s->blocks.at[i]];
  return sum / 3 <= often[s->home] / 4;
}

bool cn_sink_find(struct cn_ctx *ctx, const struct cn_loops *loops, const uint64_t *often,
                  const struct cn_web *web, struct cn_sink *sink)
{
  const struct cn_cfg *cfg = loops->cfg;
  size_t words = CN_BITSET_WORDS(cfg->count);
  LLVMBasicBlockRef home = LLVMGetInstructionParent(web->object->root);
  struct search s = {.ctx = ctx, .cfg = cfg, .web = web, .home = cn_cfg_index(cfg, home)};
  LLVMValueRef function = LLVMGetBasicBlockParent(home);

  if (web->joined || LLVMHasPersonalityFn(function) || s.home == CN_NO_BLOCK)
    return false;
  s.used = cn_alloc(words * sizeof *s.used);
  s.seen = cn_alloc(words * sizeof *s.seen);
  bool found = settle(&s) && pays(&s, loops, often);
  for (size_t i = 0; i < s.blocks.count && found; i++)
    found = has_room(&s, s.blocks.at[i]);
  sink->count = found ? (uint32_t)s.blocks.count : 0;
  for (uint32_t i = 0; i < sink->count; i++)
    sink->blocks[i] = s.blocks.at[i];
  free(s.used);
  free(s.seen);
  cn_free(&s.blocks);
  cn_free(&s.open);
  return found;
}
