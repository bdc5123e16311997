/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation buffer.
 */
#include "runtime/heap/buffer.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"

enum {
  BESIDE = 16 << 10, /* bytes of a buffer for handlers; */
  SHARE = 32         /* of a small one, one part in this many */
};
_Static_assert(CAIRN_ABI_HEADER_SIZE == 8 && CAIRN_ABI_INDEXED_HEADER_SIZE == 16,
               "fill() writes one word, or two");
_Static_assert(BESIDE % CAIRN_ABI_OBJECT_ALIGN == 0, "parts of a buffer are blocks");

static struct {
  uintptr_t start, alloc, end;
  uintptr_t given;    /* the end of what the collector gave last */
  uintptr_t walkable; /* blocks of the buffer up to here have been looked at */
  bool extending;
} beside;

const char *cn_buffer_wrong(void)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
  const char *wrong = cn_mutator_wrong(mutator);

  if (wrong != NULL)
    return wrong;
  if (beside.start > beside.alloc || beside.alloc > beside.end)
    return "allocation buffer: the next block of handlers is not in their part";
  if ((beside.start | beside.alloc | beside.end | beside.given) % CAIRN_ABI_OBJECT_ALIGN != 0)
    return "allocation buffer: the part of handlers is not aligned";
  if (mutator->buffer_end != 0 &&
      (beside.walkable < mutator->buffer_start || beside.walkable > mutator->alloc))
    return "allocation buffer: blocks were looked at that are not in it";
  return NULL;
}

static uint64_t allocated; /* bytes, in buffers that were taken back */

uint64_t cn_buffer_allocated(void)
{
  return allocated + (cairn_mutator.alloc - cairn_mutator.buffer_start) +
         (beside.alloc - beside.start);
}

/* ---- fillers ---- */

static const struct cairn_layout fillers[2] = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC},                /* a header alone */
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8} /* words */
};

bool cn_buffer_is_filler(const struct cairn_layout *layout)
{
  return layout == &fillers[0] || layout == &fillers[1];
}

/* Fill the room with one object, to which nothing refers. */
static void fill(uintptr_t from, uintptr_t to)
{
  uintptr_t *block = (uintptr_t *)from;
  size_t bytes = to - from;

  CN_CHECK(from <= to && bytes % 8 == 0);
  CN_ASSERT(from % CAIRN_ABI_OBJECT_ALIGN == 0);
  if (bytes == CAIRN_ABI_HEADER_SIZE) {
    block[0] = (uintptr_t)&fillers[0];
  } else if (bytes != 0) {
    block[0] = (bytes - CAIRN_ABI_INDEXED_HEADER_SIZE) / 8 << 1 | 1;
    block[1] = (uintptr_t)&fillers[1];
  }
}

/* ---- the program's part ---- */

void cn_buffer_close(void)
{
  cairn_mutator.limit = 0;
}

void cn_buffer_open(void)
{
  cairn_mutator.limit = cn_options.stress != 0 ? 0 : cairn_mutator.buffer_end;
}

void *cn_buffer_allocate(size_t bytes)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes != 0);
  CN_ASSERT_VALID(cn_buffer_wrong());
  if (mutator->buffer_end - mutator->alloc < bytes)
    return NULL;
  mutator->alloc += bytes;
  return (void *)(mutator->alloc - bytes);
}

void cn_buffer_merge(void)
{
  if (beside.alloc != beside.start || beside.start != cairn_mutator.buffer_end)
    return;
  cairn_mutator.buffer_end = beside.end;
  beside.start = beside.alloc = beside.end;
  cn_buffer_open();
  CN_ASSERT_VALID(cn_buffer_wrong());
}

/* ---- the handlers' part ---- */

static void begin_beside(uintptr_t start, uintptr_t end)
{
  CN_ASSERT(start <= end);
  allocated += beside.alloc - beside.start;
  fill(beside.alloc, beside.end);
  beside.start = beside.alloc = start;
  beside.end = end;
}

/* Give handlers the upper part of the buffer, but leave room for the block that may be under way.
 */
