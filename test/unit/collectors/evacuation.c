/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that young collections empty after a marking beside the program. What would go wrong: a
 * reference into one was not noted, and leads to memory that is free; so does a root that a young
 * collection leaves out, or a reference that is no field.
 */
#include <stdio.h>
#include "generational_model.h"
#include "collectors/generational/concurrent.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/tables.h"
#include "runtime/core/counts.h"

void cairn_finalise(uintptr_t reference, unsigned queue); /* for compiled code */
uintptr_t cairn_finalise_next(unsigned queue);
uintptr_t cairn_identity_hash(uintptr_t reference);

enum { MANY = 2000, EACH = 100, NUMBER = 1234 };

static uint64_t time_now, time_of_each;
uint64_t __wrap_cn_os_thread_processor_time(int thread);
uint64_t __wrap_cn_os_thread_processor_time(int thread)
{
  (void)thread;
  return time_now += time_of_each;
}

static bool is_candidate(ref at)
{
  return cn_tables.groups[cn_tables_block_of(at - 8)] != 0;
}

static void young(void)
{
  run(CAIRN_EXTENT_YOUNG, 0);
}

static void begin(void)
{
  cn_background_hold_steps();
  cn_concurrent_abandon_work();
  cn_concurrent_begin_marking();
  cn_background_release_steps();
  young();
}

static void mark_all(void)
{
  while (cn_marker_step(1 << 20, false))
    ;
}

/* Up to the collection that ends it. */
static void end_marking(void)
{
  for (int i = 0; cn_marker.on && i < 100; i++) {
    mark_all();
    young();
  }
  assert_false(cn_marker.on);
}

/* An old node, in roots[0], in a block with little else. Its address; so is another. */
static ref other;

static ref node_in_thin_block(void)
{
  clean();
  cn_evacuation_max_quarters = 0;
  time_of_each = 0;
  run(CAIRN_EXTENT_FULL, 0);
  roots[1] = indexed(&layouts.refs, MANY);
  for (size_t i = 0; i < MANY; i++) {
    ref made = i % EACH == 0 ? object(&layouts.node) : indexed(&layouts.bytes, 200);
    store(roots[1], i, made);
  }
  young();
  for (size_t i = 0; i < MANY; i++)
    if (i % EACH != 0)
      store(roots[1], i, 0);
  begin();
  end_marking();
  while (cn_blocks_sweep_some(SIZE_MAX))
    ;
  young();
  roots[0] = words(roots[1])[MANY - EACH];
  other = words(roots[1])[MANY - 2 * EACH];
  words(roots[0])[SLOTS] = NUMBER;
  cn_evacuation_max_quarters = 2;
  return roots[0];
}

/* The same, and a marking has begun. Only roots[0] leads there, and to old objects in roots[2]. */
static ref candidate(void)
{
  ref at = node_in_thin_block();

  store(roots[1], MANY - EACH, 0);
  roots[2] = object(&layouts.node);
  store(roots[2], 1, roots[0]);
  young();
  begin();
  assert_true(is_candidate(at));
  assert_true(is_candidate(other));
  return at;
}

static void empty(ref at)
{
  end_marking();
  cn_blocks_sweep_some(SIZE_MAX);
  for (int i = 0; i < 40 && is_candidate(at); i++)
    young();
  assert_false(is_candidate(at));
}

static void is_at(ref now)
{
  assert_true(cn_tables_is_object_start(now));
  assert_ptr_equal(cairn_object_layout(now), &layouts.node);
  assert_int_equal(words(now)[SLOTS], NUMBER);
}

/* It has been moved to where `now` leads. */
static void has_moved(ref was, ref now)
{
  empty(was);
  assert_int_not_equal(was, now);
}

static void by_roots_and_old_fields(void **state)
{
  (void)state;
  ref was = candidate();
  roots[5] = was + 16;
  has_moved(was, 0);
  is_at(roots[0]);
  assert_int_not_equal(roots[0], was);
  assert_false(cn_tables_is_object_start(was));
  assert_int_equal(roots[5], roots[0] + 16);
  assert_int_equal(words(roots[2])[1], roots[0]);
  assert_ptr_equal(words(words(roots[1])[MANY - 2 * EACH])[-1], &layouts.node);
}

/* The only reference has been stored while the marking goes on, where the marker has been. */
static void stored_meanwhile(void **state)
{
  (void)state;
  ref was = candidate();
  mark_all();
  store(roots[2], 1, 0);
  store(roots[2], 2, was);
  roots[0] = 0;
  empty(was);
  assert_int_not_equal(words(roots[2])[2], was);
  is_at(words(roots[2])[2]);
}

