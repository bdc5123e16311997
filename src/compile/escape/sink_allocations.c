/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an object that escapes could be allocated. Part of pass `escape`.
 *
 * Needs: struct cn_loops, struct cn_use_graph, struct cn_safepoint_free. Provides: struct cn_sink. Breaks:
 * nothing.
 *
 * Each use that escapes asks for its own block. A block goes up in the tree of dominators as long
 * as one of these is reached from it, before the call runs again:
 *
 *   itself, or another of them     the object would be allocated twice
 *   a use that it does not         there the one object or the other would be meant, depending on
 *   dominate                       the way
 *
 * Each run of the call leads to at most one of the blocks that are left, so no path allocates more
 * than it did. In a block the object is allocated before the first use that escapes: that may also
 * be in the block of the call.
 *
 * It pays if the object is allocated less often; or if the values that it would be given meanwhile
 * can wait for it: then it is new when they are stored, which needs no barrier, and nobody has to
 * clear it. A builder of trees, which makes a node and then what the node leads to, is like that.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/escape/escape.h"
#include "compile/markers/nopoll.h"

enum {
  MAX_VISITED = 4096,     /* blocks that a walk visits at most, and instructions of one block */
  MAX_WAITING_VALUES = 4, /* values that wait for the object at most */
};

struct search {
  const struct cn_sink_in *in;
  const struct cn_cfg *cfg;
  const struct cn_use_graph *web;
  uint32_t home;         /* the block of the call */
  uint64_t *used, *seen; /* blocks with uses; those that the walk at hand has met */
  CN_VECTOR(uint32_t) blocks, open;
};

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
    if (++visited > MAX_VISITED)
      return s->home;
    if (is_asked(s, at) || (cn_bit(s->used, at) && !cn_cfg_dominates(s->cfg, block, at)))
      found = at;
    open_successors(s, at);
  }
  return found;
}

/* Add a block, unless another dominates it; and drop those that it dominates. */
static void add_block(struct search *s, uint32_t block)
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

static void remove_block(struct search *s, uint32_t block)
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
    uint32_t up = cn_cfg_meet(s->cfg, block, obstacle);
    if (up == block)
      up = s->cfg->blocks[block].idom;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, up));
    remove_block(s, block);
    add_block(s, up);
    return true;
  }
  return false;
}

/* Note the blocks of uses, and ask for those of escapes. False: one is not known. */
static bool gather_use_blocks(struct search *s)
{
  for (size_t i = 0; i < s->web->uses.count; i++) {
    uint32_t block = cn_cfg_index(s->cfg, s->web->uses.at[i].block);
    if (block == CN_NO_BLOCK)
      return false;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, block));
    cn_bit_set(s->used, block);
    if (s->web->uses.at[i].escapes)
      add_block(s, block);
  }
  return true;
}

static bool choose_blocks(struct search *s)
{
  if (!gather_use_blocks(s))
    return false;
  while (!is_asked(s, s->home) && lift_one(s))
    ;
  return s->blocks.count <= CN_SINK_MOST;
}

/* ---- the place in a block ---- */

static bool is_escape(const struct search *s, LLVMValueRef instruction)
{
  for (size_t i = 0; i < s->web->uses.count; i++)
    if (s->web->uses.at[i].user == instruction && s->web->uses.at[i].escapes)
      return true;
  return false;
}

/* Before the first use that escapes, or at the block's end: a phi needs the object there. Null: no
 * allocation may stand there. */
static LLVMValueRef find_place(const struct search *s, uint32_t block)
{
  LLVMBasicBlockRef at = s->cfg->blocks[block].block;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(at), root = s->web->object->root,
               place = block == s->home ? LLVMGetNextInstruction(root) : cn_first_after_phis(at);

  for (uint32_t far = 0; place != end && !is_escape(s, place); far++) {
    if (far == MAX_VISITED)
      return NULL;
    place = LLVMGetNextInstruction(place);
  }
  return cn_is_pad(at) || cn_nopoll_cover(s->in->ctx, place) ? NULL : place;
}

