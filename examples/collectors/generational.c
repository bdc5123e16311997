/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector with a young generation that uses cairn_visit_young_roots(): what survives young
 * collections is promoted after some, or at once where a root of an activation leads to it
 * that may not come again. Young objects go to fresh addresses each time, so that a reference that
 * was missed faults. Stores are not noticed: each young collection scans all of the old space.
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c generational.c && cairn-cc -O2 program.c generational.o -o program
 *
 *   GENERATIONAL_FULL=n   each n-th collection is a full one, which moves everything (default 5)
 *   GENERATIONAL_AGE=n       an object stays young for n collections (default 2)
 *   GENERATIONAL_CHECK=0     after each collection, do not look for references that it missed, on
 *                            all stacks
 *   GENERATIONAL_HELPERS=n   at most n of the runtime's workers fetch roots, and the collecting
 *                            thread does not, unless it is alone (default 0: it alone does)
 *   GENERATIONAL_REPORT=1    at the end of the program, say what was done
 *
 * Native code against <cairn/collector.h> and <cairn/stack.h> alone. Does not: run fast, bound the
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

enum { SPACES = 3 };
static struct space nursery, survivors, old, from[SPACES]; /* from: what is being left */
static size_t nursery_bytes;
enum { FOR_HANDLERS = 1 << 20 }; /* bytes of the nursery beyond these */
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* of the nursery, while the program runs */
static bool checks = true, reports, full; /* full: the collection that is under way */
static long every = 5, ages = 2, helpers, collections, young, passed, looked_at, helped;
static long aged, settled; /* objects that stayed young; that were promoted before their time */

/* The first address from `at` on behind which `bytes` are in no space. */
static uintptr_t unused_from(uintptr_t at, size_t bytes)
{
  const struct space *spaces[] = {&nursery, &survivors, &old, &from[0], &from[1], &from[2]};

  for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
    if (spaces[i]->base < at + bytes && at < spaces[i]->end)
      return unused_from(spaces[i]->end, bytes);
  return at;
}

/* Addresses go from one end of the reservation to the other, so that those just left stay unused for long. */
static struct space map(size_t bytes)
{
  static uintptr_t start, next, end;

  bytes = (bytes + 4095) & ~(size_t)4095;
  if (next == 0) {
    size_t room = RESERVED;
    void *at = MAP_FAILED;
    for (; at == MAP_FAILED && room != 0; room /= 2)
      at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    next = start = at == MAP_FAILED ? 0 : (uintptr_t)at;
    end = next + 2 * room;
  }
  next = unused_from(next, bytes);
  if (next > end || bytes > end - next)
    next = unused_from(start, bytes);
  if (next == 0 || next > end || bytes > end - next || mprotect((void *)next, bytes, PROT_READ | PROT_WRITE))
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
  if ((text = getenv("GENERATIONAL_AGE")))
    ages = atol(text);
  if ((text = getenv("GENERATIONAL_CHECK")))
    checks = atoi(text);
  if ((text = getenv("GENERATIONAL_HELPERS")))
    helpers = atol(text);
  if ((text = getenv("GENERATIONAL_REPORT")))
    reports = atoi(text);
  nursery_bytes = initial < most / 8 ? initial : most / 8;
  nursery = map(nursery_bytes + FOR_HANDLERS);
  survivors = map(1);
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

static bool being_left(uintptr_t object)
{
  for (int i = 0; i < SPACES; i++)
    if (within(&from[i], object - CAIRN_ABI_HEADER_SIZE))
      return true;
  return false;
}

/* A count is odd, too: the address tells. */
static bool is_forwarded(uintptr_t header)
{
  return cairn_header_is_forwarded(header) && (within(&old, cairn_header_forwarded_to(header)) ||
                                               within(&survivors, cairn_header_forwarded_to(header)));
}

/* The payload of the object at `block` and the end of its block; a copy tells if there is one. */
static uintptr_t measure(uintptr_t block, uintptr_t *payload)
{
  uintptr_t first = *(uintptr_t *)block;
  bool indexed = (first & 1) && !is_forwarded(first);
  uint64_t bytes;

  *payload = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
  uintptr_t header = *cairn_object_header(*payload);
  if (is_forwarded(header))
    header = *cairn_object_header(cairn_header_forwarded_to(header));
  if (cairn_header_is_gone(header))
    return *payload + cairn_header_gone_bytes(header);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cairn_layout_is_known(layout) || (layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? first >> 1 : 0, &bytes))
    cairn_fatal("generational: no object at 0x%lx", (unsigned long)block);
  return *payload + bytes;
}

static uintptr_t start_in(const struct space *space, uintptr_t address)
{
  uintptr_t payload, end;

  if (address % 8 == 0 && !cairn_arrays_uncleared()) {
    uintptr_t header = *cairn_object_header(address);
    if (is_forwarded(header) ||
        (header >> 32 != 0 && cairn_layout_is_known(cairn_header_layout(header))))
      return address;
  }
  for (uintptr_t block = space->base; block < space->free; block = end) {
    end = measure(block, &payload);
    if (end >= address)
      return address >= payload ? payload : 0;
  }
  return 0;
}

