/* SPDX-License-Identifier: Apache-2.0
 *
 * Marking beside the program, step by step between the steps of one that changes a graph, which is
 * compared with a model. What would go wrong: an object that the program hid from the marker is not
 * marked, and its memory is given to others; nor is what an older activation alone leads to; a line
 * of it is not; a sweep gives memory away that a copy has taken since; marks of a cycle that was
 * given up stay.
 */
#include "generational_model.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/concurrent.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/pacer.h"
#include "collectors/generational/space/tables.h"
#include "runtime/core/options.h"
#include "runtime/heap/managed_heap.h"
#include "unit/sample.h"

void cairn_give_back(void *reference); /* for compiled code */

/* In the runtime's place: for how long a pause went on, by which nurseries become smaller and a
 * marking goes on, is drawn, or nothing. */
static bool takes_time, takes_little;
uint64_t __wrap_cn_os_thread_processor_time(int thread);
uint64_t __wrap_cn_os_thread_processor_time(int thread)
{
  static uint64_t now;

  (void)thread;
  if (takes_time)
    now += draw(takes_little ? 100 : draw(8) == 0 ? 20 << 20 : draw(2) == 0 ? 300 << 10 : 5000);
  return now;
}

/* All that is reachable and old has a start and lines, just after a marking has ended. */
static void check_found(void)
{
  for (size_t i = 0; i < models; i++) {
    ref at = all[i]->seen;
    if (cn_tables_is_in_old_space(at - 8) && !cn_tables_is_object_start(at))
      fail_msg("object %u was not marked", all[i]->number);
    if (cn_tables_is_in_old_space(at - 8) && cn_tables.lines[(at - 8 - cn_tables.old) / CN_LINE_BYTES] == 0)
      fail_msg("a line of object %u was not", all[i]->number);
  }
}

/* What the thread beside the program does, a little of it. */
static void beside(void)
{
  if (cn_marker.on)
    cn_marker_step(draw(draw(4) == 0 ? 2000 : 20) + 1, false);
  else
    cn_blocks_sweep_some(draw(4));
}

static void change_beside(long steps)
{
  for (long i = 0; i < steps; i++) {
    change(1);
    if (draw(4) == 0)
      beside();
  }
}

static bool all_moved; /* none begins in stress mode */

static void begin_if_free(void)
{
  cn_background_hold_steps();
  bool begins = cn_concurrent_may_begin_marking() && !all_moved;
  if (begins) {
    cn_pacer_begin_marking(collector->used());
    cn_concurrent_begin_marking();
  }
  cn_background_release_steps();
  if (begins)
    run(CAIRN_EXTENT_YOUNG, 0);
}

static void begin(void)
{
  begin_if_free();
  assert_true(cn_marker.on);
}

static long ended, given_up;

static void collect_and_check(enum cairn_extent extent)
{
  bool marked = cn_marker.on;

  all_moved = all_moved || extent == CAIRN_EXTENT_MOVE_ALL;
  run(extent, 0);
  check();
  if (!marked || cn_marker.on)
    return;
  if (extent == CAIRN_EXTENT_YOUNG) {
    ended++;
    check_found();
  } else {
    given_up++;
  }
}

static void with_cycles(enum cairn_extent other, int rounds, long steps)
{
  clean();
  usual = CAIRN_EXTENT_YOUNG;
  takes_time = true;
  for (int i = 0; i < rounds; i++) {
    still = draw(2) == 0 ? draw(ROOTS) : draw(8);
    change_beside(draw(8) == 0 ? steps * 10 : steps);
    collect_and_check(draw(40) == 0 ? other : CAIRN_EXTENT_YOUNG);
    if (draw(3) == 0)
      begin_if_free();
  }
  still = 0;
  takes_time = false;
}

static void beside_a_program(void **state)
{
  (void)state;
  for (int i = 1; i < 9; i++) {
    seed = (uint64_t)i;
    pins = i % 3 == 0;
    takes_little = i % 4 == 1;
    cn_tracers_max_bytes_alone = i % 2 == 0 ? 0 : SIZE_MAX;
    with_cycles(CAIRN_EXTENT_FULL, 2000 / (int)sample(3), 100);
  }
  takes_little = false;
  assert_true(ended > 100 / (int)sample(3));
  assert_true(given_up > 10 / (int)sample(3));
  assert_true(promotions > 100 / sample(3));
}

static void some_steps(long fields)
{
  while (fields-- > 0 && cn_marker_step(1, false))
    ;
}

static void until_ended(void)
{
  for (int i = 0; cn_marker.on && i < 1000; i++) {
    some_steps(1 << 20);
    run(CAIRN_EXTENT_YOUNG, 0);
  }
  assert_false(cn_marker.on);
  cn_blocks_sweep_some(SIZE_MAX);
  run(CAIRN_EXTENT_YOUNG, 0);
}

