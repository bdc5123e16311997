/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector with a young generation, which checks barriers: what survives a young collection is
 * promoted at once. Every young collection looks at all of the old space, and each reference to a
 * young object there that no barrier has told of ends the program.
 *
 *   YOUNG_FULL=n    each n-th collection is a full one, which moves everything (default 5)
 *   YOUNG_REPORT=1  at the end of the program, say what was done
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c young.c cards.c && cairn-cc -O2 program.c young.o cards.o -o program
 *
 * Linked with cards.c. For words whose references carry no tag.
 */
#include "young.h"
#include "space.h"

enum { FOR_HANDLERS = 1 << 20 }; /* bytes of the nursery beyond what others get */

/* Each takes turns between two places, so that what was there before faults. */
static struct space nursery, old, from[2];
static uintptr_t nursery_at[2], old_at[2];
static unsigned nursery_turn, old_turn;
static size_t nursery_bytes;
static long every = 5, collections, full_ones, remembered;
static bool reports;

bool is_old(uintptr_t address)
{
  return within(&old, address);
}

static void new_nursery(size_t bytes)
{
  nursery = enter(nursery_at[nursery_turn++ % 2], nursery_bytes + FOR_HANDLERS + bytes);
  became_young(nursery.base, nursery.end);
}

static void new_old(size_t bytes)
{
  old = enter(old_at[old_turn++ % 2], bytes);
}

static enum cairn_status init(size_t initial, size_t most)
{
  const char *text;
  uintptr_t base = reserve(0, HEAP + PAGE_BYTES) + PAGE_BYTES;

  if ((text = getenv("YOUNG_FULL")))
    every = atol(text);
  reports = getenv("YOUNG_REPORT") != NULL;
  for (uintptr_t i = 0; i < 2; i++) {
    nursery_at[i] = base + i * (HEAP / 4);
    old_at[i] = base + (2 + i) * (HEAP / 4);
  }
  remember_init(base);
  nursery_bytes = initial < most / 8 ? initial : most / 8;
  new_nursery(0);
  new_old(1 << 20);
  return CAIRN_OK;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &nursery, bytes, FOR_HANDLERS);
}

/* For signal handlers, which cannot wait for a collection. */
static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &nursery, bytes, 0);
}

/* ---- a collection ---- */

static void move_reference(struct cairn_slot slot)
{
  for (int i = 0; i < 2; i++)
    if (within(&from[i], cairn_slot_object(slot) - CAIRN_ABI_HEADER_SIZE))
      cairn_slot_set(slot, move_object(cairn_slot_object(slot), &old));
}

/* Roots may point into objects. Starts are looked for before anything moves. */
struct root {
  uintptr_t *slot, start;
};
static struct root *roots;
static size_t root_count, root_room;

static void note_root(void *env, struct cairn_slot slot)
{
  uintptr_t address = cairn_slot_object(slot), start = 0;

  (void)env;
  for (int i = 0; i < 2; i++)
    if (within(&from[i], address - CAIRN_ABI_HEADER_SIZE))
      start = address % 8 == 0 && !cairn_arrays_uncleared() &&
                      *cairn_object_header(address) >> 32 != 0 &&
                      cairn_layout_is_known(cairn_object_layout(address))
                  ? address
                  : object_of(&from[i], address);
  if (start == 0)
    return;
  if (root_count == root_room) {
    root_room = root_room * 2 + 1024;
    roots = realloc(roots, root_room * sizeof *roots);
  }
  roots[root_count++] = (struct root){slot.address, start};
}

/* A root may come twice: then the second finds that it leads to the new place. */
static void move_roots(void)
{
  for (size_t i = 0; i < root_count; i++) {
    uintptr_t start = roots[i].start;
    for (int k = 0; k < 2; k++)
      if (within(&from[k], *roots[i].slot - CAIRN_ABI_HEADER_SIZE)) {
        *roots[i].slot = move_object(start, &old) + (*roots[i].slot - start);
        break;
      }
  }
}