/* The object that `address` points into or just past: no index, just a walk from the start, if the
 * word before does not say that it is a header. */
static uintptr_t start_of(uintptr_t address)
{
  uintptr_t start = 0;

  for (int i = 0; i < SPACES && start == 0; i++)
    if (within(&from[i], address - CAIRN_ABI_HEADER_SIZE))
      start = start_in(&from[i], address);
  if (start == 0)
    cairn_fatal("generational: root 0x%lx is in no object", (unsigned long)address);
  return start;
}

static uintptr_t copy(struct space *to, uintptr_t at, uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);
  uintptr_t block = cairn_object_block(at, layout);
  uint64_t payload;

  if (cairn_object_payload(at, layout, &payload) != CAIRN_OK ||
      at - block + payload > to->end - to->free)
    cairn_fatal("generational: a space is full");
  size_t bytes = at - block + payload;
  memcpy((void *)to->free, (void *)block, bytes);
  uintptr_t copy = to->free + (at - block);
  to->free += bytes;
  *cairn_object_header(copy) = header;
  *cairn_object_header(at) = cairn_header_to(copy);
  cairn_note_moved(bytes);
  return copy;
}

/* `settles`: it must not move again as long as it is in the young generation. */
static uintptr_t move(uintptr_t at, bool settles)
{
  uintptr_t header = *cairn_object_header(at), one = CAIRN_ABI_HEADER_AGE & -CAIRN_ABI_HEADER_AGE;
  bool old_enough = full || (long)((header & CAIRN_ABI_HEADER_AGE) / one) >= ages;

  if (is_forwarded(header)) {
    if (settles && !within(&old, cairn_header_forwarded_to(header)))
      cairn_fatal("generational: an object was aged before a root that settles came");
    return cairn_header_forwarded_to(header);
  }
  if (!cairn_layout_is_known(cairn_header_layout(header)))
    cairn_fatal("generational: no object at 0x%lx", (unsigned long)at);
  settled += settles && !old_enough;
  if (settles || old_enough)
    return copy(&old, at, header & ~(uintptr_t)CAIRN_ABI_HEADER_AGE);
  aged++;
  return copy(&survivors, at, header + one);
}

static void visit_field(uintptr_t *field)
{
  struct cairn_slot slot = {field};
  uintptr_t object = cairn_slot_object(slot);

  if (being_left(object))
    cairn_slot_set(slot, move(object, false));
}

static void update_root(struct cairn_slot slot, bool settles)
{
  uintptr_t address = cairn_slot_object(slot);

  if (!being_left(address))
    return;
  uintptr_t start = start_of(address);
  cairn_slot_set(slot, move(start, settles) + (address - start));
}

static void visit_root(void *env, struct cairn_slot slot)
{
  (void)env;
  update_root(slot, false);
}

static void settle_root(void *env, struct cairn_slot slot)
{
  (void)env;
  update_root(slot, true);
}

/* Returns where it stopped: the end of what is there by then. */
static uintptr_t scan(const struct space *space, uintptr_t block)
{
  uintptr_t payload, end;

  for (; block < space->free; block = end) {
    end = measure(block, &payload);
    const struct cairn_layout *layout = cairn_object_layout(payload);
    if (layout == NULL)
      continue; /* it is gone */
    uint64_t count = layout->elem_size ? cairn_object_count(payload) : 0;
    for (uint32_t i = 0; i < layout->base_refs; i++)
      visit_field((uintptr_t *)(payload + layout->offsets[i]));
    if (layout->elem_refs == 0)
      continue;
    for (uint64_t e = 0; e < count; e++)
      for (uint32_t i = 0; i < layout->elem_refs; i++)
        visit_field((uintptr_t *)(payload + layout->elem_offset + e * layout->elem_size +
                                  layout->offsets[layout->base_refs + i]));
  }
  return block;
}

/* All of the old space, and what has been copied. */
static void scan_all(void)
{
  uintptr_t in_old = old.base, in_survivors = survivors.base;

  while (in_old != old.free || in_survivors != survivors.free) {
    in_old = scan(&old, in_old);
    in_survivors = scan(&survivors, in_survivors);
  }
}

/* ---- roots ---- */

static void lock_and_update(struct cairn_slot slot, bool settles)
{
  static pthread_mutex_t moving = PTHREAD_MUTEX_INITIALIZER;

  pthread_mutex_lock(&moving);
  update_root(slot, settles);
  pthread_mutex_unlock(&moving);
}

static void visit_locked(void *env, struct cairn_slot slot)
{
  (void)env;
  lock_and_update(slot, false);
}

