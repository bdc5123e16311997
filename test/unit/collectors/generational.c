/* SPDX-License-Identifier: Apache-2.0
 *
 * The generational collector over a root set of our own, beside a model: a graph of plain structs
 * that changes as the heap does, and is compared with it after each collection. What would go
 * wrong: a reference keeps its old value, an object that only an old one leads to is lost, one is
 * copied twice or cut short, a hole is filled over a living object, a damaged heap is copied on.
 */
#include "generational_model.h"
#include "collectors/generational/cards.h"
#include "collectors/crossing_map.h"
#include "runtime/heap/managed_heap.h"

/* A walk over all ranges meets each object that there is to be. The nursery is empty, and is the
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
  collector->ranges(meet, NULL);
  if (models < 2000)
    assert_int_equal(met, models);
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
    bytes += cn_blocks_block_has_objects(block) ? CN_BLOCK_BYTES : 0;
  return bytes;
}

/* ---- tests ---- */

static int alone(void **state)
{
  (void)state;
  cn_tracers_max_bytes_alone = SIZE_MAX;
  return 0;
}

/* From the first object on. */
static int several(void **state)
{
  (void)state;
  cn_tracers_max_bytes_alone = 0;
  return 0;
}

static void young_and_full(void **state)
{
  (void)state;
  for (int i = 1; i < 5; i++) {
    seed = (uint64_t)i;
    beside_a_model(CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_FULL, 300, 500);
  }
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
  for (int i = 11; i < 14; i++) {
    seed = (uint64_t)i;
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
  assert_in_range(bytes_of_blocks() / CN_BLOCK_BYTES, 1, COUNT / 4);
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

/* Of a young large array dirty cards are visited, wherever they are, and no others: what lay there
 * before may have left some. */
static void cards_of_young_arrays(void **state)
{
  enum { COUNT = 200000, FAR = 3000 };

  (void)state;
  for (size_t step = 1; step < COUNT; step = 3 * step + 1) {
    clean();
    roots[0] = indexed(&layouts.refs, COUNT);
    ref array = roots[0];
    assert_false(cn_cards_is_dirty(array));
    assert_false(cn_cards_is_dirty(array + 8 * (COUNT - 1)));
    for (size_t i = COUNT - 1; i > step && COUNT - i < step * FAR; i -= step) {
      ref node = object(&layouts.node);
      words(node)[SLOTS] = i;
      store(array, i, node);
    }
    run(CAIRN_EXTENT_YOUNG, 0);
    assert_int_equal(roots[0], array);
    assert_false(cn_cards_is_dirty(array + 8 * (COUNT - 1)));
    for (size_t i = COUNT - 1; i > step && COUNT - i < step * FAR; i -= step)
      assert_int_equal(words(words(array)[i])[SLOTS], i);
    store(array, step, object(&layouts.empty)); /* and dies young, or old, with a dirty card */
    roots[0] = 0;
    run(step % 2 != 0 ? CAIRN_EXTENT_YOUNG : CAIRN_EXTENT_FULL, 0);
  }
}

/* A store that marks no card is a missing barrier, also in a young large array; but not in what is
 * small. */
static void missing_in_young_arrays(void **state)
{
  (void)state;
  clean();
  run(CAIRN_EXTENT_YOUNG, 0);
  ref node = object(&layouts.node), few = indexed(&layouts.refs, 1021), many = indexed(&layouts.refs, 1022);
  words(few)[1020] = words(many)[1021] = node;
  assert_true(collector->covered(few, (struct cairn_slot){&words(few)[1020]}));
  assert_false(collector->covered(many, (struct cairn_slot){&words(many)[1021]}));
  store(many, 1021, node);
  assert_true(collector->covered(many, (struct cairn_slot){&words(many)[1021]}));
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

/* The payload of an object without any may begin where the next block does, which is free for some
 * time, then full, then free again. */
static void empty_at_ends_of_blocks(void **state)
{
  (void)state;
  size_t kept = empties_at_ends();
  assert_true(kept > 3);
  for (int i = 0; i < 8; i++) {
    run(CAIRN_EXTENT_FULL, 0);
    check_empties(kept);
    walk_all();
    check_empties(kept);
    for (int k = 0; i > 3 && k < 20000; k++) {
      ref node = object(&layouts.node);
      words(node)[0] = roots[1];
      roots[1] = node;
    }
    run(CAIRN_EXTENT_YOUNG, 0);
    if (i % 2 != 0)
      roots[1] = 0;
  }
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

/* The maps that a collection makes for a root to the start of a new object. */
static uint64_t maps_for_start(bool uncleared, enum cairn_extent extent)
{
  uint64_t before = cn_crossing_map_count();

  for (int i = 0; i < 40; i++)
    roots[i % 4] = object(&layouts.node);
  cairn_mutator.uncleared = uncleared;
  cn_uncleared_begin_collection();
  run(extent, 0);
  return cn_crossing_map_count() - before;
}

/* The word before a root says where its object starts, unless the nursery has an array that was not
 * cleared. Wrong: one that was made long ago, or never, has each collection make a map. */
static void trusted_roots(void **state)
{
  static const enum cairn_extent extents[] = {CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_FULL, CAIRN_EXTENT_MOVE_ALL};

  (void)state;
  clean();
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
    assert_int_equal(maps_for_start(false, extents[i]), 0);
    assert_int_equal(maps_for_start(true, extents[i]), 1);
    assert_int_equal(maps_for_start(false, extents[i]), 0);
  }
  clean();
}

/* The bytes of the next buffer, after a collection that looks starts up, or does not. */
static size_t buffer_after(bool uncleared)
{
  assert_int_equal(maps_for_start(uncleared, CAIRN_EXTENT_YOUNG), uncleared);
  object(&layouts.node);
  return cairn_mutator.buffer_end - cairn_mutator.alloc;
}

/* A lookup walks over a buffer. Wrong: over 256 KiB for each root, though lookups are expected; or
 * buffers are small, though none is. */
static void near_starts(void **state)
{
  (void)state;
  clean();
  assert_in_range(buffer_after(true), CN_CROSSING_NEAR / 2, CN_CROSSING_NEAR);
  assert_in_range(buffer_after(false), 2 * CN_CROSSING_NEAR, SIZE_MAX);
  assert_in_range(buffer_after(true), CN_CROSSING_NEAR / 2, CN_CROSSING_NEAR);
  clean();
}

/* A root may point into an object or just past it, young or old. */
static void interior_roots(void **state)
{
  static const enum cairn_extent extents[] = {CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_FULL,     CAIRN_EXTENT_MOVE_ALL,
                                              CAIRN_EXTENT_YOUNG, CAIRN_EXTENT_MOVE_ALL, CAIRN_EXTENT_FULL};

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

#define ALONE(test) cmocka_unit_test_setup(test, alone)
#define SEVERAL(test) {#test "_by_several", test, several, NULL, NULL}

int main(void)
{
  const struct CMUnitTest tests[] = {
      ALONE(pinned_in_nursery),
      ALONE(young_and_full),
      SEVERAL(young_and_full),
      ALONE(only_cards),
      ALONE(cards_of_young_arrays),
      SEVERAL(cards_of_young_arrays),
      ALONE(missing_in_young_arrays),
      SEVERAL(only_cards),
      ALONE(garbage_goes),
      SEVERAL(garbage_goes),
      ALONE(is_bounded),
      SEVERAL(is_bounded),
      ALONE(fragments_join),
      SEVERAL(fragments_join),
      ALONE(empty_at_ends_of_blocks),
      SEVERAL(empty_at_ends_of_blocks),
      ALONE(interior_roots),
      ALONE(trusted_roots),
      ALONE(near_starts),
      SEVERAL(trusted_roots),
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
