/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector with a young generation, for the tests of cairn_visit_young_roots(): what survives a
 * young collection is promoted at once, and the nursery goes to fresh addresses, so that a
 * reference that was missed faults. Stores are not noticed: each young collection scans all of the
 * old space.
 *
 *   GENERATIONAL_FULL=n   each n-th collection is a full one, which moves everything (default 5)
 *   GENERATIONAL_CHECK=0     after each collection, do not look for references that it missed, on
 *                            all stacks
 *   GENERATIONAL_HELPERS=n   at most n of the runtime's workers fetch roots, and the collecting
 *                            thread does not, unless it is alone (default 0: it alone does)
 *   GENERATIONAL_REPORT=1    at the end of the program, say what was done
 *
 * Native code against include/cairn/collector.h and stack.h alone. Does not: run fast, bound the
 * heap, outlive the layouts of a library that is unloaded.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include <cairn/stack.h>

struct space {
  uintptr_t base, free, end;
};

#define RESERVED ((size_t)1 << 44)

static struct space nursery, old, from[2]; /* from: what is being left */
static size_t nursery_bytes;
enum { FOR_HANDLERS = 1 << 20 }; /* bytes of the nursery beyond these */
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* of the nursery, while the program runs */
static bool checks = true, reports;
static long every = 5, helpers, collections, young, passed, looked_at, helped;

/* Addresses are used once: from one end of the reservation to the other. */
static struct space map(size_t bytes)
{
  static uintptr_t next, end;

  bytes = (bytes + 4095) & ~(size_t)4095;
  if (next == 0) {
    size_t room = RESERVED;
    void *at = MAP_FAILED;
    for (; at == MAP_FAILED && room != 0; room /= 2)
      at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    next = at == MAP_FAILED ? 0 : (uintptr_t)at;
    end = next + 2 * room;
  }
  if (next == 0 || bytes > end - next || mprotect((void *)next, bytes, PROT_READ | PROT_WRITE))
    cairn_fatal("generational: no memory");
  next += bytes;
  return (struct space){next - bytes, next - bytes, next};
}

