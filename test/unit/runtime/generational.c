/* SPDX-License-Identifier: Apache-2.0
 *
 * The generational collector over a root set of our own, beside a model: a graph of plain structs
 * that changes as the heap does, and is compared with it after each collection. What would go
 * wrong: a reference keeps its old value, an object that only an old one leads to is lost, one is
 * copied twice or cut short, a hole is filled over a living object, a damaged heap is copied on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "collectors/generational/blocks.h"
#include "collectors/generational/tables.h"
#include "collectors/generational/tracers.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/heap/pins.h"
#include "runtime/heap/verify_heap.h"
#include "runtime/threads/workers.h"

typedef uintptr_t ref;

enum { ROOTS = 64, SLOTS = 3, SET = 8 /* roots that are fetched together */, WORKERS = 4 };

/* node {ref, ref, ref, long}; array of refs; bytes; nothing */
static struct layouts {
  struct cairn_layout node;
  uint32_t node_offsets[3];
  struct cairn_layout refs;
  uint32_t refs_offsets[2];
  struct cairn_layout bytes;
  struct cairn_layout empty;
} layouts = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 3, .base_size = 32},
    {0, 8, 16},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .elem_refs = 1},
    {0},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 1, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
};
static const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                         .size = sizeof(struct cairn_image),
                                         .flags = CAIRN_ABI_BARRIERS_CARDS
                                                  << CAIRN_ABI_IMAGE_BARRIERS_SHIFT,
                                         .layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};

static ref roots[ROOTS];
static const struct cairn_collector *const collector = &cairn_collector_generational;

/* ---- in the runtime's place ---- */

void cn_verify_heap(bool after, uint64_t collection, bool with_roots)
{
  (void)after;
  (void)collection;
  (void)with_roots;
}

static _Atomic size_t fetched;

void cairn_roots_begin(enum cairn_roots which)
{
  (void)which;
  fetched = 0;
}

void cairn_roots_rest(void)
{
}

struct cairn_root_set *cairn_roots_fetch(void)
{
  size_t first = atomic_fetch_add(&fetched, SET);

  return first < ROOTS ? (struct cairn_root_set *)&roots[first] : NULL;
}

/* Each comes twice. */
void cairn_roots_visit_array(struct cairn_root_set *set, cairn_roots_visitor *visit, void *env)
{
  uintptr_t *slots[2 * SET];

  for (int i = 0; i < 2 * SET; i++)
    slots[i] = (uintptr_t *)set + i % SET;
  visit(env, slots, 2 * SET);
}

void cairn_roots_visit(struct cairn_root_set *set, cairn_root_visitor *visit, void *env)
{
  (void)set;
  (void)visit;
  (void)env;
}

uint64_t cairn_roots_end(void)
{
  return 0;
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  (void)visit;
  (void)env;
}

static void run(enum cairn_extent extent, size_t bytes_needed)
{
  collector->collect(&(struct cairn_collection){CAIRN_CAUSE_ASKED, extent, bytes_needed});
}

/* ---- objects, as compiled code makes them ---- */

/* Room in the buffer; null: a collection is due. */
static uintptr_t *in_buffer(size_t bytes)
{
  if (cairn_mutator.buffer_end - cairn_mutator.alloc < bytes &&
      collector->refill(&cairn_mutator, bytes) != CAIRN_OK)
    return NULL;
  if (cairn_mutator.buffer_end - cairn_mutator.alloc < bytes)
    return NULL;
  cairn_mutator.alloc += bytes;
  return (uintptr_t *)(cairn_mutator.alloc - bytes);
}

static uintptr_t *try_block(size_t bytes)
{
  void *block = NULL;

  if (bytes < 8 << 10)
    block = in_buffer(bytes);
  else if (collector->allocate_large(&cairn_mutator, bytes, true, &block) != CAIRN_OK)
    return NULL;
  return block ? memset(block, 0, bytes) : NULL;
}

static uintptr_t *block(size_t bytes, enum cairn_extent extent)
{
  uintptr_t *at = try_block(bytes);

  for (int i = 0; at == NULL && i < 2; i++) {
    run(i == 0 ? extent : CAIRN_EXTENT_FULL, bytes);
    at = try_block(bytes);
  }
  return at;
}

static enum cairn_extent usual = CAIRN_EXTENT_YOUNG;

