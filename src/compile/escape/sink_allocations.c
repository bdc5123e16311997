/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds places for the allocation of an object that escapes. Part of pass `escape`.
 *
 * Needs: struct cn_loops, struct cn_use_graph, struct cn_safepoint_free_intervals. Provides: struct cn_sink_places.
 * Breaks: nothing.
 *
 * The search begins with the blocks of all uses that escape. A block moves up in the dominator tree as long as it
 * reaches one of these blocks before the call runs again:
 *
 *   itself, or another chosen block    the object would be allocated twice
 *   a use outside its subtree          the use would mean one object or the other, depending on the path
 *
 * Each execution of the call reaches at most one of the final blocks, so each path allocates at most as often as the
 * call does. The new allocation is before the block's first use that escapes. The block may also be the call's block.
 *
 * The change saves time if the object is allocated less often. The change also saves time if the values for the
 * object's fields can wait until the new allocation. The stores then go to a new object, so the stores need no barrier,
 * and the object needs no clearing. An example is a tree builder that makes a node and then its children.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/escape/escape.h"
#include "compile/markers/markers.h"

enum {
  MAX_VISITED_BLOCKS = 4096, /* the most blocks of a search, and the most instructions of a block */
  MAX_WAITING_VALUES = 4,    /* the most offsets whose values wait for the allocation */
};

struct sink_search {
  const struct cn_sink_analyses *in;
  const struct cn_cfg *cfg;
  const struct cn_use_graph *web;
  uint32_t home;         /* the block of the call */
  uint64_t *used, *seen; /* the blocks with uses; the blocks visited by the current search */
  CN_VECTOR(uint32_t) blocks, open;
};

static bool is_chosen_block(const struct sink_search *s, uint32_t block)
{
  for (size_t i = 0; i < s->blocks.count; i++)
    if (s->blocks.at[i] == block)
      return true;
  return false;
}

static void push_unseen_successors(struct sink_search *s, uint32_t block)
{
  const struct cn_cfg_block *b = &s->cfg->blocks[block];

  for (uint32_t i = 0; i < b->succ_count; i++)
    if (b->succs[i] != s->home && !cn_bitset_contains(s->seen, b->succs[i])) {
      cn_bitset_add(s->seen, b->succs[i]);
      cn_push(&s->open, b->succs[i]);
    }
}

/* Search from `block` up to the next execution of the call. Returns a block that forces `block` to move up, or
 * CN_NO_BLOCK. If the search is too long, the result is the call's block. */
static uint32_t find_obstacle(struct sink_search *s, uint32_t block)
{
  uint32_t found = CN_NO_BLOCK, visited = 0;

  for (size_t w = 0; w < CN_BITSET_WORDS(s->cfg->count); w++)
    s->seen[w] = 0;
  s->open.count = 0;
  push_unseen_successors(s, block);
  while (s->open.count && found == CN_NO_BLOCK) {
    uint32_t at = s->open.at[--s->open.count];
    if (++visited > MAX_VISITED_BLOCKS)
      return s->home;
    if (is_chosen_block(s, at) || (cn_bitset_contains(s->used, at) && !cn_cfg_dominates(s->cfg, block, at)))
      found = at;
    push_unseen_successors(s, at);
  }
  return found;
}

/* Choose a block if no chosen block dominates it, and drop the chosen blocks that it dominates. */
static void add_chosen_block(struct sink_search *s, uint32_t block)
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

static void remove_chosen_block(struct sink_search *s, uint32_t block)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (s->blocks.at[i] != block)
      s->blocks.at[kept++] = s->blocks.at[i];
  s->blocks.count = kept;
}

/* Move the first block with an obstacle up. False if all blocks are free of obstacles. */
static bool lift_obstructed_block(struct sink_search *s)
{
  for (size_t i = 0; i < s->blocks.count; i++) {
    uint32_t block = s->blocks.at[i], obstacle = find_obstacle(s, block);
    if (obstacle == CN_NO_BLOCK)
      continue;
    uint32_t up = cn_cfg_common_dominator(s->cfg, block, obstacle);
    if (up == block)
      up = s->cfg->blocks[block].idom;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, up));
    remove_chosen_block(s, block);
    add_chosen_block(s, up);
    return true;
  }
  return false;
}

/* Note the blocks of all uses, and choose the blocks of escapes. False if a block is unreachable. */
static bool gather_use_blocks(struct sink_search *s)
{
  for (size_t i = 0; i < s->web->uses.count; i++) {
    uint32_t block = cn_cfg_index_of(s->cfg, s->web->uses.at[i].block);
    if (block == CN_NO_BLOCK)
      return false;
    CN_CHECK(cn_cfg_dominates(s->cfg, s->home, block));
    cn_bitset_add(s->used, block);
    if (s->web->uses.at[i].escapes)
      add_chosen_block(s, block);
  }
  return true;
}

static bool choose_blocks(struct sink_search *s)
{
  if (!gather_use_blocks(s))
    return false;
  while (!is_chosen_block(s, s->home) && lift_obstructed_block(s))
    ;
  return s->blocks.count <= CN_MAX_SINK_PLACES;
}