/* Where the program may not look any more. */
static void leave(struct space *space)
{
  if (space->base &&
      mmap((void *)space->base, space->end - space->base, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    cairn_fatal("generational: no memory");
  *space = (struct space){0};
}

static enum cairn_status init(size_t initial, size_t most)
{
  const char *text;

  if ((text = getenv("GENERATIONAL_FULL")))
    every = atol(text);
  if ((text = getenv("GENERATIONAL_CHECK")))
    checks = atoi(text);
  if ((text = getenv("GENERATIONAL_HELPERS")))
    helpers = atol(text);
  if ((text = getenv("GENERATIONAL_REPORT")))
    reports = atoi(text);
  nursery_bytes = initial < most / 8 ? initial : most / 8;
  nursery = map(nursery_bytes + FOR_HANDLERS);
  old = map(1 << 20);
  return CAIRN_OK;
}

/* The nursery is walked: what is left of a buffer becomes an object. */
static void take(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  if (end == nursery.free && end != 0)
    nursery.free = free;
  else
    cairn_fill(free, end);
}

/* A buffer of the nursery, of which `kept` bytes stay. */
static bool hand_out(struct cairn_mutator *mutator, size_t bytes, size_t kept)
{
  size_t share = (nursery.end - nursery.base) / 16 & ~(size_t)7, room;

  pthread_mutex_lock(&lock);
  room = nursery.end - nursery.free;
  room = room > kept ? room - kept : 0;
  if (share < bytes)
    share = bytes;
  if (share > room || cairn_mutator_count() == 1)
    share = room;
  if (share >= bytes) {
    take(mutator);
    cairn_buffer_give(mutator, nursery.free, nursery.free + share);
    nursery.free += share;
  }
  pthread_mutex_unlock(&lock);
  return share >= bytes;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  return hand_out(mutator, bytes, FOR_HANDLERS) ? CAIRN_OK : CAIRN_E_FULL;
}

/* For signal handlers, which cannot wait for a collection. */
static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  return hand_out(mutator, bytes, 0) ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* ---- objects ---- */

static bool within(const struct space *space, uintptr_t address)
{
  return address - space->base < space->free - space->base;
}

static size_t prefix_of(const struct cairn_layout *layout)
{
  return layout->elem_size ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
}

/* The payload of the object at `block` and the end of its block; a copy tells if there is one. */
static uintptr_t measure(uintptr_t block, uintptr_t *payload)
{
  uintptr_t first = *(uintptr_t *)block;
  bool forwarded = (first & 1) && within(&old, first - 1);
  bool indexed = (first & 1) && !forwarded;
  uint64_t bytes;

  *payload = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
  uintptr_t header = ((uintptr_t *)*payload)[-1];
  if (header & 1)
    header = ((uintptr_t *)(header - 1))[-1];
  if (cairn_header_is_gone(header))
    return *payload + cairn_header_gone_bytes(header);
  const struct cairn_layout *layout = (const struct cairn_layout *)header;
  if (!cairn_layout_is_known(layout) || (layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? first >> 1 : 0, &bytes))
    cairn_fatal("generational: no object at 0x%lx", (unsigned long)block);
  return *payload + bytes;
}

/* The object that `address` points into or just past: no index, just a walk from the start, if the
 * word before does not say that it is a header. */
static uintptr_t start_of(const struct space *space, uintptr_t address)
{
  uintptr_t payload, end;

  if (address % 8 == 0 && !cairn_arrays_uncleared()) {
    uintptr_t header = ((uintptr_t *)address)[-1];
    if (((header & 1) && within(&old, header - 1)) ||
        (header >> 32 != 0 && cairn_layout_is_known((const struct cairn_layout *)header)))
      return address;
  }
  for (uintptr_t block = space->base; block < space->free; block = end) {
    end = measure(block, &payload);
    if (end >= address)
      return address >= payload ? payload : 0;
  }
  return 0;
}

static uintptr_t move(uintptr_t at)
{
  uintptr_t *header = (uintptr_t *)at - 1;
  const struct cairn_layout *layout = (const struct cairn_layout *)*header;
  uint64_t payload;

  if (*header & 1)
    return *header - 1;
  if (!cairn_layout_is_known(layout))
    cairn_fatal("generational: no object at 0x%lx", (unsigned long)at);
  size_t before = prefix_of(layout);
  cairn_layout_payload(layout, layout->elem_size ? header[-1] >> 1 : 0, &payload);
  if (payload + before > old.end - old.free)
    cairn_fatal("generational: the old space is full");
  memcpy((void *)old.free, (char *)at - before, payload + before);
  uintptr_t to = old.free + before;
  old.free += payload + before;
  *header = to | 1;
  cairn_note_moved(payload + before);
  return to;
}

static void visit_field(uintptr_t *field)
{
  struct cairn_slot slot = {field};
  uintptr_t object = cairn_slot_object(slot), header = object - CAIRN_ABI_HEADER_SIZE;

  if (within(&from[0], header) || within(&from[1], header))
    cairn_slot_set(slot, move(object));
}

static void visit_root(void *env, struct cairn_slot slot)
{
  uintptr_t address = cairn_slot_object(slot), header = address - CAIRN_ABI_HEADER_SIZE;

  (void)env;
  for (int i = 0; i < 2; i++)
    if (within(&from[i], header)) {
      uintptr_t start = start_of(&from[i], address);
      if (start == 0)
        cairn_fatal("generational: root 0x%lx is in no object", (unsigned long)address);
      cairn_slot_set(slot, move(start) + (address - start));
    }
}

static void scan_old(void)
{
  uintptr_t payload, end;

  for (uintptr_t block = old.base; block < old.free; block = end) {
    end = measure(block, &payload);
    const struct cairn_layout *layout = cairn_object_layout(payload);
    if (layout == NULL)
      continue; /* it is gone */
    uint64_t count = layout->elem_size ? ((uintptr_t *)payload)[-2] >> 1 : 0;
    for (uint32_t i = 0; i < layout->base_refs; i++)
      visit_field((uintptr_t *)(payload + layout->offsets[i]));
    if (layout->elem_refs == 0)
      continue;
    for (uint64_t e = 0; e < count; e++)
      for (uint32_t i = 0; i < layout->elem_refs; i++)
        visit_field((uintptr_t *)(payload + layout->elem_offset + e * layout->elem_size +
                                  layout->offsets[layout->base_refs + i]));
  }
}

/* ---- roots ---- */

static void visit_locked(void *env, struct cairn_slot slot)
{
  static pthread_mutex_t moving = PTHREAD_MUTEX_INITIALIZER;

  pthread_mutex_lock(&moving);
  visit_root(env, slot);
  pthread_mutex_unlock(&moving);
}

static void help(void *fetched, unsigned worker, unsigned count)
{
  struct cairn_root_set *roots;

  if (worker == 0 && count > 1)
    return;
  while ((roots = cairn_roots_fetch()) != NULL) {
    cairn_roots_visit(roots, visit_locked, NULL);
    atomic_fetch_add((_Atomic long *)fetched, worker != 0);
  }
}

static uint64_t visit_helped(bool only_young)
{
  _Atomic long fetched = 0;

  cairn_roots_begin(only_young);
  cairn_workers_run((unsigned)helpers + 1, help, &fetched);
  helped += fetched;
  return cairn_roots_end();
}

static uint64_t visit_roots(bool only_young)
{
  uint64_t visited = 0;

  if (helpers > 0)
    return visit_helped(only_young);
  if (only_young)
    cairn_visit_young_roots(visit_root, NULL, &visited);
  else
    cairn_visit_roots(visit_root, NULL);
  return visited;
}

/* ---- the check: no root of any activation leads to where nothing is any more ---- */

static void check_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  const struct cairn_stack_iterator *it = env;

  (void)parameter;
  if (tag > CAIRN_ROOT_BASE)
    return;
  for (int i = 0; i < 2; i++)
    if (within(&from[i], cairn_slot_object((struct cairn_slot){slot}) - CAIRN_ABI_HEADER_SIZE))
      cairn_fatal("generational: collection %ld missed the root at %p, of the activation at 0x%lx",
                  collections, (void *)slot, (unsigned long)cairn_stack_ip(it));
}

static void check_slot(void *env, struct cairn_slot slot)
{
  (void)env;
  for (int i = 0; i < 2; i++)
    if (within(&from[i], cairn_slot_object(slot) - CAIRN_ABI_HEADER_SIZE))
      cairn_fatal("generational: collection %ld missed the root at %p, on another stack",
                  collections, (void *)slot.address);
}

/* The collecting thread's stack by an iterator, which knows where; then all stacks. */
static void check(void)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;
  struct cairn_root_set *roots;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    cairn_stack_get(&it, &state);
    if (*state.pc != cairn_stack_ip(&it))
      cairn_fatal("generational: the pc is not where it is said to be");
    cairn_stack_enumerate(&it, check_root, &it);
  }
  cairn_roots_begin(false);
  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(roots, check_slot, NULL);
  passed += (long)cairn_roots_end();
}

