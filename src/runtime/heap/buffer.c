/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements allocation buffers and their handlers' parts: allocates, lengthens, clears and frees blocks, and fills
 * gaps between objects. All state is in the mutator, and the file takes no lock. The mutator's own thread calls the
 * functions in phase MUTATE; at the mutator's end it holds the registry lock (threads/stop.c). The collecting thread
 * takes and gives the buffers of all mutators in phase STOP.
 */
#include "runtime/heap/buffer.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include <string.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/poll_word.h"
#include "runtime/heap/managed_heap.h"

enum {
  MAX_HANDLER_PART_BYTES = 16 << 10,
  HANDLER_PART_DIVISOR = 32 /* handlers get this fraction of a small buffer */
};
_Static_assert(CAIRN_ABI_HEADER_SIZE == 8 && CAIRN_ABI_INDEXED_HEADER_SIZE == 16,
               "cairn_fill() writes one word, or two");
_Static_assert(MAX_HANDLER_PART_BYTES % CAIRN_ABI_OBJECT_ALIGN == 0, "parts of a buffer are blocks");

const char *cn_buffer_wrong(const struct cairn_mutator *mutator)
{
  const struct cn_handler_buffer_part *handlers = &mutator->handlers;
  const char *wrong = cn_mutator_wrong(mutator);

  if (wrong != NULL)
    return wrong;
  if (handlers->start > handlers->alloc || handlers->alloc > handlers->end)
    return "allocation buffer: the next block of handlers is not in their part";
  if ((handlers->start | handlers->alloc | handlers->end | handlers->given) % CAIRN_ABI_OBJECT_ALIGN != 0)
    return "allocation buffer: the part of handlers is not aligned";
  if (mutator->buffer_end != 0 && (handlers->walkable < mutator->buffer_start || handlers->walkable > mutator->alloc))
    return "allocation buffer: blocks were looked at that are not in it";
  return NULL;
}

uint64_t cn_buffer_allocated_bytes(const struct cairn_mutator *mutator)
{
  return mutator->allocated + (mutator->alloc - mutator->buffer_start) +
         (mutator->handlers.alloc - mutator->handlers.start);
}

/* ---- fillers ---- */

void cairn_fill(uintptr_t from, uintptr_t to)
{
  uintptr_t *block = (uintptr_t *)from;
  size_t bytes = to - from;

  if (from > to || (from | to) % CAIRN_ABI_OBJECT_ALIGN != 0)
    cairn_fatal("cairn_fill: 0x%lx to 0x%lx are no whole words", (unsigned long)from, (unsigned long)to);
  if (bytes == CAIRN_ABI_HEADER_SIZE) {
    block[0] = (uintptr_t)&cn_filler_layouts[0];
  } else if (bytes != 0) {
    block[0] = (bytes - CAIRN_ABI_INDEXED_HEADER_SIZE) / 8 << 1 | 1;
    block[1] = (uintptr_t)&cn_filler_layouts[1];
  }
}

/* ---- the program's part ---- */

void cn_buffer_close_to_inline(struct cairn_mutator *mutator)
{
  __atomic_store_n(&mutator->limit, 0, __ATOMIC_SEQ_CST);
}

void *cn_buffer_allocate_block(struct cairn_mutator *mutator, size_t bytes)
{
  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes != 0);
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
  if (mutator->buffer_end - mutator->alloc < bytes)
    return NULL;
  mutator->alloc += bytes;
  return (void *)(mutator->alloc - bytes);
}

void cn_buffer_clear_block(const struct cairn_mutator *mutator, void *block, size_t bytes)
{
  uintptr_t start = (uintptr_t)block, end = start + bytes;

  CN_ASSERT(start >= mutator->buffer_start && end <= mutator->alloc);
  if (mutator->zeroed != 0 && end > mutator->zeroed)
    end = mutator->zeroed;
  if (start < end)
    memset(block, 0, end - start);
}

bool cn_buffer_extend_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end, size_t bytes)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && block < end);
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
  if (end != mutator->alloc || block < mutator->buffer_start || mutator->buffer_end - mutator->alloc < bytes)
    return false;
  mutator->alloc += bytes;
  if (handlers->walkable > block)
    handlers->walkable = block;
  return true;
}