static ref object(const struct cairn_layout *layout)
{
  uintptr_t *at = block(8 + layout->base_size, usual);

  if (at == NULL)
    return 0;
  at[0] = (uintptr_t)layout;
  return (ref)(at + 1);
}

static ref indexed(const struct cairn_layout *layout, uint64_t count)
{
  uint64_t payload = 0;

  assert_int_equal(cairn_layout_payload(layout, count, &payload), CAIRN_OK);
  uintptr_t *at = block(16 + payload, usual);
  if (at == NULL)
    return 0;
  at[0] = count << 1 | 1;
  at[1] = (uintptr_t)layout;
  return (ref)(at + 2);
}

static uintptr_t *words(ref r)
{
  return (uintptr_t *)r;
}

static void store(ref object, size_t i, ref value)
{
  uintptr_t *slot = &words(object)[i];

  cairn_mutator.cards[(uintptr_t)slot >> CAIRN_ABI_CARD_SHIFT & cairn_mutator.card_mask] = 1;
  *slot = value;
}

/* ---- the model ---- */

/* What an object is to be. Nodes number themselves in their last word, arrays of references are
 * known by the model alone, bytes have their number in each byte. */
struct model {
  const struct cairn_layout *layout;
  size_t count; /* of slots, or of bytes */
  struct model **slots;
  unsigned number;
  ref seen; /* where it was found, in check `round` */
  unsigned round;
  ref pinned;                 /* where it stays while it has pins: */
  unsigned starts, interiors; /* of its start; of an address in it, or just past it */
};
static struct model *model_roots[ROOTS];
static struct model **all;
static size_t models, room_for_models;
static unsigned round_now;

static struct model *model(const struct cairn_layout *layout, size_t count)
{
  struct model *made = calloc(1, sizeof *made);

  made->layout = layout;
  made->count = count;
  made->number = (unsigned)models;
  made->slots = layout == &layouts.bytes ? NULL : calloc(count + 1, sizeof *made->slots);
  if (models == room_for_models) {
    room_for_models = 2 * room_for_models + 1024;
    all = realloc(all, room_for_models * sizeof *all);
  }
  return all[models++] = made;
}

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (seed >> 33) % below;
}

/* Arrays of references from a few to some thousand, and large ones now and then. */
static size_t some_count(void)
{
  size_t most = draw(20) == 0 ? 3000 : draw(4) == 0 ? 300 : 10;

  return draw(most) + 1;
}

static void make(size_t i)
{
  unsigned kind = (unsigned)draw(8);
  size_t count = some_count();
  ref made;

  if (kind < 5) {
    made = object(&layouts.node);
    model_roots[i] = model(&layouts.node, SLOTS);
    words(made)[SLOTS] = model_roots[i]->number;
  } else if (kind == 5) {
    made = indexed(&layouts.refs, count);
    model_roots[i] = model(&layouts.refs, count);
  } else if (kind == 6) {
    made = indexed(&layouts.bytes, 8 * count);
    model_roots[i] = model(&layouts.bytes, 8 * count);
    memset(words(made), (int)model_roots[i]->number, 8 * count);
  } else {
    made = object(&layouts.empty);
    model_roots[i] = model(&layouts.empty, 0);
  }
  roots[i] = made;
}

/* Let a slot of one root lead to another, or have a root lead where such a slot does. */
static void link_two(void)
{
  size_t from = draw(ROOTS), to = draw(ROOTS);
  struct model *m = model_roots[from];

  if (m == NULL || m->slots == NULL || m->count == 0)
    return;
  size_t slot = draw(m->count);
  if (draw(3) != 0) {
    m->slots[slot] = model_roots[to];
    store(roots[from], slot, roots[to]);
  } else {
    model_roots[to] = m->slots[slot];
    roots[to] = words(roots[from])[slot];
  }
}

/* Pin what a root leads to, or let it go. Of what becomes garbage meanwhile the pins go with it. */
static void pin_or_unpin(void)
{
  size_t i = draw(ROOTS);
  struct model *m = model_roots[i];
  bool inside = draw(2) == 0;

  if (m == NULL)
    return;
  ref at = roots[i] + (inside ? m->count & ~(size_t)7 : 0);
  unsigned *pins = inside && at != roots[i] ? &m->interiors : &m->starts;
  if (*pins != 0 && draw(2) == 0) {
    cairn_unpin_address_at((void *)at, "unit.c:2");
    --*pins;
  } else if (draw(8) == 0) {
    assert_ptr_equal(cairn_pin_at(at, "unit.c:1"), (void *)at);
    ++*pins;
    m->pinned = roots[i];
  }
}