static void stored_after_it(void **state)
{
  (void)state;
  ref was = candidate();
  store(roots[2], 1, 0);
  end_marking();
  assert_true(is_candidate(was));
  store(roots[2], 0, was);
  young();
  assert_true(is_candidate(was)); /* not swept yet */
  roots[0] = 0;
  empty(was);
  is_at(words(roots[2])[0]);
}

/* From objects that have become old since, before the collection that empties it and in that. */
static void from_the_nursery(void **state)
{
  (void)state;
  ref was = candidate();
  end_marking();
  roots[3] = object(&layouts.node);
  words(roots[3])[1] = was;
  young();
  assert_true(is_candidate(was));
  roots[4] = object(&layouts.node);
  words(roots[4])[2] = was;
  roots[0] = 0;
  empty(was);
  is_at(words(roots[3])[1]);
  assert_int_equal(words(roots[4])[2], words(roots[3])[1]);
}

static void from_large_arrays(void **state)
{
  (void)state;
  ref was = candidate();
  store(roots[2], 1, 0);
  roots[3] = indexed(&layouts.refs, 5000);
  store(roots[3], 4000, was);
  young();
  end_marking();
  roots[4] = indexed(&layouts.refs, 5000);
  store(roots[4], 10, was);
  young();
  assert_true(is_candidate(was));
  roots[5] = indexed(&layouts.refs, 5000);
  store(roots[5], 4999, was);
  store(roots[4], 4321, was);
  roots[0] = 0;
  empty(was);
  is_at(words(roots[3])[4000]);
  assert_int_equal(words(roots[4])[10], words(roots[3])[4000]);
  assert_int_equal(words(roots[4])[4321], words(roots[3])[4000]);
  assert_int_equal(words(roots[5])[4999], words(roots[3])[4000]);
}

static bool lengthen(ref array, size_t count)
{
  void *block = (void *)(array - CAIRN_ABI_INDEXED_HEADER_SIZE);
  size_t bytes = CAIRN_ABI_INDEXED_HEADER_SIZE + count * sizeof(ref), now = words(array)[-2] >> 1;

  if (collector->allocate_large(&cairn_mutator, bytes, false, &block) != CAIRN_OK)
    return false;
  memset(&words(array)[now], 0, (count - now) * sizeof(ref));
  words(array)[-2] = count << 1 | 1;
  return true;
}

enum { BEFORE = 5000, AFTER = 40000 };

/* An array that has grown where it is, old or young: others may lie behind it. In roots[3]. */
static ref grown(bool old)
{
  for (size_t i = 32; i < ROOTS; i++) {
    roots[i] = roots[3] = indexed(&layouts.refs, BEFORE);
    if (old)
      young();
    if (lengthen(roots[3], AFTER))
      return roots[3];
  }
  fail();
  return 0;
}

/* A young one and an old one while the marking goes on, and when it has ended. */
static void from_arrays_that_grow(void **state)
{
  (void)state;
  ref was = candidate();
  store(roots[4] = grown(false), AFTER - 1, was);
  store(roots[5] = grown(true), AFTER - 2, was);
  assert_true(cn_marker.on);
  end_marking();
  store(roots[6] = grown(false), AFTER - 3, was);
  store(roots[7] = grown(true), AFTER - 4, was);
  assert_true(is_candidate(was));
  store(roots[2], 1, 0);
  roots[0] = 0;
  empty(was);
  ref now = words(roots[4])[AFTER - 1];
  is_at(now);
  assert_int_not_equal(now, was);
  assert_int_equal(words(roots[5])[AFTER - 2], now);
  assert_int_equal(words(roots[6])[AFTER - 3], now);
  assert_int_equal(words(roots[7])[AFTER - 4], now);
}

/* Objects of several blocks lead to each other. */
static void between_them(void **state)
{
  (void)state;
  ref was = node_in_thin_block();
  for (size_t i = EACH; i < MANY; i += EACH) {
    ref next = words(roots[1])[i];
    words(next)[SLOTS] = i;
    store(next, 0, words(roots[1])[i - EACH]);
    store(next, 1, was);
  }
  words(was)[SLOTS] = NUMBER;
  begin();
  assert_true(is_candidate(was));
  empty(was);
  for (size_t i = MANY - EACH; i != 0; i -= EACH) {
    ref next = words(roots[1])[i];
    assert_int_equal(words(next)[SLOTS], i == MANY - EACH ? NUMBER : i);
    assert_int_equal(words(next)[1], roots[0]);
    assert_int_equal(words(next)[0], words(roots[1])[i - EACH]);
  }
}

