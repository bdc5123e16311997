/* SPDX-License-Identifier: Apache-2.0
 *
 * The index over frame maps. What would go wrong: a safepoint is not found, or found for the code
 * of an image that is gone; a table that grows loses entries; maps that contradict each other are
 * believed; who looks up while images come and go sees half an entry, or in a signal handler
 * nothing, which passes for native code; images that go leave memory behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <pthread.h>
#include <stdio.h>
#include "mock_frames.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/index.h"

enum { MANY = 3000 };

static struct mock_safepoint safepoints[2][MANY];
static struct mock_function functions[2][MANY];
static struct cairn_image images[2];

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % below;
}

/* Image `which`: functions of 64 bytes from `base` on, each with one safepoint somewhere in it,
 * whose frame has `words` words and some more; in the section in any order. */
static void make(int which, uintptr_t base, int words)
{
  for (int i = 0; i < MANY; i++) {
    uintptr_t entry = base + 64 * (uintptr_t)i;
    safepoints[which][i] = (struct mock_safepoint){.pc = entry + 1 + draw(64),
                                                   .safepoint = {.cfa_reg = SP, .cfa_offset = 8 * (words + i % 7)}};
    functions[which][i] = (struct mock_function){entry, 64, 1, &safepoints[which][i]};
  }
  for (int i = MANY; i-- > 1;) {
    uint64_t other = draw((uint64_t)i + 1);
    struct mock_function moved = functions[which][i];
    functions[which][i] = functions[which][other];
    functions[which][other] = moved;
  }
  mock_image(&images[which], functions[which], MANY);
}

static void all_are_found(int which)
{
  cn_index_prepare_walk();
  for (int i = 0; i < MANY; i++) {
    const struct mock_safepoint *safepoint = &safepoints[which][i];
    const struct cn_frame_map *map = cn_index_look_up_map(safepoint->pc);
    assert_non_null(map);
    assert_int_equal(map->cfa_offset, safepoint->safepoint.cfa_offset);
    assert_ptr_equal(cn_index_look_up_map(safepoint->pc), map);
    assert_null(cn_index_look_up_map(safepoint->pc + 1000000000));
  }
}

static void all_lie_inside(int which)
{
  uint64_t key, value;

  for (int i = 0; i < MANY; i++)
    for (uintptr_t pc = functions[which][i].entry + 1; pc <= functions[which][i].entry + 64; pc++)
      assert_int_not_equal(cn_index_find_or_decode(pc, &key, &value), CN_FRAMES_NONE);
}

/* Pages of address space. */
static long pages(void)
{
  char text[64] = "";
  long count = 0;
  FILE *statm = fopen("/proc/self/statm", "r");

  assert_non_null(statm);
  assert_non_null(fgets(text, sizeof text, statm));
  fclose(statm);
  assert_int_equal(sscanf(text, "%ld", &count), 1);
  return count;
}

static void images_come_and_go(void **state)
{
  size_t count;
  long used = 0;
  uint64_t key, value;

  (void)state;
  make(0, 0x100000, 2);
  all_are_found(0);
  assert_null(cn_index_look_up_map(0x4100000 + 30)); /* there is no code there, and then there is */
  make(1, 0x4100000, 20);                            /* so that the table grows, and positions are shared */
  assert_true(cn_index_find_or_decode(0x4100000 + 30, &key, &value) != CN_FRAMES_NONE);
  all_lie_inside(1);
  all_are_found(1);
  const struct cn_frame_map *kept = cn_index_look_up_map(safepoints[0][5].pc);
  assert_true(cn_index_memory_bytes(&count) > 2 * MANY * sizeof(struct cn_index_entry));
  assert_int_equal(count, 2 * MANY);

  cairn_image_unregister(&images[1]);
  cn_index_prepare_walk();
  for (int i = 0; i < MANY; i++)
    assert_null(cn_index_look_up_map(safepoints[1][i].pc));
  assert_false(cn_index_has_code_at(safepoints[1][0].pc));
  assert_true(cn_index_has_code_at(safepoints[0][0].pc));
  assert_ptr_equal(cn_index_look_up_map(safepoints[0][5].pc), kept); /* nothing was built again */
  all_are_found(0);

  /* Other code at the addresses of that which is gone. */
  for (int round = 0; round < 20; round++) {
    make(1, 0x4100000, 30 + round);
    all_are_found(1);
    cairn_image_unregister(&images[1]);
    cn_stop_begin(NULL);
    cn_index_free_replaced();
    cn_stop_end(NULL);
    if (round == 2)
      used = pages();
  }
  assert_true(pages() - used < 64); /* of an image that is gone nothing is left */
  all_are_found(0);
  assert_true(cn_index_memory_bytes(&count) < (300 + 16 * CN_ARCH_SAVED_VECTORS) * 2 * MANY);
}

