/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pass `allocate`: allocations of different blocks that can share a check.
 *
 *        a = cairn_alloc(..)                  a = cairn_alloc(..)
 *        if (c)                               b = cairn_alloc(..)
 *          a->x = 1                   ->      if (c)
 *        b = cairn_alloc(..)                    a->x = 1
 *
 * The later call moves up to right after the earlier one if it is always reached from there, over
 * blocks without loops and calls. So no safepoint lies between, and none is added: nothing lives
 * over the moved call that did not live over the earlier one, but what that made. An allocation
 * changes no memory that the program can read, and reads none that it can write.
 *
 * The object is whole where it is made: what leaves the blocks between by a jump (a signal handler)
 * leaves an object behind, not words without a header. So its words are cleared even where a store
 * fills them after the join, and only small objects move.
 */
#include "compile/lower/fresh.h"

#include "base/check.h"
#include "compile/core/each.h"

enum {
  MOST_BLOCKS = 16,  /* that are looked at */
  MOST_PAYLOAD = 64, /* bytes that are cleared more cheaply than a check is made */
};

/* Blocks that are reached from the first of them alone, each after all its predecessors. */
struct region {
  LLVMBasicBlockRef blocks[MOST_BLOCKS];
  size_t count;
};

static bool has(const struct region *region, LLVMBasicBlockRef block)
{
  for (size_t i = 0; i < region->count; i++)
    if (region->blocks[i] == block)
      return true;
  return false;
}

/* Do all ways to `block` come from the region? */
static bool is_closed(const struct region *region, LLVMBasicBlockRef block)
{
  CN_EACH_USE(use, LLVMBasicBlockAsValue(block)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsATerminatorInst(user) || !has(region, LLVMGetInstructionParent(user)))
      return false;
  }
  return true;
}

/* The first from `i` on that is an allocation or over which none may move. The terminator of a
 * block is one of the latter unless it only chooses a way. */
static LLVMValueRef first_obstacle(LLVMValueRef i)
{
  while (i && cn_fresh_may_precede(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

/* The next block after the region: the only one to which it leads, or one of several that join
 * later (*joins is false). Null: there is none, or it is not closed. */
static LLVMBasicBlockRef next_block(const struct region *region, bool *joins)
{
  LLVMBasicBlockRef only = NULL, closed = NULL;

  *joins = true;
  for (size_t i = 0; i < region->count; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(region->blocks[i]);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
      LLVMBasicBlockRef to = LLVMGetSuccessor(end, n);
      if (to == region->blocks[0])
        return NULL;
      if (has(region, to))
        continue;
      *joins = *joins && (!only || only == to);
      only = to;
      closed = is_closed(region, to) ? to : closed;
    }
  }
  return closed;
}

/* The allocation that is always reached after `call`, the last one of its block, over nothing that
 * forbids to move it there; or null. */
static LLVMValueRef next_allocation(LLVMValueRef call)
{
  struct region region = {.blocks = {LLVMGetInstructionParent(call)}, .count = 1};

  if (first_obstacle(LLVMGetNextInstruction(call)))
    return NULL;
  for (bool joins; region.count < MOST_BLOCKS;) {
    LLVMBasicBlockRef block = next_block(&region, &joins);
    LLVMValueRef obstacle = block ? first_obstacle(LLVMGetFirstInstruction(block)) : NULL;
    if (!block || obstacle)
      return block && joins && cn_layouts_allocator(obstacle) ? obstacle : NULL;
    region.blocks[region.count++] = block;
  }
  return NULL;
}

static LLVMValueRef last_allocation(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetLastInstruction(block);

  while (i && !cn_layouts_allocator(i))
    i = LLVMGetPreviousInstruction(i);
  return i;
}

/* Is there room for `object` beside all that the block of `call` allocates up to it? */
static bool fits(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_fresh *object, cn_fresh_asked *ask,
                 uint64_t most)
{
  uint64_t bytes = object->prefix + object->payload;
  size_t count = 1;
  struct cn_fresh before;

  CN_ASSERT(cn_layouts_allocator(call));
  for (LLVMValueRef i = call; i; i = LLVMGetPreviousInstruction(i)) {
    if (!cn_layouts_allocator(i))
      continue;
    if (!ask(ctx, i, &before))
      return i != call;
    bytes += before.prefix + before.payload;
    if (++count > CN_FRESH_MOST || bytes > most)
      return false;
  }
  return true;
}

void cn_fresh_join(struct cn_ctx *ctx, LLVMValueRef function, cn_fresh_asked *ask, uint64_t most)
{
  struct cn_fresh object;

  CN_EACH_BLOCK(b, function) {
    LLVMValueRef call = last_allocation(b), next;
    while (call && (next = next_allocation(call)) != NULL && ask(ctx, next, &object) &&
           object.payload <= MOST_PAYLOAD && fits(ctx, call, &object, ask, most)) {
      CN_CHECK(LLVMGetInstructionParent(next) != b);
      cn_move_before(ctx, next, LLVMGetNextInstruction(call));
      call = next;
    }
  }
}