static void settle_locked(void *env, struct cairn_slot slot)
{
  (void)env;
  lock_and_update(slot, true);
}

struct round {
  cairn_root_visitor *visit;
  _Atomic long fetched;
};

static void help(void *env, unsigned worker, unsigned count)
{
  struct round *round = env;
  struct cairn_root_set *roots;

  if (worker == 0 && count > 1)
    return;
  while ((roots = cairn_roots_fetch()) != NULL) {
    cairn_roots_visit(roots, round->visit, NULL);
    atomic_fetch_add(&round->fetched, worker != 0);
  }
}

static void help_all(cairn_root_visitor *visit)
{
  struct round round = {.visit = visit};

  cairn_workers_run((unsigned)helpers + 1, help, &round);
  helped += round.fetched;
}

static uint64_t visit_helped(void)
{
  cairn_roots_begin(full ? CAIRN_ROOTS_ALL : CAIRN_ROOTS_YOUNG);
  if (!full) {
    help_all(settle_locked);
    cairn_roots_rest();
  }
  help_all(visit_locked);
  return cairn_roots_end();
}

static uint64_t visit_roots(void)
{
  if (helpers > 0)
    return visit_helped();
  if (!full)
    return cairn_visit_young_roots(settle_root, visit_root, NULL);
  cairn_visit_roots(visit_root, NULL);
  return 0;
}

/* ---- the check: no root of any activation leads to where nothing is any more ---- */

static void check_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  const struct cairn_stack_iterator *it = env;

  (void)parameter;
  if (tag > CAIRN_ROOT_BASE)
    return;
  if (being_left(cairn_slot_object((struct cairn_slot){slot})))
    cairn_fatal("generational: collection %ld missed the root at %p, of the activation at 0x%lx",
                collections, (void *)slot, (unsigned long)cairn_stack_ip(it));
}

static void check_slot(void *env, struct cairn_slot slot)
{
  (void)env;
  if (being_left(cairn_slot_object(slot)))
    cairn_fatal("generational: collection %ld missed the root at %p, on another stack", collections,
                (void *)slot.address);
}

/* The collecting thread's stack by an iterator, which knows where; then all stacks. */
static void check(void)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;
  struct cairn_root_set *roots;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    cairn_stack_get(&it, &state);
    if ((*state.pc ^ cairn_stack_ip(&it)) << 16 != 0) /* the upper bits may have a signature */
      cairn_fatal("generational: the pc is not where it is said to be");
    cairn_stack_enumerate(&it, check_root, &it);
  }
  cairn_roots_begin(CAIRN_ROOTS_LOOK);
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
  size_t fresh = nursery.free - nursery.base + (survivors.free - survivors.base);
  full = ++collections % every == 0 || collection->cause == CAIRN_CAUSE_EMERGENCY ||
         fresh > old.end - old.free;
  from[0] = nursery;
  from[1] = survivors;
  nursery = map(nursery_bytes + FOR_HANDLERS + collection->bytes_needed);
  survivors = map(fresh + 1);
  if (full) {
    from[2] = old;
    old = map(4 * (old.free - old.base + fresh) + (1 << 20));
    visit_roots();
  } else {
    young++;
    looked_at += (long)visit_roots();
  }
  scan_all();
  if (checks) {
    long before = passed;
    check();
    if (full)
      looked_at += passed - before;
  }
  for (int i = 0; i < SPACES; i++)
    leave(&from[i]);
}

/* The spaces are walked over garbage. */
static void forget(const unsigned char *start, const unsigned char *stop)
{
  const struct space *const spaces[] = {&nursery, &survivors, &old};
  uintptr_t payload, end;

  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take(m);
  for (int i = 0; i < SPACES; i++)
    for (uintptr_t block = spaces[i]->base; block < spaces[i]->free; block = end) {
      end = measure(block, &payload);
      const unsigned char *layout = (const unsigned char *)cairn_object_layout(payload);
      if (layout >= start && layout < stop)
        *cairn_object_header(payload) = cairn_header_gone(end - payload);
    }
}

static void ranges(cairn_range_visitor *visit, void *env)
{
  visit(env, nursery.base, nursery.free, true);
  visit(env, nursery.free, nursery.end, false);
  visit(env, survivors.base, survivors.free, true);
  visit(env, survivors.free, survivors.end, false);
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
                                                    .ranges = ranges};

__attribute__((constructor(102))) static void use_generational(void)
{
  cairn_set_collector(&generational);
}

__attribute__((destructor)) static void report(void)
{
  if (reports)
    fprintf(stderr, "generational: %ld collections, %ld young; looked at %ld of %ld activations\n",
            collections, young, looked_at, passed);
  if (reports)
    fprintf(stderr, "generational: %ld objects stayed young, %ld were promoted early\n", aged, settled);
  if (reports && helpers > 0)
    fprintf(stderr, "generational: helpers fetched %ld times\n", helped);
}