struct pair {
  struct model *model;
  ref at;
};
static struct pair *waiting;
static size_t waits, room_for_waiting;

static void compare(struct model *m, ref at)
{
  if (m == NULL) {
    assert_int_equal(at, 0);
    return;
  }
  if (m->round == round_now) {
    assert_int_equal(at, m->seen);
    return;
  }
  m->round = round_now;
  m->seen = at;
  if (m->starts + m->interiors != 0)
    assert_int_equal(at, m->pinned);
  if (waits == room_for_waiting) {
    room_for_waiting = 2 * room_for_waiting + 1024;
    waiting = realloc(waiting, room_for_waiting * sizeof *waiting);
  }
  waiting[waits++] = (struct pair){m, at};
}

static void compare_content(const struct model *m, ref at)
{
  assert_ptr_equal(words(at)[-1], m->layout);
  if (m->layout->elem_size != 0)
    assert_int_equal(words(at)[-2], m->count << 1 | 1);
  if (m->layout == &layouts.node)
    assert_int_equal(words(at)[SLOTS], m->number);
  if (m->layout == &layouts.bytes)
    for (size_t i = 0; i < m->count; i++)
      assert_int_equal(((unsigned char *)at)[i], (unsigned char)m->number);
  else
    for (size_t i = 0; i < m->count; i++)
      compare(m->slots[i], words(at)[i]);
}

/* Compare all that is reachable, and forget the models of what is not. */
static void check(void)
{
  size_t kept = 0;

  round_now++;
  for (int i = 0; i < ROOTS; i++)
    compare(model_roots[i], roots[i]);
  while (waits != 0) {
    struct pair next = waiting[--waits];
    compare_content(next.model, next.at);
  }
  for (size_t i = 0; i < models; i++)
    if (all[i]->round == round_now) {
      all[kept++] = all[i];
    } else {
      free(all[i]->slots);
      free(all[i]);
    }
  models = kept;
}

/* A walk over all stretches meets each object that there is to be. The nursery is empty, and is the
 * mutator's buffer. */
static size_t met;

static void meet(void *env, uintptr_t start, uintptr_t end, bool blocks)
{
  (void)env;
  if (!blocks || start == cairn_mutator.alloc)
    return;
  for (uintptr_t at = start, object, next; at < end; at = next) {
    uint64_t bytes = 0;
    object = cairn_block_object(at);
    const struct cairn_layout *layout = cairn_object_layout(object);
    assert_true(cairn_layout_is_known(layout));
    assert_int_equal(cairn_object_payload(object, layout, &bytes), CAIRN_OK);
    next = object + bytes;
    assert_true(next <= end);
    for (size_t i = 0; i < models && models < 2000; i++)
      met += all[i]->seen == object;
  }
}

static void walk_all(void)
{
  met = 0;
  collector->stretches(meet, NULL);
  if (models < 2000)
    assert_int_equal(met, models);
}

static void clean(void)
{
  memset(roots, 0, sizeof roots);
  memset(model_roots, 0, sizeof model_roots);
  check();
}

static bool pins;

static void change(long steps)
{
  for (long i = 0; i < steps; i++)
    if (draw(3) == 0)
      make(draw(ROOTS));
    else if (pins && draw(3) == 0)
      pin_or_unpin();
    else
      link_two();
}

static void beside_a_model(enum cairn_extent one, enum cairn_extent other, int rounds, long steps)
{
  clean();
  usual = one;
  for (int i = 0; i < rounds; i++) {
    change(draw(8) == 0 ? steps * 20 : steps);
    run(draw(5) == 0 ? other : one, 0);
    check();
    if (i % 16 == 0)
      walk_all();
  }
}

static size_t bytes_of_blocks(void)
{
  size_t low, high, bytes = 0;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    bytes += cn_blocks_has_objects(block) ? CN_BLOCK : 0;
  return bytes;
}

/* ---- tests ---- */

static int alone(void **state)
{
  (void)state;
  cn_tracers_alone = SIZE_MAX;
  return 0;
}

/* From the first object on. */
static int several(void **state)
{
  (void)state;
  cn_tracers_alone = 0;
  return 0;
}

static void young_and_full(void **state)
{
  (void)state;
  for (seed = 1; seed < 5; seed++)
    beside_a_model(CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_FULL, 300, 500);
}