/* Weak fields, keys and values of ephemerons. */
static void make_weak(void)
{
  roots[3] = object(&layouts.weak);
  roots[4] = object(&layouts.ephemeron);
  roots[5] = object(&layouts.ephemeron);
}

static void lead_weakly(ref to)
{
  store(roots[3], 0, to);
  store(roots[4], 0, to);
  store(roots[4], 1, roots[1]);
  store(roots[5], 0, roots[1]);
  store(roots[5], 1, to);
}

static void weak_lead_on(ref was)
{
  empty(was);
  is_at(roots[0]);
  assert_int_not_equal(roots[0], was);
  assert_int_equal(words(roots[3])[0], roots[0]);
  assert_int_equal(words(roots[4])[0], roots[0]);
  assert_int_equal(words(roots[4])[1], roots[1]);
  assert_int_equal(words(roots[5])[0], roots[1]);
  assert_int_equal(words(roots[5])[1], roots[0]);
}

/* They stay where they are, whatever else is evacuated. */
static void weakly(void **state)
{
  (void)state;
  for (int late = 0; late < 3; late++) {
    ref was = node_in_thin_block();
    make_weak();
    if (late == 0)
      lead_weakly(was);
    young();
    for (int i = 3; i < 6; i++)
      assert_ptr_equal(cairn_pin_at(roots[i], "unit.c:1"), (void *)roots[i]);
    begin();
    assert_true(is_candidate(was));
    if (late == 2)
      end_marking();
    if (late != 0)
      lead_weakly(was);
    weak_lead_on(was);
    for (int i = 3; i < 6; i++)
      cairn_unpin_address_at((void *)roots[i], "unit.c:2");
  }
}

/* They become old when the marking has ended, or while it runs. */
static void weakly_from_the_nursery(void **state)
{
  (void)state;
  for (int early = 0; early < 2; early++) {
    ref was = candidate();
    if (early == 0)
      end_marking();
    make_weak();
    lead_weakly(was);
    young();
    end_marking();
    assert_true(is_candidate(was));
    weak_lead_on(was);
  }
}

/* What is in one is weak itself. */
static void weak_in_them(void **state)
{
  (void)state;
  ref was = candidate(), weak;
  roots[3] = object(&layouts.weak);
  words(roots[3])[0] = was;
  weak = roots[3];
  young();
  store(roots[3], 1, was);
  has_moved(was, 0);
  assert_int_not_equal(weak, roots[3]);
  assert_int_equal(words(roots[3])[0], roots[0]);
  assert_int_equal(words(roots[3])[1], roots[0]);
}

static void finalised_and_hashed(void **state)
{
  (void)state;
  ref was = candidate();
  cairn_finalise(was, 3);
  uintptr_t hash = cairn_identity_hash(was);
  has_moved(was, 0);
  is_at(roots[0]);
  assert_int_equal(cairn_identity_hash(roots[0]), hash);
  assert_int_equal(cairn_finalise_next(3), 0);
  store(roots[2], 1, 0);
  roots[0] = 0;
  run(CAIRN_EXTENT_FULL, 0);
  ref last = cairn_finalise_next(3);
  assert_ptr_equal(cairn_object_layout(last), &layouts.node);
  assert_int_equal(words(last)[SLOTS], NUMBER);
}

/* The block stays, and the others are evacuated. */
static void pinned_stays(void **state)
{
  (void)state;
  ref was = candidate();
  assert_ptr_equal(cairn_pin_at(was, "unit.c:1"), (void *)was);
  end_marking();
  cn_blocks_sweep_some(SIZE_MAX);
  for (int i = 0; i < 40; i++)
    young();
  assert_int_equal(roots[0], was);
  assert_int_equal(words(roots[2])[1], was);
  assert_false(is_candidate(was));
  assert_int_equal(cn_tables_block_state(cn_tables_block_of(was)), CN_BLOCK_HOLES);
  assert_false(cn_tables_is_object_start(other));
  cairn_unpin_address_at((void *)was, "unit.c:2");
}