static void carve(size_t bytes)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  size_t room = mutator->buffer_end - mutator->alloc, part;

  if (room < CAIRN_ABI_INLINE_ALLOC_MAX || room - CAIRN_ABI_INLINE_ALLOC_MAX < bytes)
    return;
  part = (room - CAIRN_ABI_INLINE_ALLOC_MAX) / SHARE & ~(size_t)7;
  if (part > BESIDE)
    part = BESIDE;
  if (part < bytes)
    part = bytes;
  CN_CHECK(mutator->limit == 0); /* else the interrupted code allocates in it, too */
  begin_beside(mutator->buffer_end - part, mutator->buffer_end);
  mutator->buffer_end -= part;
  CN_CHECK(mutator->buffer_end - mutator->alloc >= CAIRN_ABI_INLINE_ALLOC_MAX);
}

void *cn_buffer_allocate_beside(size_t bytes)
{
  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes != 0);
  CN_ASSERT_VALID(cn_buffer_wrong());
  if (beside.end - beside.alloc < bytes)
    carve(bytes);
  if (beside.end - beside.alloc < bytes)
    return NULL;
  beside.alloc += bytes;
  return (void *)(beside.alloc - bytes);
}

void cn_buffer_extend_beside(bool extend)
{
  CN_ASSERT(beside.extending != extend);
  beside.extending = extend;
}

bool cn_buffer_low(void)
{
  return beside.end - beside.alloc < beside.alloc - beside.start &&
         cairn_mutator.buffer_end - cairn_mutator.alloc < 4 * BESIDE;
}

/* The end of the object whose block starts there; 0 if no object that ends by `end` does. */
static uintptr_t block_end(uintptr_t block, uintptr_t end)
{
  const uintptr_t *words = (const uintptr_t *)block;
  CN_ASSERT(block % CAIRN_ABI_OBJECT_ALIGN == 0 && block < end);
  bool indexed = (words[0] & 1) != 0;
  size_t prefix = indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  uint64_t bytes;

  if (end - block < prefix)
    return 0;
  const struct cairn_layout *layout = (const struct cairn_layout *)words[indexed];
  if (!cairn_layout_is_known(layout) || (layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? words[0] >> 1 : 0, &bytes) != CAIRN_OK ||
      bytes > end - block - prefix)
    return 0;
  return block + prefix + bytes;
}

/* All blocks but the last are whole. The last one's header word may look like one of any size: if
 * it does not lead to the end, put a filler in its place. */
void cn_buffer_mend(void)
{
  uintptr_t end = cairn_mutator.alloc, next;

  CN_CHECK(beside.walkable <= end);
  for (uintptr_t block = beside.walkable; block != end; block = next) {
    next = block_end(block, end);
    if (next == 0) {
      fill(block, end);
      next = end;
    }
    CN_CHECK(block < next && next <= end);
  }
  beside.walkable = end;
}

/* ---- what the collector calls ---- */

static uintptr_t take_beside(uintptr_t *end)
{
  begin_beside(0, 0);
  if (end != NULL)
    *end = beside.given;
  return beside.given;
}

/* Fill the rest of both. Returns the end of what is used. */
static uintptr_t close_both(uintptr_t free)
{
  fill(free, cairn_mutator.buffer_end);
  if (beside.end == beside.given)
    return beside.alloc;
  fill(beside.alloc, beside.end);
  return beside.given;
}

uintptr_t cairn_buffer_take(uintptr_t *end)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uintptr_t free = mutator->alloc;

  CN_ASSERT_VALID(cn_buffer_wrong());
  if (beside.extending)
    return take_beside(end);
  allocated = cn_buffer_allocated();
  if (beside.alloc != beside.start || beside.start != mutator->buffer_end ||
      beside.end != beside.given)
    free = close_both(free);
  if (end != NULL)
    *end = beside.given;
  mutator->buffer_start = mutator->alloc = mutator->limit = mutator->buffer_end = 0;
  beside.start = beside.alloc = beside.end = beside.given = 0;
  return free;
}

void cairn_buffer_give(uintptr_t start, uintptr_t end)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  size_t part = (end - start) / SHARE & ~(size_t)7;

  CN_CHECK(start <= end && (start | end) % CAIRN_ABI_OBJECT_ALIGN == 0);
  beside.given = end;
  if (beside.extending) {
    begin_beside(start, end);
    return;
  }
  if (mutator->buffer_end != 0)
    cairn_fatal("the collector gives a second allocation buffer");
  if (part > BESIDE)
    part = BESIDE;
  mutator->buffer_start = mutator->alloc = beside.walkable = start;
  mutator->buffer_end = beside.start = beside.alloc = end - part;
  beside.end = end;
  cn_buffer_open();
  CN_ASSERT_VALID(cn_buffer_wrong());
}