/* ---- the place in a block ---- */

static bool is_escaping_user(const struct sink_search *s, LLVMValueRef instruction)
{
  for (size_t i = 0; i < s->web->uses.count; i++)
    if (s->web->uses.at[i].user == instruction && s->web->uses.at[i].escapes)
      return true;
  return false;
}

/* The first use that escapes, or the block's end if a phi needs the object. Null if an allocation is forbidden at this
 * place, or if the block is too long. */
static LLVMValueRef find_place(const struct sink_search *s, uint32_t block)
{
  LLVMBasicBlockRef at = s->cfg->blocks[block].block;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(at), root = s->web->object->root,
               place = block == s->home ? LLVMGetNextInstruction(root) : cn_first_after_phis(at);

  for (uint32_t far = 0; place != end && !is_escaping_user(s, place); far++) {
    if (far == MAX_VISITED_BLOCKS)
      return NULL;
    place = LLVMGetNextInstruction(place);
  }
  return cn_is_exception_pad(at) || cn_nopoll_is_in_region(s->in->ctx, place) ? NULL : place;
}

static bool find_places(const struct sink_search *s, struct cn_sink_places *sink)
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

/* ---- profit ---- */

/* True if the new places reduce the number of allocations by at least a quarter. Blocks outside the call's loop count
 * as 0. */
static bool allocates_less_often(const struct sink_search *s)
{
  const struct cn_loops *loops = s->in->loops;
  uint64_t sum = 0;

  for (size_t i = 0; i < s->blocks.count; i++)
    if (loops->of[s->home] == CN_NO_BLOCK || cn_loop_contains_block(loops, loops->of[s->home], s->blocks.at[i]))
      sum += s->in->often[s->blocks.at[i]];
  return sum / 3 <= s->in->often[s->home] / 4;
}

static bool is_before_place(const struct sink_search *s, const struct cn_sink_places *sink,
                            const struct cn_use_graph_use *use)
{
  uint32_t block = cn_cfg_index_of(s->cfg, use->block);

  if (block != sink->blocks[0])
    return !cn_cfg_dominates(s->cfg, sink->blocks[0], block);
  for (LLVMValueRef i = sink->before[0]; i; i = LLVMGetNextInstruction(i))
    if (i == use->user)
      return false;
  return true;
}

/* The byte offsets of the fields whose values wait for the allocation. */
struct waiting_offsets {
  uint64_t offsets[MAX_WAITING_VALUES];
  unsigned count;
};

/* Add the offset of `place`. False if more than MAX_WAITING_VALUES offsets would wait. */
static bool add_waiting_offset(const struct sink_search *s, struct waiting_offsets *w, LLVMValueRef place)
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

/* True if the move saves a barrier, because the code stores a reference to the object between a safepoint after the
 * call and the new place. Only few values may wait, so that all of them fit in registers. Earlier moves in the function
 * may have changed the safepoint-free intervals; a wrong answer costs only time. */
static bool saves_barriers(const struct sink_search *s, const struct cn_sink_places *sink)
{
  uint32_t window = cn_safepoint_free_after(s->in->windows, s->web->object->root);
  struct waiting_offsets waiting = {.count = 0};
  bool saves = false;

  if (sink->count != 1 || s->in->often[sink->blocks[0]] > s->in->often[s->home])
    return false;
  for (size_t i = 0; i < s->web->uses.count; i++) {
    const struct cn_use_graph_use *use = &s->web->uses.at[i];
    if (!LLVMIsAStoreInst(use->user) || use->escapes || !is_before_place(s, sink, use) ||
        LLVMIsAConstant(LLVMGetOperand(use->user, 0)))
      continue;
    if (!add_waiting_offset(s, &waiting, use->pointer))
      return false;
    saves |= cn_is_ref(LLVMTypeOf(LLVMGetOperand(use->user, 0))) &&
             cn_safepoint_free_before(s->in->windows, use->user) != window;
  }
  return saves;
}

bool cn_sink_find_places(const struct cn_sink_analyses *in, const struct cn_use_graph *web, struct cn_sink_places *sink)
{
  const struct cn_cfg *cfg = in->loops->cfg;
  size_t words = CN_BITSET_WORDS(cfg->count);
  LLVMBasicBlockRef home = LLVMGetInstructionParent(web->object->root);
  struct sink_search s = {.in = in, .cfg = cfg, .web = web, .home = cn_cfg_index_of(cfg, home)};
  LLVMValueRef function = LLVMGetBasicBlockParent(home);

  if (web->joined || LLVMHasPersonalityFn(function) || s.home == CN_NO_BLOCK)
    return false;
  s.used = cn_alloc(words * sizeof *s.used);
  s.seen = cn_alloc(words * sizeof *s.seen);
  bool found = choose_blocks(&s) && find_places(&s, sink) &&
               ((!is_chosen_block(&s, s.home) && allocates_less_often(&s)) || saves_barriers(&s, sink));
  free(s.used);
  free(s.seen);
  cn_free(&s.blocks);
  cn_free(&s.open);
  return found;
}
