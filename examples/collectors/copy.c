/* SPDX-License-Identifier: Apache-2.0
 *
 * The simplest collector that moves objects: each collection copies what is reachable to the other of two spaces
 * (Cheney 1970). Native code against <cairn/collector.h> and <cairn/heap_object.h> alone, for any number of threads.
 * Does not: copy on several threads, keep objects in place (pins, cairn_never_moves), know weak fields.
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c copy.c && cairn-cc -O2 program.c copy.o -o program
 *
 * Each space has addresses for the largest heap. Blocks lie one after another in [start, top) of `here`; what is left
 * of a thread's buffer is filled with an object that nothing refers to, so a walk goes from block to block. `there` has
 * no memory outside of collections, so a reference that was lost faults (CAIRN_STRESS=1).
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

enum { SHARE = 64 << 10, BITS = 64 }; /* bytes that a thread takes at a time; bits of a word of `starts` */

struct space {
  uintptr_t start, top;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `here.top` and `capacity`, outside of collections */
static struct space here, there;
static size_t initial, most, capacity; /* bytes; `here` may hold `capacity` before the next collection */
static uint64_t collections;
static uint64_t *starts; /* a bit for each word of `here`: an object's payload begins there */

/* ---- memory ---- */

static uintptr_t reserve(size_t bytes, int protection)
{
  void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

static void set_memory(const struct space *space, int protection)
{
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;

  if (mmap((void *)space->start, most, protection, flags, -1, 0) == MAP_FAILED)
    cairn_fatal("copy: no memory");
}

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  initial = capacity = initial_bytes;
  most = max_bytes & ~(size_t)7;
  here.start = here.top = reserve(most, PROT_READ | PROT_WRITE);
  there.start = there.top = reserve(most, PROT_NONE);
  starts = (uint64_t *)reserve(most / BITS + BITS, PROT_READ | PROT_WRITE);
  return here.start && there.start && starts ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* Take the mutator's buffer, and make its rest an object. */
static void take(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  cairn_fill(free, end);
}

static enum cairn_status give(struct cairn_mutator *mutator, size_t bytes, size_t limit)
{
  size_t room = limit - (here.top - here.start), share = bytes > SHARE ? bytes : SHARE;

  if (bytes > room)
    return CAIRN_E_FULL;
  if (share > room)
    share = room;
  take(mutator);
  cairn_buffer_give(mutator, here.top, here.top + share);
  here.top += share;
  return CAIRN_OK;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  pthread_mutex_lock(&lock);
  enum cairn_status status = give(mutator, bytes, capacity);
  pthread_mutex_unlock(&lock);
  return status;
}

static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  pthread_mutex_lock(&lock);
  enum cairn_status status = give(mutator, bytes, most) == CAIRN_OK ? CAIRN_OK : CAIRN_E_MEMORY;
  if (capacity < here.top - here.start)
    capacity = here.top - here.start;
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---- objects ---- */

/* Where the block of the object at `payload` ends. The object is not forwarded. */
static uintptr_t end_of(uintptr_t payload)
{
  uintptr_t header = *cairn_object_header(payload);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t bytes;

  if (cairn_header_is_gone(header))
    bytes = cairn_header_gone_bytes(header);
  else if (!cairn_layout_is_known(layout) || cairn_object_payload(payload, layout, &bytes) != CAIRN_OK)
    cairn_fatal("copy: no object is at 0x%lx", (unsigned long)payload);
  return payload + bytes;
}

static void take_all(void)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take(m);
}

static size_t bit_of(uintptr_t address)
{
  return (address - here.start) / CAIRN_ABI_OBJECT_ALIGN;
}

static void note_starts(void)
{
  memset(starts, 0, (bit_of(here.top) / BITS + 1) * sizeof *starts);
  for (uintptr_t block = here.start; block < here.top;) {
    uintptr_t payload = cairn_block_object(block);
    starts[bit_of(payload) / BITS] |= UINT64_C(1) << bit_of(payload) % BITS;
    block = end_of(payload);
  }
}

/* The object that `address` points to, into or just past: the last one that starts there or before. The object after it
 * starts later, for its header lies between. */
static uintptr_t object_of(uintptr_t address)
{
  size_t bit = bit_of(address), i = bit / BITS;
  uint64_t word = starts[i] & ~UINT64_C(0) >> (BITS - 1 - bit % BITS);

  while (word == 0 && i > 0)
    word = starts[--i];
  if (word == 0)
    cairn_fatal("copy: the root 0x%lx points to no object", (unsigned long)address);
  bit = i * BITS + (size_t)(BITS - 1 - __builtin_clzll(word));
  return here.start + bit * CAIRN_ABI_OBJECT_ALIGN;
}

/* ---- a collection ---- */

/* The object's copy, which is made now if it does not exist; its address replaces the old header. */
static uintptr_t copy(uintptr_t payload)
{
  uintptr_t header = *cairn_object_header(payload);
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  uintptr_t block = cairn_object_block(payload, layout), to = there.top + (payload - block);
  size_t bytes = end_of(payload) - block;
  memcpy((void *)there.top, (const void *)block, bytes);
  there.top += bytes;
  *cairn_object_header(payload) = cairn_header_to(to);
  cairn_note_moved(bytes);
  return to;
}

/* References in objects point to the starts of objects, or out of the heap; cairn_slot_object() of an immediate is 0.
 * The header decides: an array without elements that is the last object begins at `top`. */
static void visit_field(void *env, struct cairn_slot slot)
{
  uintptr_t object = cairn_slot_object(slot);

  (void)env;
  if (object - CAIRN_ABI_HEADER_SIZE - here.start < here.top - here.start)
    cairn_slot_set(slot, copy(object));
}

/* A root may point into an object, or just past it: it keeps its distance from the start. */
static void visit_root(void *env, struct cairn_slot slot)
{
  uintptr_t address = cairn_slot_object(slot);

  (void)env;
  if (here.top == here.start || address - here.start > here.top - here.start)
    return;
  uintptr_t object = object_of(address);
  cairn_slot_set(slot, copy(object) + (address - object));
}

/* Visit the fields of copies, in their order, until no field makes another copy. */
static void scan_copies(void)
{
  for (uintptr_t block = there.start; block < there.top;) {
    uintptr_t payload = cairn_block_object(block);
    cairn_object_visit(payload, cairn_object_layout(payload), visit_field, NULL);
    block = end_of(payload);
  }
}

static void collect(const struct cairn_collection *collection)
{
  struct space left = here;

  take_all();
  note_starts();
  set_memory(&there, PROT_READ | PROT_WRITE);
  there.top = there.start;
  cairn_visit_roots(visit_root, NULL);
  scan_copies();
  here = there;
  there = left;
  set_memory(&there, PROT_NONE);
  collections++;
  size_t live = here.top - here.start, wanted = 2 * live + collection->bytes_needed;
  capacity = wanted > initial ? wanted : initial;
  if (capacity > most)
    capacity = most;
}

/* ---- what the runtime asks ---- */

static bool was_unmapped(uintptr_t address, uint64_t *collection)
{
  *collection = collections;
  return collections != 0 && address - there.start < most;
}

/* Objects whose layouts go are garbage, and are walked over until the next collection: they keep their sizes. */
static void forget(const unsigned char *start, const unsigned char *stop)
{
  take_all();
  for (uintptr_t block = here.start; block < here.top;) {
    uintptr_t payload = cairn_block_object(block), end = end_of(payload);
    uintptr_t layout = (uintptr_t)cairn_object_layout(payload);
    if (layout >= (uintptr_t)start && layout < (uintptr_t)stop)
      *cairn_object_header(payload) = cairn_header_gone(end - payload);
    block = end;
  }
}

/* References into the space that objects left are lost ones: CAIRN_VERIFY=heap names them. */
static void ranges(cairn_range_visitor *visit, void *env)
{
  visit(env, here.start, here.top, true);
  visit(env, there.start, there.start + most, false);
}

static uint64_t used(void)
{
  return here.top - here.start;
}

static const struct cairn_collector copies = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                              .size = sizeof(struct cairn_collector),
                                              .name = "copy",
                                              .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_WORDS,
                                              .init = init,
                                              .refill = refill,
                                              .grow = grow,
                                              .collect = collect,
                                              .was_unmapped = was_unmapped,
                                              .forget = forget,
                                              .ranges = ranges,
                                              .used = used};

__attribute__((constructor(102))) static void use_copy(void)
{
  cairn_set_collector(&copies);
}