static void all_move(void **state)
{
  (void)state;
  seed = 7;
  beside_a_model(CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_MOVE_ALL, 300, 100);
}

/* After the first collection that moves all, others go on. */
static void all_kinds(void **state)
{
  (void)state;
  seed = 8;
  beside_a_model(CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_MOVE_ALL, 200, 300);
  beside_a_model(CAIRN_EXTENT_FULL, CAIRN_EXTENT_MOVE_ALL, 200, 300);
}

/* What is pinned stays, whatever the collection does; what is only pinned goes. */
static void pinned_stay(void **state)
{
  (void)state;
  pins = true;
  for (seed = 11; seed < 14; seed++) {
    beside_a_model(CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_FULL, 200, 300);
    beside_a_model(CAIRN_EXTENT_FULL, CAIRN_EXTENT_YOUNG, 100, 300);
  }
  pins = false;
  clean();
  run(CAIRN_EXTENT_FULL, 0);
  assert_false(cairn_pins_any());
  assert_null(cn_pins_wrong());
}

static void pinned_stay_when_all_move(void **state)
{
  (void)state;
  pins = true;
  seed = 17;
  beside_a_model(CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_MOVE_ALL, 200, 100);
  beside_a_model(CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_MOVE_ALL, 200, 100);
  beside_a_model(CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_FULL, 200, 100);
  pins = false;
  clean();
  run(CAIRN_EXTENT_FULL, 0);
  assert_false(cairn_pins_any());
}

/* A young object that is pinned is as good as an old one: the nursery goes elsewhere. When nothing
 * pins it a full collection may move it. */
static void pinned_in_nursery(void **state)
{
  enum { COUNT = 300 };

  (void)state;
  clean();
  usual = CAIRN_EXTENT_YOUNG;
  roots[0] = indexed(&layouts.refs, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    ref node = object(&layouts.node);
    store(roots[0], i, node);
    words(node)[SLOTS] = i;
    (void)cairn_pin_at(node, "unit.c:3");
    run(CAIRN_EXTENT_YOUNG, 0);
    assert_int_equal(words(roots[0])[i], node);
    store(node, 0, object(&layouts.empty));
  }
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(words(words(roots[0])[i])[SLOTS], i);
    assert_ptr_equal(words(words(words(roots[0])[i])[0])[-1], &layouts.empty);
    cairn_unpin_address_at((void *)words(roots[0])[i], "unit.c:4");
  }
  assert_false(cairn_pins_any());
  for (int i = 0; i < 3; i++)
    run(CAIRN_EXTENT_FULL, 0);
  assert_in_range(bytes_of_blocks() / CN_BLOCK, 1, COUNT / 4);
}

/* A block that stays where the nursery was counts: else they would be more and more. */
static void pinned_nurseries_go(void **state)
{
  (void)state;
  clean();
  usual = CAIRN_EXTENT_YOUNG;
  for (int i = 0; i < 3000; i++) {
    roots[0] = object(&layouts.node);
    (void)cairn_pin_at(roots[0], "unit.c:5");
    run(CAIRN_EXTENT_YOUNG, 0);
    cairn_unpin_address_at((void *)roots[0], "unit.c:6");
    assert_true(bytes_of_blocks() <= 64 << 20);
  }
}

/* An object that only an old one leads to, by each card of a large array and of a block. */
static void only_cards(void **state)
{
  enum { COUNT = 5000 };

  (void)state;
  clean();
  roots[0] = indexed(&layouts.refs, COUNT);
  roots[1] = 0;
  for (int i = 0; i < 500; i++) {
    ref node = object(&layouts.node);
    words(node)[0] = roots[1];
    roots[1] = node;
  }
  run(CAIRN_EXTENT_YOUNG, 0);
  ref array = roots[0];
  for (size_t i = 0; i < COUNT; i += 7) {
    store(array, i, object(&layouts.node));
    words(words(array)[i])[SLOTS] = i;
    run(CAIRN_EXTENT_YOUNG, 0);
    assert_int_equal(words(words(array)[i])[SLOTS], i);
  }
  for (ref at = roots[1]; at != 0; at = words(at)[0]) {
    store(at, 2, object(&layouts.empty));
    run(CAIRN_EXTENT_YOUNG, 0);
    assert_ptr_equal(words(words(at)[2])[-1], &layouts.empty);
  }
  assert_int_equal(roots[0], array);
}

/* What old objects do not lead to is freed: large ones by a young collection, others by a full one;
 * else the heap, 64 MB, would be full. */