/* All roots move before the runtime computes derived pointers anew from their bases. */
static void visit_roots(void)
{
  struct cairn_root_set *set;

  root_count = 0;
  cairn_roots_begin(false);
  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(set, note_root, NULL);
  move_roots();
  cairn_roots_end();
}

static void scan_field(void *env, struct cairn_slot slot)
{
  (void)env;
  move_reference(slot);
}

static void scan_promoted(uintptr_t object, const struct cairn_layout *layout)
{
  uint64_t bytes;

  cairn_object_visit(object, layout, scan_field, NULL);
  cairn_object_payload(object, layout, &bytes);
  became_old(object, object + bytes);
}

static bool is_covered(uintptr_t object, struct cairn_slot slot)
{
  if (!within(&old, object) || !within(&nursery, cairn_slot_object(slot) - CAIRN_ABI_HEADER_SIZE))
    return true;
  remember_logged();
  return is_remembered(object, slot);
}

static void check_field(void *env, struct cairn_slot slot)
{
  uintptr_t object = (uintptr_t)env;
  char place[200];

  if (!within(&from[0], cairn_slot_object(slot) - CAIRN_ABI_HEADER_SIZE))
    return;
  remembered++;
  if (is_remembered(object, slot))
    return;
  cairn_layout_place(cairn_object_layout(object), (uintptr_t)slot.address - object, place,
                     sizeof place);
  cairn_fatal("young: missing barrier at %s: collection %ld finds there a young object, of which no "
              "barrier has told",
              place, collections);
}

static void check_old(uintptr_t object, const struct cairn_layout *layout)
{
  cairn_object_visit(object, layout, check_field, (void *)object);
}

static void move_remembered(uintptr_t object, const struct cairn_layout *layout)
{
  cairn_object_visit(object, layout, scan_field, NULL);
}

/* Under stress, too, each n-th is full, whatever was wanted: young ones are what is looked at here. */
static void collect(const struct cairn_collection *collection)
{
  take_buffers(&nursery);
  size_t live = (old.free - old.base) + (nursery.free - nursery.base);
  bool full = ++collections % every == 0 ||
              collection->cause == CAIRN_CAUSE_EMERGENCY ||
              nursery.free - nursery.base > old.end - old.free;
  from[0] = nursery;
  from[1] = (struct space){0, 0, 0};
  remember_logged();
  walk(&old, old.base, check_old);
  new_nursery(collection->bytes_needed);
  if (full) {
    full_ones++;
    from[1] = old;
    new_old(4 * live + (1 << 20));
  }
  struct space before = old;
  visit_roots();
  if (!full)
    walk(&before, before.base, move_remembered);
  walk(&old, before.free, scan_promoted);
  forget_remembered();
  leave(&from[0]);
  leave(&from[1]);
}

static void forget(const unsigned char *start, const unsigned char *stop)
{
  take_buffers(&nursery);
  forget_in(&nursery, start, stop);
  forget_in(&old, start, stop);
}

static void ranges(cairn_range_visitor *visit, void *env)
{
  visit(env, nursery.base, nursery.free, true);
  visit(env, nursery.free, nursery.end, false);
  visit(env, old.base, old.free, true);
  visit(env, old.free, old.end, false);
}

struct cairn_collector young_collector = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                          .size = sizeof(struct cairn_collector),
                                          .name = "young",
                                          .traits = CAIRN_COLLECTOR_MOVES |
                                                    CAIRN_COLLECTOR_GENERATIONS |
                                                    CAIRN_COLLECTOR_WORDS,
                                          .init = init,
                                          .refill = refill,
                                          .grow = grow,
                                          .collect = collect,
                                          .forget = forget,
                                          .ranges = ranges,
                                          .covered = is_covered};

__attribute__((destructor)) static void report(void)
{
  if (reports)
    fprintf(stderr, "young: %ld collections, %ld full; %ld old fields led to young objects\n",
            collections, full_ones, remembered);
}