static bool find_places(const struct search *s, struct cn_sink *sink)
{
  sink->count = (uint32_t)s->blocks.count;
  for (uint32_t i = 0; i < sink->count; i++) {
    sink->blocks[i] = s->blocks.at[i];
    sink->before[i] = find_place(s, sink->blocks[i]);
    if (!sink->before[i])
      return false;
  }
  return true;
}

/* ---- does it pay? ---- */

/* Is the object made less often there, by a quarter at least? Outside of the call's loop it is. */
static bool is_made_less(const struct search *s)
{
  const struct cn_loops *loops = s->in->loops;
  uint64_t sum = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (loops->of[s->home] == CN_NO_BLOCK || cn_loops_contain(loops, loops->of[s->home], s->blocks.at[i]))
      sum += s->in->often[s->blocks.at[i]];
  return sum / 3 <= s->in->often[s->home] / 4;
}

/* Does the use come before the object's new place? */
static bool is_before_place(const struct search *s, const struct cn_sink *sink, const struct cn_use_graph_use *use)
{
  uint32_t block = cn_cfg_index(s->cfg, use->block);

  if (block != sink->blocks[0])
    return !cn_cfg_dominates(s->cfg, sink->blocks[0], block);
  for (LLVMValueRef i = sink->before[0]; i; i = LLVMGetNextInstruction(i))
    if (i == use->user)
      return false;
  return true;
}

/* The places in the object at which some value waits. */
struct waiting {
  uint64_t offsets[MAX_WAITING_VALUES];
  unsigned count;
};

/* False: there are too many. */
static bool add_waiting(const struct search *s, struct waiting *w, LLVMValueRef place)
{
  const uint64_t *index = cn_ptrmap_find(&s->web->index, place);

  CN_CHECK(index != NULL);
  uint64_t offset = s->web->pointers.at[*index - 1].offset;
  for (unsigned i = 0; i < w->count; i++)
    if (w->offsets[i] == offset)
      return true;
  if (w->count == MAX_WAITING_VALUES)
    return false;
  w->offsets[w->count++] = offset;
  return true;
}

/* Is a reference stored that way after a safepoint, with a barrier if the object is there? Few
 * values wait, so that they take no more registers than there are; the object waits no more. The
 * windows are from before other objects of the function moved: a wrong answer costs time alone. */
static bool saves_barriers(const struct search *s, const struct cn_sink *sink)
{
  uint32_t window = cn_safepoint_free_after(s->in->windows, s->web->object->root);
  struct waiting waiting = {.count = 0};
  bool saves = false;

  if (sink->count != 1 || s->in->often[sink->blocks[0]] > s->in->often[s->home])
    return false;
  for (size_t i = 0; i < s->web->uses.count; i++) {
    const struct cn_use_graph_use *use = &s->web->uses.at[i];
    if (!LLVMIsAStoreInst(use->user) || use->escapes || !is_before_place(s, sink, use) ||
        LLVMIsAConstant(LLVMGetOperand(use->user, 0)))
      continue;
    if (!add_waiting(s, &waiting, use->pointer))
      return false;
    saves |= cn_is_ref(LLVMTypeOf(LLVMGetOperand(use->user, 0))) &&
             cn_safepoint_free_at(s->in->windows, use->user) != window;
  }
  return saves;
}

bool cn_sink_find(const struct cn_sink_in *in, const struct cn_use_graph *web, struct cn_sink *sink)
{
  const struct cn_cfg *cfg = in->loops->cfg;
  size_t words = CN_BITSET_WORDS(cfg->count);
  LLVMBasicBlockRef home = LLVMGetInstructionParent(web->object->root);
  struct search s = {.in = in, .cfg = cfg, .web = web, .home = cn_cfg_index(cfg, home)};
  LLVMValueRef function = LLVMGetBasicBlockParent(home);

  if (web->joined || LLVMHasPersonalityFn(function) || s.home == CN_NO_BLOCK)
    return false;
  s.used = cn_alloc(words * sizeof *s.used);
  s.seen = cn_alloc(words * sizeof *s.seen);
  bool found = choose_blocks(&s) && find_places(&s, sink) &&
               ((!is_asked(&s, s.home) && is_made_less(&s)) || saves_barriers(&s, sink));
  free(s.used);
  free(s.seen);
  cn_free(&s.blocks);
  cn_free(&s.open);
  return found;
}