bool cn_buffer_free_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  CN_ASSERT((block | end) % CAIRN_ABI_OBJECT_ALIGN == 0 && block < end);
  if (end != mutator->alloc || block < mutator->buffer_start)
    return false;
  /* If a handler jumps out here, cn_buffer_fill_unfinished() fills the block. */
  if (handlers->walkable > block)
    handlers->walkable = block;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (mutator->zeroed != 0 && mutator->zeroed < end) {
    uintptr_t from = mutator->zeroed > block ? mutator->zeroed : block;
    memset((void *)from, 0, end - from);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  mutator->allocated += end - block;
  mutator->alloc = block;
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
  return true;
}

void cn_buffer_merge_handler_part(struct cairn_mutator *mutator)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  if (handlers->alloc != handlers->start || handlers->start != mutator->buffer_end)
    return;
  mutator->buffer_end = handlers->end;
  handlers->start = handlers->alloc = handlers->end;
  cn_poll_word_open_alloc_limit(mutator);
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
}

/* ---- the handlers' part ---- */

static void begin_handler_part(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  CN_ASSERT(start <= end);
  mutator->allocated += handlers->alloc - handlers->start;
  cairn_fill(handlers->alloc, handlers->end);
  handlers->start = handlers->alloc = start;
  handlers->end = end;
}

/* Gives handlers the upper part of the buffer, and leaves space for a block that the interrupted code may be
 * allocating. */
static void carve_handler_part(struct cairn_mutator *mutator, size_t bytes)
{
  size_t room = mutator->buffer_end - mutator->alloc, part;

  if (room < CAIRN_ABI_INLINE_ALLOC_MAX || room - CAIRN_ABI_INLINE_ALLOC_MAX < bytes)
    return;
  part = (room - CAIRN_ABI_INLINE_ALLOC_MAX) / HANDLER_PART_DIVISOR & ~(size_t)7;
  if (part > MAX_HANDLER_PART_BYTES)
    part = MAX_HANDLER_PART_BYTES;
  if (part < bytes)
    part = bytes;
  CN_CHECK(mutator->limit == 0); /* otherwise the interrupted code could allocate in this part, too */
  begin_handler_part(mutator, mutator->buffer_end - part, mutator->buffer_end);
  mutator->buffer_end -= part;
  CN_CHECK(mutator->buffer_end - mutator->alloc >= CAIRN_ABI_INLINE_ALLOC_MAX);
}

void *cn_buffer_allocate_for_handler(struct cairn_mutator *mutator, size_t bytes)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes != 0);
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
  if (handlers->end - handlers->alloc < bytes)
    carve_handler_part(mutator, bytes);
  if (handlers->end - handlers->alloc < bytes)
    return NULL;
  handlers->alloc += bytes;
  return (void *)(handlers->alloc - bytes);
}

void cn_buffer_set_handlers_only(struct cairn_mutator *mutator, bool extend)
{
  CN_ASSERT(mutator->handlers.extending != extend);
  mutator->handlers.extending = extend;
}

bool cn_buffer_is_handler_part_low(const struct cairn_mutator *mutator)
{
  const struct cn_handler_buffer_part *handlers = &mutator->handlers;

  return handlers->end - handlers->alloc < handlers->alloc - handlers->start &&
         mutator->buffer_end - mutator->alloc < 4 * MAX_HANDLER_PART_BYTES;
}

/* The end of the object in the block at `block`; 0 if the block has no valid object that ends at `end` or before. */
static uintptr_t object_block_end(uintptr_t block, uintptr_t end)
{
  const uintptr_t *words = (const uintptr_t *)block;
  CN_ASSERT(block % CAIRN_ABI_OBJECT_ALIGN == 0 && block < end);
  size_t prefix = cairn_block_object(block) - block;
  bool indexed = prefix == CAIRN_ABI_INDEXED_HEADER_SIZE;
  uint64_t bytes;

  if (end - block < prefix)
    return 0;
  const struct cairn_layout *layout = cairn_header_layout(words[indexed]);
  if (!cairn_layout_is_known(layout) || (layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? words[0] >> 1 : 0, &bytes) != CAIRN_OK || bytes > end - block - prefix)
    return 0;
  return block + prefix + bytes;
}