static void garbage_goes(void **state)
{
  (void)state;
  clean();
  usual = CAIRN_EXTENT_YOUNG;
  for (int i = 0; i < 3000; i++)
    assert_int_not_equal(indexed(&layouts.bytes, 1 << 20), 0);
  for (int i = 0; i < 200; i++) {
    roots[0] = 0;
    for (int k = 0; k < 40000; k++) {
      ref node = object(&layouts.node);
      words(node)[0] = roots[0];
      roots[0] = node;
    }
  }
}

/* One old object of thirty stays, so that each line has one: they are moved together. */
static void fragments_join(void **state)
{
  enum { COUNT = 300000, EACH = 30 };
  size_t length = 0;

  (void)state;
  clean();
  roots[0] = 0;
  for (int i = 0; i < COUNT; i++) {
    ref node = object(&layouts.node);
    words(node)[0] = roots[0];
    roots[0] = node;
  }
  run(CAIRN_EXTENT_FULL, 0);
  for (ref at = roots[0], next; at != 0; at = words(at)[0]) {
    next = at;
    for (int i = 0; i < EACH && next != 0; i++)
      next = words(next)[0];
    store(at, 0, next);
  }
  run(CAIRN_EXTENT_FULL, 0);
  size_t before = bytes_of_blocks();
  run(CAIRN_EXTENT_FULL, 0);
  size_t after = bytes_of_blocks();
  for (ref at = roots[0]; at != 0; at = words(at)[0])
    length++;
  assert_int_equal(length, COUNT / EACH);
  assert_true(before > length * 40 * 4);
  assert_true(after < length * 40 * 2);
}

/* A list fills the heap to the last word, again and again. */
static void is_bounded(void **state)
{
  size_t first = 0;

  (void)state;
  clean();
  for (int i = 0; i < 3; i++) {
    size_t length = 0;
    ref node;
    while ((node = object(&layouts.node)) != 0) {
      words(node)[0] = roots[0];
      words(node)[SLOTS] = length++;
      roots[0] = node;
    }
    if (i == 0)
      first = length;
    assert_int_equal(length, first);
    assert_in_range(length, (64 << 20) / 40 - 8, (64 << 20) / 40);
    for (ref at = roots[0]; at != 0; at = words(at)[0])
      assert_int_equal(words(at)[SLOTS], --length);
    roots[0] = 0;
    run(CAIRN_EXTENT_FULL, 0);
  }
  run(CAIRN_EXTENT_FULL, 48 << 20);
  assert_true((roots[0] = indexed(&layouts.bytes, (48 << 20) - 4096)) != 0);
  assert_int_equal(collector->grow(&cairn_mutator, 32 << 20), CAIRN_E_MEMORY);
  roots[0] = 0;
  run(CAIRN_EXTENT_FULL, 0);
  assert_int_equal(collector->grow(&cairn_mutator, 40 << 20), CAIRN_OK);
  uintptr_t *last = in_buffer(39 << 20);
  assert_non_null(last);
  cairn_fill((uintptr_t)last, (uintptr_t)last + (39 << 20));
}

/* A root may point into an object or just past it, young or old. */
static void interior_roots(void **state)
{
  static const enum cairn_extent extents[] = {CAIRN_EXTENT_YOUNG,    CAIRN_EXTENT_FULL,
                                              CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_YOUNG,
                                              CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_FULL};

  (void)state;
  clean();
  for (int i = 0; i < 40; i++)
    (void)object(&layouts.node);
  ref array = indexed(&layouts.refs, 200), next = object(&layouts.node);
  ref nothing = object(&layouts.empty);
  words(array)[7] = next;
  words(array)[8] = array;
  words(next)[SLOTS] = 77;
  roots[0] = array + 64;   /* the word before is a reference, to an object that moves */
  roots[1] = array + 1600; /* one past the end: the header of `next` */
  roots[2] = array + 13;
  roots[3] = next + 32; /* the header of `nothing` */
  roots[4] = nothing;
  roots[5] = array;
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
    run(extents[i], 0);
    array = roots[5];
    next = words(array)[7];
    assert_int_equal(roots[0], array + 64);
    assert_int_equal(roots[1], array + 1600);
    assert_int_equal(roots[2], array + 13);
    assert_int_equal(roots[3], next + 32);
    assert_ptr_equal(words(roots[4])[-1], &layouts.empty);
    assert_int_equal(words(array)[8], array);
    assert_int_equal(words(next)[SLOTS], 77);
  }
}

