/* SPDX-License-Identifier: Apache-2.0
 *
 * The simplest collector that moves: each collection copies what is reachable, depth first, to a
 * fresh mapping. Native code against include/cairn/collector.h alone. Does not: know interior
 * pointers, bound the heap well, run fast.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *space, *fresh;
static size_t size, used;
static long collections;

static char *map(size_t bytes)
{
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return at == MAP_FAILED ? NULL : (char *)at;
}

static enum cairn_status init(size_t initial, size_t most)
{
  size = initial < most ? initial : most;
  space = map(size);
  return space ? CAIRN_OK : CAIRN_E_MEMORY;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  enum cairn_status status = CAIRN_E_FULL;
  size_t share = size / 16 & ~(size_t)7;

  pthread_mutex_lock(&lock); /* several threads may come */
  if (share < bytes)
    share = bytes;
  if (share <= size - used) {
    cairn_buffer_take(mutator, NULL); /* what is left of it is lost until the next collection */
    cairn_buffer_give(mutator, (uintptr_t)space + used, (uintptr_t)space + used + share);
    used += share;
    status = CAIRN_OK;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  (void)mutator;
  (void)bytes;
  return CAIRN_E_MEMORY;
}

static void visit(void *env, struct cairn_slot slot);

/* Copy the object; leave the new address in its old header. */
static uintptr_t move(uintptr_t at)
{
  uintptr_t header = *cairn_object_header(at);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t payload;

  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  if (!cairn_layout_is_known(layout))
    cairn_fatal("no object at 0x%lx", (unsigned long)at);
  size_t before = at - cairn_object_block(at, layout);
  if (cairn_object_payload(at, layout, &payload))
    cairn_fatal("no length at 0x%lx", (unsigned long)at);
  memcpy(fresh + used, (char *)at - before, payload + before);
  uintptr_t to = (uintptr_t)fresh + used + before;
  used += payload + before;
  *cairn_object_header(at) = cairn_header_to(to);
  cairn_note_moved(payload + before);
  cairn_object_visit(to, layout, visit, NULL);
  return to;
}

static void visit(void *env, struct cairn_slot slot)
{
  uintptr_t object = cairn_slot_object(slot);

  (void)env;
  if (object - (uintptr_t)space < size)
    cairn_slot_set(slot, move(object));
}

static void collect(const struct cairn_collection *collection)
{
  struct cairn_mutator *m = NULL;

  while ((m = cairn_mutator_next(m)))
    cairn_buffer_take(m, NULL);
  size_t room = size + collection->bytes_needed;
  fresh = map(room);
  if (!fresh)
    cairn_fatal("no memory");
  used = 0;
  cairn_visit_roots(visit, NULL);
  munmap(space, size);
  space = fresh;
  size = room;
  collections++;
}

static const struct cairn_collector mine = {
    .version = CAIRN_ABI_COLLECTOR_VERSION,
    .size = sizeof(struct cairn_collector),
    .name = "mine",
    .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_WORDS,
    .init = init,
    .refill = refill,
    .grow = grow,
    .collect = collect};

__attribute__((constructor(102))) static void use_mine(void)
{
  cairn_set_collector(&mine);
}

__attribute__((destructor)) static void report(void)
{
  fprintf(stderr, "mine: %s\n", collections > 1 ? "several collections" : "none");
}