/* root -> a -> b -> c, all old, nothing else marked yet, and no two on a card. */
static ref chain(void)
{
  clean();
  run(CAIRN_EXTENT_FULL, 0);
  for (size_t i = 0; i < 6; i += 2) {
    roots[i] = object(&layouts.node);
    words(roots[i])[SLOTS] = i / 2;
    roots[i + 1] = indexed(&layouts.bytes, 2 * CN_CARD_BYTES);
  }
  run(CAIRN_EXTENT_YOUNG, 0);
  store(roots[0], 0, roots[2]);
  store(roots[2], 0, roots[4]);
  ref c = roots[4];
  for (int i = 1; i < 6; i++)
    roots[i] = 0;
  run(CAIRN_EXTENT_YOUNG, 0);
  return c;
}

static void is_kept(ref c)
{
  until_ended();
  assert_true(cn_tables_is_object_start(c));
  for (int i = 0; i < 4; i++)
    run(CAIRN_EXTENT_YOUNG, 0);
  assert_int_equal(words(c)[SLOTS], 2);
}

/* The only reference to c goes where the marker has been already. */
static void hidden_in_old(void **state)
{
  (void)state;
  ref c = chain(), a = roots[0], b = words(a)[0];
  begin();
  some_steps(1); /* it has looked at a, */
  store(a, 1, c);
  store(b, 0, 0);
  is_kept(c);
  assert_int_equal(words(roots[0])[1], c);
}

static void large_hidden_in_old(void **state)
{
  (void)state;
  ref c = chain(), a = roots[0], large = indexed(&layouts.bytes, 20000);
  store(c, 0, large);
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  some_steps(1); /* it has looked at a, */
  store(a, 1, large);
  store(c, 0, 0);
  is_kept(c);
  assert_true(collector->is_object(large));
}

/* Into an object of the nursery, which is copied later; into a large one; into a local. */
static void hidden_in_young(void **state)
{
  (void)state;
  ref c = chain();
  begin();
  ref young = object(&layouts.node);
  words(young)[1] = c;
  roots[3] = young;
  store(words(roots[0])[0], 0, 0);
  is_kept(c);
  assert_int_equal(words(roots[3])[1], c);
}

static void hidden_in_large(void **state)
{
  (void)state;
  ref c = chain();
  begin();
  roots[3] = indexed(&layouts.refs, 5000);
  store(roots[3], 4321, c);
  store(words(roots[0])[0], 0, 0);
  is_kept(c);
  ref d = chain(), large = indexed(&layouts.refs, 5000);
  roots[3] = large;
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  some_steps(1 << 20);
  store(large, 4321, d);
  store(words(roots[0])[0], 0, 0);
  is_kept(d);
  assert_int_equal(words(large)[4321], d);
}

/* On a card that an array reaches into from before. */
/* A young collection that does not end the marking. */
static void run_amid_marking(void)
{
  assert_false(cn_marker.idle);
  takes_time = true;
  run(CAIRN_EXTENT_YOUNG, 0);
  takes_time = false;
}

/* Begins a marking with `one` and `other` at the end of a large array, of which the marker has looked at the first
 * part. */
static ref begin_before_end_of_large(ref one, ref other)
{
  ref large = indexed(&layouts.refs, 20000);

  roots[3] = large;
  store(large, 19000, one);
  store(large, 18000, other);
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  some_steps(8);
  return large;
}

static void moved_within_large(void **state)
{
  (void)state;
  ref c = chain(), b = words(roots[0])[0];
  store(b, 0, 0);
  store(roots[0], 0, 0);
  ref large = begin_before_end_of_large(b, c);
  store(large, 100, b);
  store(large, 19000, 0);
  run_amid_marking();
  some_steps(2); /* it has looked at the card again, */
  store(large, 101, c);
  store(large, 18000, 0);
  run_amid_marking();
  is_kept(c);
  assert_true(cn_tables_is_object_start(b));
  assert_int_equal(words(large)[100], b);
  assert_int_equal(words(large)[101], c);
}

static void moved_from_large(void **state)
{
  (void)state;
  ref c = chain(), b = words(roots[0])[0];
  roots[4] = indexed(&layouts.refs, 400);
  store(b, 0, 0);
  store(roots[0], 0, 0);
  ref large = begin_before_end_of_large(b, c);
  store(roots[0], 1, b);
  store(roots[4], 300, c); /* on another card than the start of the array */
  store(large, 19000, 0);
  store(large, 18000, 0);
  run_amid_marking();
  is_kept(c);
  assert_true(cn_tables_is_object_start(b));
  assert_int_equal(words(roots[0])[1], b);
  assert_int_equal(words(roots[4])[300], c);
}

