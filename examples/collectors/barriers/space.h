/* SPDX-License-Identifier: Apache-2.0
 *
 * For the collectors of this folder: memory, and objects in it. Native code against the public
 * headers alone. A collector includes the file once.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

#define PAGE_BYTES 4096

/* Blocks lie in [base, free). */
struct space {
  uintptr_t base, free, end;
};

static inline bool within(const struct space *space, uintptr_t address)
{
  return address - space->base < space->free - space->base;
}

static inline uintptr_t pages(size_t bytes)
{
  return (bytes + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
}

/* Addresses without memory; at `where` if that is not 0. */
static inline uintptr_t reserve(uintptr_t where, size_t bytes)
{
  void *at = mmap((void *)where, bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0), -1, 0);

  if (at == MAP_FAILED || (where != 0 && at != (void *)where))
    cairn_fatal("collector: no addresses");
  return (uintptr_t)at;
}

/* A space of `bytes` at a reserved address. */
static inline struct space enter(uintptr_t at, size_t bytes)
{
  bytes = pages(bytes);
  if (mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) != 0)
    cairn_fatal("collector: no memory");
  return (struct space){at, at, at + bytes};
}

/* Where the program may not look any more. */
static inline void leave(struct space *space)
{
  if (space->base != space->end &&
      mmap((void *)space->base, space->end - space->base, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    cairn_fatal("collector: no memory");
  *space = (struct space){0, 0, 0};
}

/* Bytes for each of so many addresses, 0 until they are written. */
static inline unsigned char *table(size_t bytes)
{
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (at == MAP_FAILED)
    cairn_fatal("collector: no memory for a table");
  return at;
}

/* ---- allocation buffers ---- */

static pthread_mutex_t lock_of_buffers = PTHREAD_MUTEX_INITIALIZER;

/* The space is walked: what is left of a buffer becomes an object. */
static inline void take_buffer(struct cairn_mutator *mutator, struct space *space)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  if (end == space->free && end != 0)
    space->free = free;
  else
    cairn_fill(free, end);
}

static inline void take_buffers(struct space *space)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take_buffer(m, space);
}

/* A buffer of `bytes` at least, of which `kept` bytes of the space stay. */
static inline enum cairn_status give_buffer(struct cairn_mutator *mutator, struct space *space,
                                            size_t bytes, size_t kept)
{
  pthread_mutex_lock(&lock_of_buffers);
  size_t share = (space->end - space->base) / 16 & ~(size_t)7, room = space->end - space->free;
  room = room > kept ? room - kept : 0;
  if (share < bytes)
    share = bytes;
  if (share > room)
    share = room;
  if (share >= bytes) {
    take_buffer(mutator, space);
    share = share < space->end - space->free ? share : space->end - space->free;
    cairn_buffer_give(mutator, space->free, space->free + share);
    space->free += share;
  }
  pthread_mutex_unlock(&lock_of_buffers);
  return share >= bytes ? CAIRN_OK : CAIRN_E_FULL;
}

/* ---- objects ---- */

/* The object of the block, and where the next block begins. Nothing is forwarded. */
static inline uintptr_t next_block(uintptr_t block, uintptr_t *object)
{
  uint64_t bytes;

  *object = cairn_block_object(block);
  uintptr_t header = *cairn_object_header(*object);
  if (cairn_header_is_gone(header))
    return *object + cairn_header_gone_bytes(header);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cairn_layout_is_known(layout) || cairn_object_payload(*object, layout, &bytes) != CAIRN_OK)
    cairn_fatal("collector: no object at 0x%lx", (unsigned long)*object);
  return *object + bytes;
}

/* Visit the objects of blocks from `block` on, also of those that are added meanwhile. Returns the
 * end. */
static inline uintptr_t walk(const struct space *space, uintptr_t block,
                             void (*visit)(uintptr_t object, const struct cairn_layout *layout))
{
  uintptr_t object;

  while (block < space->free) {
    block = next_block(block, &object);
    if (cairn_object_layout(object) != NULL)
      visit(object, cairn_object_layout(object));
  }
  return block;
}

/* The object that `address` points into, or just past; before anything is forwarded. */
static inline uintptr_t object_of(const struct space *space, uintptr_t address)
{
  uintptr_t object;

  for (uintptr_t block = space->base; block < space->free;) {
    block = next_block(block, &object);
    if (block >= address)
      return address >= object ? object : 0;
  }
  return 0;
}

/* A copy of the object at `from`, in `to`; its own header says where it went. The bits of a header
 * that say what was logged do not go along. */
static inline uintptr_t move_object(uintptr_t from, struct space *to)
{
  uintptr_t header = *cairn_object_header(from);
  uint64_t bytes;

  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cairn_layout_is_known(layout) || cairn_object_payload(from, layout, &bytes) != CAIRN_OK)
    cairn_fatal("collector: no object at 0x%lx", (unsigned long)from);
  size_t before = from - cairn_object_block(from, layout);
  if (bytes + before > to->end - to->free)
    cairn_out_of_memory(false, "a space of the collector is full");
  memcpy((void *)to->free, (const void *)(from - before), bytes + before);
  uintptr_t object = to->free + before;
  to->free += bytes + before;
  *cairn_object_header(object) = header & CAIRN_ABI_HEADER_LAYOUT;
  *cairn_object_header(from) = cairn_header_to(object);
  cairn_note_moved(bytes + before);
  return object;
}

/* Layouts go: the objects that have them keep their sizes. */
static inline void forget_in(const struct space *space, const unsigned char *start,
                             const unsigned char *stop)
{
  uintptr_t object;

  for (uintptr_t block = space->base; block < space->free;) {
    block = next_block(block, &object);
    const unsigned char *layout = (const unsigned char *)cairn_object_layout(object);
    if (layout >= start && layout < stop)
      *cairn_object_header(object) = cairn_header_gone(block - object);
  }
}