/* ---- maps that cannot be ---- */

static void two(struct mock_function one, struct mock_function other)
{
  struct mock_function both[] = {one, other};

  cairn_image_unregister(&images[1]);
  mock_image(&images[0], both, 2);
  cn_index_look_up_map(0x10000);
}

static struct mock_safepoint in_both = {.pc = 0x10020, .safepoint = {.cfa_reg = SP, .cfa_offset = 16}};
static struct mock_safepoint another = {.pc = 0x10020, .safepoint = {.cfa_reg = SP, .cfa_offset = 24}};

static void different_maps(void)
{
  two((struct mock_function){0x10000, 64, 1, &in_both}, (struct mock_function){0x10000, 64, 1, &another});
}

static void overlapping(void)
{
  two((struct mock_function){0x10000, 64, 1, &in_both}, (struct mock_function){0x10010, 64, 1, &another});
}

static void one(struct cn_safepoint safepoint)
{
  static struct mock_safepoint mock;
  struct mock_function function = {0x10000, 64, 1, &mock};

  mock = (struct mock_safepoint){.pc = 0x10020, .safepoint = safepoint};
  mock_image(&images[0], &function, 1);
  assert_non_null(cn_index_look_up_map(0x10020));
}

static void saved_outside(void)
{
  one((struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 16, .saved = 1, .saved_offset = {-24}});
}

static void saved_over_pc(void)
{
  one((struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 16, .saved = 1, .saved_offset = {-8}});
}

static void beyond_function(void)
{
  struct mock_safepoint mock = {.pc = 0x10050, .safepoint = {.cfa_reg = SP, .cfa_offset = 16}};
  struct mock_function function = {0x10000, 64, 1, &mock};

  mock_image(&images[0], &function, 1);
  cn_index_look_up_map(0x10030);
}

/* As a signal handler would that comes while the index is changed. */
static void another_find(void)
{
  cn_index_look_up_map(0x10020);
}

static void interrupted(void)
{
  mock_interrupt = another_find;
  one((struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 16});
}

static void bad_maps(void **state)
{
  (void)state;
  aborts(different_maps, "two different maps of one function");
  aborts(overlapping, "it lies in another function");
  aborts(saved_outside, "a register is saved outside the frame");
  aborts(saved_over_pc, "a register is saved outside the frame");
  aborts(beyond_function, "a return offset cannot be read");
  aborts(interrupted, "the stack is walked in a signal handler that has interrupted the runtime");
}

/* Equal maps are what a linker leaves that folds functions; a return address may be the last byte's
 * of its function, and the entry of the next. */
static void good_maps(void **state)
{
  struct mock_safepoint last = {.pc = 0x10040, .safepoint = {.cfa_reg = SP, .cfa_offset = 40}};
  struct mock_function some[] = {{0x10040, 64, 0, NULL}, {0x10000, 64, 1, &last}, {0x10000, 64, 1, &last}};

  (void)state;
  cairn_image_unregister(&images[1]);
  mock_image(&images[0], some, 3);
  cn_index_prepare_walk();
  assert_int_equal(cn_index_look_up_map(0x10040)->cfa_offset, 40);
  assert_null(cn_index_look_up_map(0x10000));
  assert_false(cn_index_has_code_at(0x10000));
  assert_true(cn_index_has_code_at(0x10041));
}

/* ---- others look up ---- */

static _Atomic int done;

static void *look_up(void *unused)
{
  (void)unused;
  for (uint64_t i = 1; !done; i++) {
    const struct mock_safepoint *safepoint = &safepoints[0][i * 7919 % MANY];
    const struct cn_frame_map *map = cn_index_look_up_map(safepoint->pc);
    if (map == NULL || map->cfa_offset != safepoint->safepoint.cfa_offset)
      return &images;
  }
  return NULL;
}

static void threads(void **state)
{
  pthread_t thread[2];
  void *result;

  (void)state;
  make(0, 0x100000, 2);
  cn_index_prepare_walk();
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, look_up, NULL), 0);
  for (int round = 0; round < 20; round++) {
    make(1, 0x4100000, round + 1);
    all_are_found(1);
    cairn_image_unregister(&images[1]);
    cn_index_prepare_walk();
  }
  done = 1;
  for (int i = 0; i < 2; i++) {
    pthread_join(thread[i], &result);
    assert_null(result);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_come_and_go),
      cmocka_unit_test(bad_maps),
      cmocka_unit_test(good_maps),
      cmocka_unit_test(threads),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