/* An object whose image has gone: nobody knows what it is. */
static void of_an_image_that_goes(void **state)
{
  (void)state;
  ref was = candidate();
  end_marking();
  const unsigned char *node = (const unsigned char *)&layouts.node;
  words(was)[-1] = (uintptr_t)&layouts.longs;
  words(was)[-1] = cairn_header_gone(32);
  (void)node;
  roots[0] = 0;
  store(roots[2], 1, 0);
  empty(was);
  assert_true(cn_tables_is_object_start(was));
}

/* Activations have roots 8 to 15. What one leads to that does not run from before the marking on.
 */
static void of_an_older_activation(void **state)
{
  (void)state;
  ref was = node_in_thin_block(), more;
  store(roots[1], MANY - EACH, 0);
  roots[9] = was + 16;
  roots[20] = was;
  roots[21] = roots[1];
  roots[0] = roots[1] = 0;
  stacks = still = 2 * SET;
  young();
  begin();
  assert_false(is_candidate(was));
  assert_true(is_candidate(other));
  more = other;
  empty(other);
  assert_int_equal(roots[9], was + 16);
  assert_int_equal(roots[20], was);
  is_at(was);
  assert_int_not_equal(words(roots[21])[MANY - 2 * EACH], more);
  assert_ptr_equal(words(words(roots[21])[MANY - 2 * EACH])[-1], &layouts.node);
  stacks = still = 0;
}

/* Of one that ran last while the marking went on, when it had ended, or before the collection that
 * empties the block. */
static void of_an_activation_that_ran(void **state)
{
  (void)state;
  for (int when = 0; when < 3; when++) {
    ref was = candidate(), more = other;
    roots[20] = roots[0];
    roots[21] = roots[1];
    roots[22] = roots[2];
    roots[0] = roots[1] = roots[2] = 0;
    stacks = 2 * SET;
    still = SET;
    if (when != 0)
      end_marking();
    if (when == 2)
      cn_blocks_sweep_some(SIZE_MAX);
    roots[9] = was + 16;
    young();
    still = 2 * SET;
    if (when != 2)
      assert_false(is_candidate(was));
    empty(more);
    empty(was);
    is_at(roots[20]);
    assert_int_equal(roots[9], roots[20] + 16);
    assert_int_equal(words(roots[22])[1], roots[20]);
    if (when != 2)
      assert_int_equal(roots[20], was);
    assert_int_not_equal(words(roots[21])[MANY - 2 * EACH], more);
    stacks = still = 0;
  }
}

/* More cards lead there than a pause has time for, by a pace that no group has shown yet. */
static void many_cards(void **state)
{
  enum { ELEMENTS = 200000, PER_CARD = CN_CARD_BYTES / sizeof(ref) };
  (void)state;
  ref was = candidate();
  roots[3] = indexed(&layouts.refs, ELEMENTS);
  for (size_t i = 0; i < ELEMENTS; i += PER_CARD)
    store(roots[3], i, was);
  young();
  empty(was);
  assert_int_equal(roots[0], was);
  assert_int_equal(words(roots[3])[0], was);
  is_at(was);
}

/* ---- memory ---- */

enum { LONELY = 16000, BLOCKED = 300 };

/* Nodes, each of which has a line of its own. */
static void make_sparse(void)
{
  clean();
  run(CAIRN_EXTENT_FULL, 0);
  roots[1] = indexed(&layouts.refs, 2 * LONELY);
  for (size_t i = 0; i < 2 * LONELY; i += 2) {
    store(roots[1], i, object(&layouts.node));
    words(words(roots[1])[i])[SLOTS] = i;
    store(roots[1], i + 1, indexed(&layouts.bytes, 200));
  }
  young();
  for (size_t i = 1; i < 2 * LONELY; i += 2)
    store(roots[1], i, 0);
}

/* Old objects are made, and die, until so many markings have ended or a full collection has done
 * all; returns how many have ended. */
static uint64_t markings(uint64_t most)
{
  uint64_t begun = cn_stats.concurrent, full = cn_stats.full;

  for (int i = 0; i < 4000 && cn_stats.concurrent - begun < most && cn_stats.full == full; i++) {
    roots[2] = indexed(&layouts.refs, BLOCKED);
    for (size_t k = 0; k < BLOCKED; k++)
      store(roots[2], k, indexed(&layouts.bytes, 200));
    young();
    roots[2] = 0;
    if (cn_marker.on)
      mark_all();
    else
      cn_blocks_sweep_some(SIZE_MAX);
    young();
  }
  return cn_stats.concurrent - begun;
}

