/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that relocates while the program runs, and checks load barriers (in the manner of
 * Baker 1978). A collection gives roots their new addresses and lets the program run on; objects
 * follow when the program loads a reference to their old addresses, or in the steps of a thread,
 * which scans what was copied. The old space has a bit of addresses that the new one has not: that
 * is what barriers test.
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c loads.c
 *   cairn-cc -O2 -fcairn-barriers=loads program.c loads.o -o program
 *
 *   LOADS_AT_ONCE=1  nothing follows later: the program never meets an old address
 *   LOADS_STILL=1    there are no steps: what the program does not load follows at the next collection
 *   LOADS_REPORT=1   at the end of the program, say what was done
 *
 * The program never has an old address in its hands. At the next collection every root is looked
 * at: one that has missed a barrier is named. Then the old space goes, and such an address faults.
 */
#include "space.h"
#include "steps.h"

/* Two spaces take turns. In each, copies lie below and new objects above. */
static const uintptr_t at[2] = {UINT64_C(1) << 44, UINT64_C(1) << 45};
enum { FOR_HANDLERS = 1 << 20 };
static const uintptr_t half = UINT64_C(1) << 30;

static struct space old_copies, old_fresh, copies, fresh;
static unsigned turn;
static uintptr_t scanned; /* copies below this have no old addresses */
static size_t fresh_bytes;
static bool at_once, reports;
static long collections, healed;

/* A word may be an immediate. */
static bool is_from(uintptr_t word)
{
  return (word & cairn_words.mask) == 0 &&
         (within(&old_copies, word - CAIRN_ABI_HEADER_SIZE) ||
          within(&old_fresh, word - CAIRN_ABI_HEADER_SIZE));
}

static enum cairn_status init(size_t initial, size_t most)
{
  at_once = getenv("LOADS_AT_ONCE") != NULL;
  reports = getenv("LOADS_REPORT") != NULL;
  for (int i = 0; i < 2; i++)
    reserve(at[i], 2 * half);
  fresh_bytes = initial < most / 4 ? initial : most / 4;
  copies = enter(at[0], PAGE_BYTES);
  scanned = copies.base;
  fresh = enter(at[0] + half, fresh_bytes + FOR_HANDLERS);
  if (getenv("LOADS_STILL") == NULL)
    start_steps();
  return CAIRN_OK;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &fresh, bytes, FOR_HANDLERS);
}

static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &fresh, bytes, 0);
}

/* ---- copies ---- */

/* Any number of threads, and handlers that interrupt them. Nobody writes to an object at an old
 * address, so a copy is whole. Its first word comes last: walks end where there is none yet. Of two
 * copies one is nobody's; it is an object still. */
static uintptr_t copy(uintptr_t from)
{
  uintptr_t header = __atomic_load_n(cairn_object_header(from), __ATOMIC_ACQUIRE);
  uint64_t bytes;

  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cairn_layout_is_known(layout) || cairn_object_payload(from, layout, &bytes) != CAIRN_OK)
    cairn_fatal("loads: no object at 0x%lx", (unsigned long)from);
  size_t before = from - cairn_object_block(from, layout);
  uintptr_t to = __atomic_fetch_add(&copies.free, bytes + before, __ATOMIC_RELAXED);
  if (to + bytes + before > copies.end)
    cairn_out_of_memory(false, "the space for copies is full");
  memcpy((void *)(to + 8), (const void *)(from - before + 8), bytes + before - 8);
  if (before == CAIRN_ABI_INDEXED_HEADER_SIZE)
    *cairn_object_header(to + before) = header;
  uintptr_t first = before == CAIRN_ABI_INDEXED_HEADER_SIZE ? ((uintptr_t *)from)[-2] : header;
  __atomic_store_n((uintptr_t *)to, first, __ATOMIC_RELEASE);
  return cairn_object_forward(from, header, to + before);
}