static void moves_and_unmaps(void **state)
{
  uint64_t collection;

  (void)state;
  clean();
  roots[0] = object(&layouts.node);
  run(CAIRN_EXTENT_YOUNG, 0);
  for (int i = 0; i < 20; i++) {
    ref old = roots[0];
    roots[1] = object(&layouts.empty);
    ref young = roots[1];
    run(CAIRN_EXTENT_MOVE_ALL, 0);
    assert_int_not_equal(roots[0], old);
    assert_true(collector->was_unmapped(old, &collection));
    assert_int_not_equal(collection, 0);
    assert_true(collector->was_unmapped(young, &collection));
    assert_false(collector->was_unmapped(roots[0], &collection));
    assert_false(collector->was_unmapped((uintptr_t)&collection, &collection));
  }
}

/* ---- damage ---- */

static ref bad_root;
static enum cairn_extent bad_extent;

static void collect_bad_root(void)
{
  roots[7] = bad_root;
  run(bad_extent, 0);
}

static void bad_root_aborts(ref bad, const char *message)
{
  bad_root = bad;
  aborts(collect_bad_root, message);
}

static void damage_is_found(void **state)
{
  (void)state;
  for (bad_extent = CAIRN_EXTENT_YOUNG; bad_extent <= CAIRN_EXTENT_MOVE_ALL; bad_extent++) {
    clean();
    run(CAIRN_EXTENT_YOUNG, 0);
    (void)object(&layouts.node); /* a young collection looks at what leads into the nursery alone */
    roots[0] = object(&layouts.node);
    roots[1] = indexed(&layouts.bytes, 8);
    words(roots[0])[0] = roots[1] + 8;
    bad_root_aborts(0, "is not the start of an object: its header is no layout");
    words(roots[0])[0] = roots[1] + 1;
    bad_root_aborts(0, "is not the start of an object: it is not aligned");
    words(roots[0])[0] = 0;
    bad_root_aborts(roots[0] - 4, "is not the start of an object: no object reaches there");
    words(roots[1])[-2] = (UINT64_C(1) << 40) | 1;
    bad_root_aborts(roots[1], "it ends outside the heap");
    words(roots[1])[-2] = 16;
    bad_root_aborts(roots[1], "its element count is damaged");
  }
  roots[1] = 0;
  run(CAIRN_EXTENT_FULL, 0);
  bad_extent = CAIRN_EXTENT_FULL;
  words(roots[0])[0] = roots[0] + 8;
  bad_root_aborts(0, "no object starts there");
  words(roots[0])[0] = 0;
  ref old = roots[0];
  run(CAIRN_EXTENT_MOVE_ALL, 0);
  bad_root_aborts(old, "an earlier collection moved everything away from there");
}

static int start(void **state)
{
  (void)state;
  cn_options.workers = WORKERS;
  cn_workers_prepare(true);
  cairn_image_register(&image);
  cn_options.heap_initial = 4 << 20;
  cn_options.heap_max = 64 << 20;
  cairn_set_collector(collector);
  return 0;
}

static int end(void **state)
{
  (void)state;
  cn_workers_end();
  return 0;
}

#define ALONE(test) cmocka_unit_test_setup(test, alone)
#define SEVERAL(test) {#test "_by_several", test, several, NULL, NULL}

int main(void)
{
  const struct CMUnitTest tests[] = {
      ALONE(pinned_in_nursery),
      ALONE(young_and_full),
      SEVERAL(young_and_full),
      ALONE(only_cards),
      SEVERAL(only_cards),
      ALONE(garbage_goes),
      SEVERAL(garbage_goes),
      ALONE(is_bounded),
      SEVERAL(is_bounded),
      ALONE(fragments_join),
      SEVERAL(fragments_join),
      ALONE(interior_roots),
      SEVERAL(interior_roots),
      ALONE(damage_is_found),
      ALONE(pinned_stay),
      SEVERAL(pinned_stay),
      ALONE(pinned_nurseries_go),
      ALONE(all_move),
      SEVERAL(all_move),
      ALONE(all_kinds),
      SEVERAL(all_kinds),
      ALONE(moves_and_unmaps),
      SEVERAL(moves_and_unmaps),
      ALONE(pinned_stay_when_all_move),
      SEVERAL(pinned_stay_when_all_move),
  };

  return cmocka_run_group_tests(tests, start, end);
}