/* ---- collections ---- */

/* A program asks for collections to see young ones: each `every`-th is full, whoever asked. */
static void collect(const struct cairn_collection *collection)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take(m);
  size_t live = (old.free - old.base) + (nursery.free - nursery.base);
  bool full = ++collections % every == 0 || collection->cause == CAIRN_CAUSE_EMERGENCY ||
              nursery.free - nursery.base > old.end - old.free;
  from[0] = nursery;
  nursery = map(nursery_bytes + FOR_HANDLERS + collection->bytes_needed);
  if (full) {
    from[1] = old;
    old = map(4 * live + (1 << 20));
    visit_roots(false);
  } else {
    young++;
    looked_at += (long)visit_roots(true);
  }
  scan_old();
  if (checks) {
    long before = passed;
    check();
    if (full)
      looked_at += passed - before;
  }
  leave(&from[0]);
  leave(&from[1]);
}

/* Both spaces are walked over garbage. */
static void forget(const unsigned char *start, const unsigned char *stop)
{
  const struct space *const spaces[] = {&nursery, &old};
  uintptr_t payload, end;

  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take(m);
  for (int i = 0; i < 2; i++)
    for (uintptr_t block = spaces[i]->base; block < spaces[i]->free; block = end) {
      end = measure(block, &payload);
      const unsigned char *layout = (const unsigned char *)cairn_object_layout(payload);
      if (layout >= start && layout < stop)
        *cairn_object_header(payload) = cairn_header_gone(end - payload);
    }
}

static void stretches(cairn_stretch_visitor *visit, void *env)
{
  visit(env, nursery.base, nursery.free, true);
  visit(env, nursery.free, nursery.end, false);
  visit(env, old.base, old.free, true);
  visit(env, old.free, old.end, false);
}

static const struct cairn_collector generational = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                                    .size = sizeof(struct cairn_collector),
                                                    .name = "generational",
                                                    .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_WORDS |
                                                              CAIRN_COLLECTOR_GENERATIONS |
                                                              CAIRN_COLLECTOR_PARALLEL,
                                                    .init = init,
                                                    .refill = refill,
                                                    .grow = grow,
                                                    .collect = collect,
                                                    .forget = forget,
                                                    .stretches = stretches};

__attribute__((constructor(102))) static void use_generational(void)
{
  cairn_set_collector(&generational);
}

__attribute__((destructor)) static void report(void)
{
  if (reports)
    fprintf(stderr, "generational: %ld collections, %ld young; looked at %ld of %ld activations\n",
            collections, young, looked_at, passed);
  if (reports && helpers > 0)
    fprintf(stderr, "generational: helpers fetched %ld times\n", helped);
}