static void hidden_in_array(void **state)
{
  (void)state;
  ref c = chain();
  roots[3] = indexed(&layouts.refs, 400);
  roots[4] = indexed(&layouts.refs, 400);
  words(roots[3])[0] = c;
  store(words(roots[0])[0], 0, 0);
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  some_steps(4); /* it has looked at a, b, and all of the second array, */
  store(roots[4], 300, c);
  store(roots[3], 0, 0);
  is_kept(c);
  assert_int_equal(words(roots[4])[300], c);
}

/* A long array, whose cards are clean, has the only reference to c, also at the bounds of the parts that are scanned.
 */
static void kept_by_array(void **state)
{
  (void)state;
  for (size_t slot = 0; slot < 320; slot++) {
    ref c = chain();
    roots[3] = indexed(&layouts.refs, 320);
    store(roots[3], slot, c);
    store(words(roots[0])[0], 0, 0);
    run(CAIRN_EXTENT_YOUNG, 0);
    begin();
    is_kept(c);
  }
}

static void hidden_in_root(void **state)
{
  (void)state;
  ref c = chain();
  begin();
  store(words(roots[0])[0], 0, 0);
  roots[5] = c + 8; /* into it */
  is_kept(c);
  assert_int_equal(roots[5], c + 8);
}

/* An activation that does not run has the only reference, and many pauses pass before all of these
 * have been visited, also when the marking is late. */
static void older_activations(void **state)
{
  (void)state;
  ref c = chain();
  roots[1] = c;
  store(words(roots[0])[0], 0, 0);
  run(CAIRN_EXTENT_YOUNG, 0);
  still = ROOTS - SET;
  takes_time = true;
  begin();
  for (int i = 0; i < 30; i++) {
    if (i == 5)
      roots[ROOTS - 1] = indexed(&layouts.bytes, 5 << 20);
    some_steps(1 << 20);
    assert_true(cn_marker.idle);
    run(CAIRN_EXTENT_YOUNG, 0);
  }
  assert_true(cn_marker.on);
  assert_in_range(older, 2, still - 1);
  takes_time = false;
  is_kept(c);
  still = 0;
}

/* What is dead when a marking begins goes with it; large objects, too. */
static void garbage_goes(void **state)
{
  (void)state;
  ref c = chain(), first = 0;
  for (int i = 0; i < 100; i++) {
    roots[3] = indexed(&layouts.refs, 5000);
    if (first == 0)
      first = roots[3];
  }
  run(CAIRN_EXTENT_YOUNG, 0);
  store(words(roots[0])[0], 0, 0);
  roots[3] = 0;
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  until_ended();
  assert_false(cn_tables_is_object_start(c));
  assert_true(cn_tables_is_object_start(roots[0]));
  assert_false(collector->is_object(first));
}

static void empty_at_ends_of_blocks(void **state)
{
  (void)state;
  size_t kept = empties_at_ends(), quarters = cn_evacuation_max_quarters;
  assert_true(kept > 3);
  cn_evacuation_max_quarters = 0; /* all stay */
  for (int i = 0; i < 4; i++) {
    begin();
    until_ended();
    check_empties(kept);
  }
  cn_evacuation_max_quarters = quarters;
}

/* What an ephemeron alone keeps alive has weak fields, and is an ephemeron. */
static void weak_behind_ephemeron(void **state)
{
  (void)state;
  clean();
  run(CAIRN_EXTENT_FULL, 0);
  roots[0] = object(&layouts.node);
  roots[1] = object(&layouts.ephemeron);
  roots[2] = object(&layouts.node);
  roots[3] = object(&layouts.weak);
  roots[4] = object(&layouts.ephemeron);
  roots[5] = object(&layouts.node);
  words(roots[1])[0] = words(roots[4])[0] = roots[0];
  words(roots[1])[1] = roots[3];
  words(roots[3])[0] = roots[2];
  words(roots[3])[1] = roots[4];
  words(roots[4])[1] = roots[5];
  run(CAIRN_EXTENT_YOUNG, 0);
  ref dead = roots[2], alive = roots[5], weak = roots[3];
  for (int i = 2; i < 6; i++)
    roots[i] = 0;
  begin();
  until_ended();
  assert_false(cn_tables_is_object_start(dead));
  assert_int_equal(words(roots[1])[1], weak);
  assert_int_equal(words(weak)[0], 0);
  assert_true(cn_tables_is_object_start(alive));
}

/* A weak field of an object that is copied during marking loses its object, too. */
static void weak_of_a_copy(void **state)
{
  (void)state;
  ref c = chain();
  begin();
  roots[1] = object(&layouts.weak);
  words(roots[1])[0] = c;
  store(words(roots[0])[0], 0, 0);
  until_ended();
  assert_false(cn_tables_is_object_start(c));
  assert_int_equal(words(roots[1])[0], 0);
}