static void check_sparse(void)
{
  for (size_t i = 0; i < 2 * LONELY; i += 2)
    assert_int_equal(words(words(roots[1])[i])[SLOTS], i);
}

/* Blocks with objects, when all is swept. */
static size_t blocks_in_use(void)
{
  size_t low, high, count = 0;

  cn_blocks_sweep_some(SIZE_MAX);
  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    count += cn_blocks_block_has_objects(block);
  return count;
}

/* Of the blocks with little in them most are free after four markings. */
static void much_is_given_back(void **state)
{
  (void)state;
  make_sparse();
  assert_int_equal(markings(1), 1);
  size_t before = blocks_in_use();
  assert_true(before >= LONELY * CN_LINE_BYTES / CN_BLOCK_BYTES);
  assert_int_equal(markings(4), 4);
  check_sparse();
  assert_in_range(blocks_in_use(), 1, before / 2);
}

/* After eight markings a collection does all, in the pause: no block could be evacuated. */
static void patience_ends(void **state)
{
  (void)state;
  cn_evacuation_max_quarters = 0;
  make_sparse();
  size_t before = blocks_in_use();
  assert_int_equal(markings(100), 8);
  check_sparse();
  assert_in_range(blocks_in_use(), 1, before / 2);
  cn_evacuation_max_quarters = 2;
}

/* A collection that moves all of it, or marks anew, in between. */
static void given_up(void **state)
{
  (void)state;
  ref was = candidate();
  run(CAIRN_EXTENT_FULL, 0);
  assert_false(is_candidate(was));
  was = candidate();
  end_marking();
  begin();
  empty(was);
  is_at(roots[0]);
  was = candidate();
  end_marking();
  run(CAIRN_EXTENT_FULL, 0);
  assert_false(is_candidate(was));
  is_at(roots[0]);
  assert_int_equal(words(roots[2])[1], roots[0]);
}

/* The thread beside the program gets no time between collections that follow each other fast. */
static void swept_by_collections_alone(void **state)
{
  (void)state;
  ref was = candidate();
  end_marking();
  for (int i = 0; i < 3; i++)
    young();
  assert_true(is_candidate(was));
  cn_concurrent_swept_per_stop = 4;
  for (size_t i = 0; i < cn_tables.blocks && is_candidate(was); i++)
    young();
  cn_concurrent_swept_per_stop = 0;
  assert_false(is_candidate(was));
  assert_true(cn_concurrent_is_swept());
  is_at(roots[0]);
}

/* Without memory for the copies nothing moves, and the blocks are as others are. */
static void without_memory(void **state)
{
  (void)state;
  ref was = candidate();
  end_marking();
  cn_blocks_sweep_some(SIZE_MAX);
  assert_true(cn_concurrent_sweep_some());
  assert_int_not_equal(cn_evacuation_next_group_bytes(), 0);
  cn_evacuation_begin_group(false);
  assert_false(cn_evacuation_is_group_due());
  assert_false(is_candidate(was));
  assert_false(is_candidate(other));
  for (int i = 0; i < 3; i++)
    young();
  assert_int_equal(roots[0], was);
  is_at(was);
  run(CAIRN_EXTENT_FULL, 0);
  is_at(roots[0]);
  assert_int_equal(words(roots[2])[1], roots[0]);
}

/* Objects whose headers end a block, and whose payloads would begin the next. */
static void empty_at_ends_of_blocks(void **state)
{
  (void)state;
  cn_evacuation_max_quarters = 0;
  size_t kept = empties_at_ends();
  begin();
  end_marking();
  check_empties(kept);
  cn_blocks_sweep_some(SIZE_MAX);
  young();
  cn_evacuation_max_quarters = 2;
  begin();
  ref was = words(roots[0])[kept / 2];
  assert_true(is_candidate(was));
  empty(was);
  assert_int_not_equal(words(roots[0])[kept / 2], was);
  for (size_t i = 0; i < kept; i++) {
    assert_true(cn_tables_is_object_start(words(roots[0])[i]));
    assert_ptr_equal(words(words(roots[0])[i])[-1], &layouts.empty);
  }
}

/* ---- a program that changes a graph ---- */