/* Notes the blocks allocated after the last limit check of in-line allocation as unfilled. Compiled code does not clear
 * a block whose fields it stores next. If a handler's jump prevents the stores, the unreferenced object keeps words of
 * earlier objects. */
static void note_unfilled_blocks(uintptr_t from, uintptr_t end)
{
  while (end - from > CAIRN_ABI_INLINE_ALLOC_MAX)
    from = object_block_end(from, end);
  if (from != end)
    cn_unfilled_note_range(from, end);
}

/* Only blocks allocated after the last limit check may be incomplete; their header words may be words of earlier
 * objects. From the first block without a valid object up to the end, a filler replaces all blocks. */
void cn_buffer_fill_unfinished(struct cairn_mutator *mutator)
{
  uintptr_t end = mutator->alloc, from = mutator->handlers.walkable, next;

  CN_CHECK(from <= end);
  for (uintptr_t block = from; block != end; block = next) {
    next = object_block_end(block, end);
    if (next == 0) {
      cairn_fill(block, end);
      next = end;
    }
    CN_CHECK(block < next && next <= end);
  }
  note_unfilled_blocks(from, end);
  mutator->handlers.walkable = end;
}

/* ---- calls of the collector ---- */

static uintptr_t take_handler_part(struct cairn_mutator *mutator, uintptr_t *end)
{
  begin_handler_part(mutator, 0, 0);
  if (end != NULL)
    *end = mutator->handlers.given;
  return mutator->handlers.given;
}

/* Returns the end of the used memory. */
static uintptr_t fill_both_parts(struct cairn_mutator *mutator)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;

  cairn_fill(mutator->alloc, mutator->buffer_end);
  if (handlers->end == handlers->given)
    return handlers->alloc;
  cairn_fill(handlers->alloc, handlers->end);
  return handlers->given;
}

uintptr_t cairn_buffer_take(struct cairn_mutator *mutator, uintptr_t *end)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;
  uintptr_t free = mutator->alloc;

  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
  if (handlers->extending)
    return take_handler_part(mutator, end);
  mutator->allocated = cn_buffer_allocated_bytes(mutator);
  if (handlers->alloc != handlers->start || handlers->start != mutator->buffer_end || handlers->end != handlers->given)
    free = fill_both_parts(mutator);
  if (end != NULL)
    *end = handlers->given;
  cn_buffer_close_to_inline(mutator);
  mutator->buffer_start = mutator->alloc = mutator->buffer_end = 0;
  mutator->zeroed = 0;
  handlers->start = handlers->alloc = handlers->end = handlers->given = handlers->walkable = 0;
  return free;
}

void cairn_buffer_give(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  cairn_buffer_give_zeroed(mutator, start, end, end);
}

void cairn_buffer_give_zeroed(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end, uintptr_t zero)
{
  struct cn_handler_buffer_part *handlers = &mutator->handlers;
  size_t room = end - start, part = room / HANDLER_PART_DIVISOR & ~(size_t)7;

  CN_CHECK(start <= end && (start | end) % CAIRN_ABI_OBJECT_ALIGN == 0);
  handlers->given = end;
  if (handlers->extending) {
    begin_handler_part(mutator, start, end);
    return;
  }
  if (mutator->buffer_end != 0)
    cairn_fatal("the collector gives a second allocation buffer");
  if (part > MAX_HANDLER_PART_BYTES)
    part = MAX_HANDLER_PART_BYTES;
  if (mutator->wanted <= room && part > room - mutator->wanted)
    part = room - mutator->wanted; /* leaves space for the block that is being allocated */
  mutator->buffer_start = mutator->alloc = handlers->walkable = start;
  mutator->buffer_end = handlers->start = handlers->alloc = end - part;
  handlers->end = end;
  mutator->zeroed = zero < start ? start : zero;
  cn_poll_word_open_alloc_limit(mutator);
  CN_ASSERT_VALID(cn_buffer_wrong(mutator));
}

void cn_buffer_retire_mutator(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  cairn_fill(free, end);
}