/* What is pinned stays, and is reachable as long as it is. */
static void pinned_is_kept(void **state)
{
  (void)state;
  ref c = chain();
  assert_ptr_equal(cairn_pin_at(c, "unit.c:1"), (void *)c);
  store(words(roots[0])[0], 0, 0);
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  is_kept(c);
  cairn_unpin_address_at((void *)c, "unit.c:2");
  run(CAIRN_EXTENT_YOUNG, 0);
  begin();
  until_ended();
  assert_false(cn_tables_is_object_start(c));
}

/* An array that the marker has not reached dies, and another comes to its place: what still leads
 * there finds a header at any time. */
static void array_in_place_of_another(void **state)
{
  (void)state;
  ref c = chain(), array = indexed(&layouts.bytes, 20000);
  roots[3] = array;
  store(words(roots[0])[0], 1, array);
  run(CAIRN_EXTENT_YOUNG, 0);
  roots[3] = 0;
  begin();
  assert_int_equal(*cn_tables_large_state_of(array), CN_LARGE_OLD);
  cairn_give_back((void *)array);
  uintptr_t *again = cn_heap_allocate_block((struct cn_block_request){.bytes = 16016, .leaf = true});
  assert_ptr_equal(again + 2, (void *)array);
  some_steps(1 << 20);
  assert_true(cn_marker.idle);
  assert_int_equal(*cn_tables_large_state_of(array), CN_LARGE_REACHED);
  again[1] = (uintptr_t)&layouts.longs;
  again[0] = 2000 << 1 | 1;
  store(roots[0], 1, array);
  is_kept(c);
  assert_true(collector->is_object(array));
  assert_int_equal(words(array)[1999], 0);
}

/* A part of a reference, or what a filler has, is passed over. */
static void nonsense(void **state)
{
  (void)state;
  ref c = chain();
  begin();
  ref b = words(roots[0])[0];
  words(b)[1] = cn_tables.old + 12;
  words(b)[2] = cn_tables.old + 8 * (CN_BLOCK_BYTES + 64);
  some_steps(1 << 20);
  assert_true(cn_marker.idle);
  words(b)[1] = words(b)[2] = 0;
  is_kept(c);
}

static void no_object(void)
{
  words(words(roots[0])[0])[1] = cn_tables.end - CN_BLOCK_BYTES + 12;
  run(CAIRN_EXTENT_YOUNG, 0); /* one of these ends it in the stop */
  begin();
  store(words(roots[0])[0], 1, cn_tables.end - CN_BLOCK_BYTES + 12);
  until_ended();
}

static void damage_is_found(void **state)
{
  (void)state;
  chain();
  aborts(no_object, "no object starts there");
}

static void after_all_moved(void **state)
{
  (void)state;
  seed = 17;
  with_cycles(CAIRN_EXTENT_MOVE_ALL, 200, 100);
}

static int start_with_pauses(void **state)
{
  cn_options.pause = cn_options.pause_full = 4000;
  cn_promotion_bytes_per_clock_read = 256;
  times = 1; /* or the marker would meet copies by it */
  return start(state);
}

/* The marker visits dirty cards again, or leaves them to the pause. */
static int rescan_all_cards(void **state)
{
  (void)state;
  cn_marker_rescan_bytes = 0;
  return 0;
}

static int rescan_no_card(void **state)
{
  (void)state;
  cn_marker_rescan_bytes = SIZE_MAX;
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hidden_in_old),
      cmocka_unit_test(large_hidden_in_old),
      cmocka_unit_test(hidden_in_young),
      cmocka_unit_test(hidden_in_large),
      cmocka_unit_test(moved_within_large),
      cmocka_unit_test(moved_from_large),
      cmocka_unit_test(hidden_in_array),
      cmocka_unit_test(kept_by_array),
      cmocka_unit_test(hidden_in_root),
      cmocka_unit_test(older_activations),
      cmocka_unit_test(garbage_goes),
      cmocka_unit_test(array_in_place_of_another),
      cmocka_unit_test(empty_at_ends_of_blocks),
      cmocka_unit_test_setup_teardown(hidden_in_old, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(large_hidden_in_old, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(hidden_in_large, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(moved_within_large, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(moved_from_large, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(hidden_in_array, rescan_all_cards, rescan_no_card),
      cmocka_unit_test_setup_teardown(weak_behind_ephemeron, rescan_all_cards, rescan_no_card),
      cmocka_unit_test(nonsense),
      cmocka_unit_test(weak_behind_ephemeron),
      cmocka_unit_test(weak_of_a_copy),
      cmocka_unit_test(pinned_is_kept),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(beside_a_program),
      cmocka_unit_test_setup_teardown(beside_a_program, rescan_all_cards, rescan_no_card),
      cmocka_unit_test(after_all_moved),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, start_with_pauses, end);
}