static uintptr_t heal(struct cairn_mutator *mutator, struct cairn_slot slot, uintptr_t value)
{
  (void)mutator;
  if (!is_from(value))
    return value; /* outside the heap */
  uintptr_t to = copy(value), seen = value;
  __atomic_compare_exchange_n(slot.address, &seen, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  __atomic_fetch_add(&healed, 1, __ATOMIC_RELAXED);
  return to;
}

static void heal_field(void *env, struct cairn_slot slot)
{
  uintptr_t value = __atomic_load_n(slot.address, __ATOMIC_RELAXED);

  if (is_from(value)) {
    uintptr_t to = copy(value);
    __atomic_compare_exchange_n(slot.address, &value, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  (void)env;
}

static void heal_within(void *env, struct cairn_slot slot)
{
  const struct space *range = env;

  if ((uintptr_t)slot.address + 8 > range->base && (uintptr_t)slot.address < range->end)
    heal_field(NULL, slot);
}

/* A copy is about to read [start, end). Only copies have old addresses. */
static void heal_range(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  struct space range = {start, end, end};
  uintptr_t object, next;

  (void)mutator;
  if (!within(&copies, start) || start >= __atomic_load_n(&copies.free, __ATOMIC_RELAXED))
    return;
  for (uintptr_t block = copies.base; block < end && *(volatile uintptr_t *)block != 0; block = next) {
    next = next_block(block, &object);
    if (next > start && cairn_object_layout(object) != NULL)
      cairn_object_visit(object, cairn_object_layout(object), heal_within, &range);
  }
}

/* ---- scanning ---- */

/* The next copy, if there is one that is whole. */
static bool scan_one(void)
{
  uintptr_t object;

  if (scanned >= __atomic_load_n(&copies.free, __ATOMIC_RELAXED) ||
      __atomic_load_n((uintptr_t *)scanned, __ATOMIC_ACQUIRE) == 0)
    return false;
  scanned = next_block(scanned, &object);
  if (cairn_object_layout(object) != NULL)
    cairn_object_visit(object, cairn_object_layout(object), heal_field, NULL);
  return true;
}

static void step(void)
{
  for (int i = 0; i < 20; i++)
    if (!scan_one())
      return;
}

static enum cairn_status after_step(void)
{
  return CAIRN_OK;
}

static void check_root(void *env, struct cairn_slot slot)
{
  (void)env;
  if (is_from(*slot.address))
    cairn_fatal("loads: missing barrier: the root at %p is 0x%lx, an old address",
                (void *)slot.address, (unsigned long)*slot.address);
}

/* What is not copied by now is garbage. */
static void finish(void)
{
  struct cairn_root_set *set;

  while (scan_one())
    ;
  if (scanned != copies.free)
    cairn_fatal("loads: a copy is not whole");
  cairn_roots_begin(CAIRN_ROOTS_LOOK);
  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(set, check_root, NULL);
  cairn_roots_end();
  leave(&old_copies);
  leave(&old_fresh);
  cairn_barrier_word(0);
  steps_wanted = false;
}

/* ---- what CAIRN_VERIFY=heap sees ---- */

/* What is not copied yet lies where the walk does not look. */
static void ranges(cairn_range_visitor *visit, void *env)
{
  visit(env, copies.base, copies.free, true);
  visit(env, copies.free, copies.end, false);
  visit(env, fresh.base, fresh.free, true);
  visit(env, fresh.free, fresh.end, false);
}

/* Copies that are not scanned have old addresses, which lead to objects. In what the program has
 * made since, there is none but where it loaded one without a barrier and stored it. */
static bool is_covered(uintptr_t object, struct cairn_slot slot)
{
  uintptr_t word = *slot.address, header;

  if (!is_from(word))
    return true;
  header = *cairn_object_header(word);
  return object >= scanned && within(&copies, object) &&
         (cairn_header_is_forwarded(header) || cairn_layout_is_known(cairn_header_layout(header)));
}

/* ---- collections ---- */

struct root {
  uintptr_t *slot, start;
};
static struct root *roots;
static size_t root_count, root_room;

/* Starts are looked for before anything is forwarded. */
static void note_root(void *env, struct cairn_slot slot)
{
  uintptr_t address = *slot.address;

  (void)env;
  if (!is_from(address))
    return;
  if (root_count == root_room)
    roots = realloc(roots, (root_room = root_room * 2 + 1024) * sizeof *roots);
  const struct space *space =
      within(&old_copies, address - CAIRN_ABI_HEADER_SIZE) ? &old_copies : &old_fresh;
  uintptr_t start = address % 8 == 0 && !cairn_arrays_uncleared() &&
                            *cairn_object_header(address) >> 32 != 0 &&
                            cairn_layout_is_known(cairn_object_layout(address))
                        ? address
                        : object_of(space, address);
  roots[root_count++] = (struct root){slot.address, start};
}

/* All roots move before the runtime computes derived pointers anew from their bases. */
static void copy_roots(void)
{
  struct cairn_root_set *set;

  root_count = 0;
  cairn_roots_begin(false);
  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(set, note_root, NULL);
  for (size_t i = 0; i < root_count; i++)
    if (is_from(*roots[i].slot))
      *roots[i].slot = copy(roots[i].start) + (*roots[i].slot - roots[i].start);
  cairn_roots_end();
}

static void collect(const struct cairn_collection *collection)
{
  collections++;
  take_buffers(&fresh);
  finish();
  size_t live = (copies.free - copies.base) + (fresh.free - fresh.base);
  old_copies = copies;
  old_fresh = fresh;
  turn = !turn;
  copies = enter(at[turn], 2 * live + PAGE_BYTES);
  scanned = copies.base;
  fresh = enter(at[turn] + half, fresh_bytes + FOR_HANDLERS + collection->bytes_needed);
  copy_roots();
  cairn_barrier_word(at[!turn]);
  steps_wanted = true;
  if (at_once)
    finish();
}

static void forget(const unsigned char *start, const unsigned char *stop)
{
  take_buffers(&fresh);
  finish();
  forget_in(&copies, start, stop);
  forget_in(&fresh, start, stop);
}

static const struct cairn_collector loads = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                             .size = sizeof(struct cairn_collector),
                                             .name = "loads",
                                             .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_WORDS,
                                             .barriers = CAIRN_ABI_BARRIERS_LOADS,
                                             .init = init,
                                             .refill = refill,
                                             .grow = grow,
                                             .collect = collect,
                                             .forget = forget,
                                             .ranges = ranges,
                                             .covered = is_covered,
                                             .heal = heal,
                                             .barrier_range = heal_range};

__attribute__((constructor(102))) static void use_loads(void)
{
  cairn_set_collector(&loads);
}

__attribute__((destructor)) static void report(void)
{
  if (reports)
    fprintf(stderr, "loads: %ld collections, %ld loads healed, %ld steps\n", collections, healed,
            steps);
}