/* Many objects that lie one after another, and of which most die: blocks with much room. */
static void make_many(void)
{
  size_t i = some_root(), count = draw(3000) + 100;
  ref made = indexed(&layouts.refs, count);

  roots[i] = made;
  model_roots[i] = model(&layouts.refs, count);
  for (size_t k = 0; k < count; k++) {
    struct model *m;
    if (draw(4) == 0) {
      size_t bytes = 8 * (draw(draw(20) == 0 ? 400 : 20) + 1);
      made = indexed(&layouts.bytes, bytes);
      m = model(&layouts.bytes, bytes);
      memset(words(made), (int)m->number, bytes);
    } else {
      made = object(&layouts.node);
      m = model(&layouts.node, SLOTS);
      words(made)[SLOTS] = m->number;
      if (k != 0 && m->number % 2 == 0) {
        words(made)[0] = words(roots[i])[k - 1];
        m->slots[0] = model_roots[i]->slots[k - 1];
      }
    }
    model_roots[i]->slots[k] = m;
    store(roots[i], k, made);
  }
}

static void thin_out(void)
{
  for (size_t i = 0; i < ROOTS; i++) {
    struct model *m = model_roots[i];
    if (m == NULL || m->layout != &layouts.refs || m->count < 100)
      continue;
    for (size_t k = 0; k < m->count; k++)
      if (draw(8) != 0) {
        m->slots[k] = NULL;
        store(roots[i], k, 0);
      }
  }
}

static void beside(void)
{
  if (cn_marker.on)
    cn_marker_step(draw(draw(4) == 0 ? 20000 : 20) + 1, false);
  else
    cn_blocks_sweep_some(draw(40));
}

static size_t candidates(void)
{
  size_t count = 0;

  for (size_t i = 0; i < cn_tables.blocks; i++)
    count += cn_tables.groups[i] != 0;
  return count;
}

static size_t evacuated;

static void step(void)
{
  young();
  check();
  evacuated += cn_trace_cycle.evacuates;
}

static void of_a_program(void **state)
{
  (void)state;
  clean();
  cn_evacuation_picks_at_random = true;
  for (int i = 1; i < 7; i++) {
    seed = (uint64_t)i;
    stacks = (size_t)(i % 3) * (ROOTS / 2);
    pins = i % 3 == 0;
    cn_tracers_max_bytes_alone = i % 2 == 0 ? 0 : SIZE_MAX;
    cn_concurrent_swept_per_stop = (size_t)(i % 3) * 10;
    clean();
    for (int k = 0; k < 750; k++) {
      still = draw(stacks != 0 && draw(2) == 0 ? stacks : 8);
      for (int j = 0; j < 30; j++) {
        change(1);
        if (draw(4) == 0)
          beside();
      }
      if (draw(30) == 0)
        make_many();
      if (draw(60) == 0)
        thin_out();
      if (draw(400) == 0)
        run(CAIRN_EXTENT_FULL, 0);
      step();
      if (draw(2) == 0 && cn_concurrent_may_begin_marking() && (candidates() == 0 || draw(20) == 0))
        begin();
    }
  }
  cn_evacuation_picks_at_random = false;
  cn_concurrent_swept_per_stop = 0;
  stacks = still = 0;
  assert_true(evacuated > 100);
}

static int start_with_pauses(void **state)
{
  cn_options.pause = cn_options.pause_full = 4000;
  times = 1; /* or the marker would meet copies by it */
  stacks = 0;
  cn_concurrent_swept_per_stop = 0;
  return start(state);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_cards),
      cmocka_unit_test(by_roots_and_old_fields),
      cmocka_unit_test(stored_meanwhile),
      cmocka_unit_test(stored_after_it),
      cmocka_unit_test(from_the_nursery),
      cmocka_unit_test(from_large_arrays),
      cmocka_unit_test(from_arrays_that_grow),
      cmocka_unit_test(between_them),
      cmocka_unit_test(weakly),
      cmocka_unit_test(weakly_from_the_nursery),
      cmocka_unit_test(weak_in_them),
      cmocka_unit_test(finalised_and_hashed),
      cmocka_unit_test(pinned_stays),
      cmocka_unit_test(of_an_image_that_goes),
      cmocka_unit_test(of_an_older_activation),
      cmocka_unit_test(of_an_activation_that_ran),
      cmocka_unit_test(much_is_given_back),
      cmocka_unit_test(patience_ends),
      cmocka_unit_test(given_up),
      cmocka_unit_test(swept_by_collections_alone),
      cmocka_unit_test(without_memory),
      cmocka_unit_test(empty_at_ends_of_blocks),
      cmocka_unit_test(of_a_program),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, start_with_pauses, end);
}
