/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of images, and those who read it. What would go wrong: a layout of one image is taken
 * for none, or what lies between two for a layout; a list is freed while somebody reads it, or
 * never.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "aborts.h"
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/image.h"
#include "runtime/core/readers.h"
#include "runtime/heap/managed_heap.h"
#include "unit/runtime/images/scale.h"

enum { IMAGES = 300, EACH = 3 };

static struct cairn_layout layouts[IMAGES][EACH + 1]; /* the last is in no image */
static struct cairn_image images[IMAGES];

/* Image number `i` of an order in which neighbours come far apart. */
static struct cairn_image *at(int i)
{
  return &images[i * 7 % IMAGES];
}

static void check_known(int i, bool there)
{
  int own = i * 7 % IMAGES;

  for (int k = 0; k <= EACH; k++)
    assert_int_equal(cairn_layout_is_known(&layouts[own][k]), there && k < EACH);
}

static void wrong_of_none(void)
{
  assert_true(cn_images_lock());
  assert_null(cn_images_wrong());
  cn_images_unlock();
}

static void layouts_of_many(void **state)
{
  (void)state;
  for (int i = 0; i < IMAGES; i++) {
    for (int k = 0; k <= EACH; k++)
      layouts[i][k].magic = CAIRN_ABI_LAYOUT_MAGIC;
    images[i].version = CAIRN_ABI_IMAGE_VERSION;
    images[i].size = sizeof(struct cairn_image);
    images[i].layouts_start = (const unsigned char *)&layouts[i][0];
    images[i].layouts_stop = (const unsigned char *)&layouts[i][EACH];
  }
  for (int i = 0; i < IMAGES; i++) {
    check_known(i, false);
    cairn_image_register(at(i));
    check_known(i, true);
    check_known(0, true);
  }
  wrong_of_none();
  assert_int_equal(cn_images_count(), IMAGES);
  for (int i = IMAGES; i-- > 0;) {
    cairn_image_unregister(at(i));
    check_known(i, false);
    check_known(0, i > 0);
  }
  wrong_of_none();
  assert_int_equal(cn_images_count(), 0);
}

/* ---- images that were unmapped, and others that take their place ---- */

static void other_in_its_place(void)
{
  cairn_image_register(&images[0]);
  images[0].layouts_stop = (const unsigned char *)&layouts[0][1];
  cairn_image_register(&images[0]);
}

static void other_across_it(void)
{
  cairn_image_register(&images[0]);
  images[1].layouts_start = (const unsigned char *)&layouts[0][1];
  images[1].layouts_stop = (const unsigned char *)&layouts[0][EACH + 1];
  cairn_image_register(&images[1]);
}

static void images_that_are_gone(void **state)
{
  (void)state;
  aborts(other_in_its_place, "where another one is registered that is gone");
  aborts(other_across_it, "where another one is registered that is gone");
  cairn_image_register(&images[0]);
  cairn_image_register(&images[0]);
  assert_true(cn_images_have_section_on_page((uintptr_t)&layouts[0][1]));
  cairn_image_unregister(&images[0]);
  assert_false(cn_images_have_section_on_page((uintptr_t)&layouts[0][1]));
}

/* As a linker that keeps both leaves them; one goes. */
static void one_section_twice(void **state)
{
  (void)state;
  images[1].layouts_start = images[0].layouts_start;
  images[1].layouts_stop = images[0].layouts_stop;
  cairn_image_register(&images[0]);
  cairn_image_register(&images[2]);
  cairn_image_register(&images[1]);
  cairn_image_unregister(&images[0]);
  check_known(0, true);
  cairn_image_unregister(&images[1]);
  check_known(0, false);
  cairn_image_unregister(&images[2]);
}

static long pages(void)
{
  long count = 0;
  FILE *statm = fopen("/proc/self/statm", "r");

  assert_non_null(statm);
  assert_int_equal(fscanf(statm, "%ld", &count), 1);
  fclose(statm);
  return count;
}

static void register_all_and_none(void)
{
  for (int i = 0; i < IMAGES; i++)
    cairn_image_register(&images[i]);
  for (int i = 0; i < IMAGES; i++)
    cairn_image_unregister(&images[i]);
}

/* A reader keeps its list while others follow; afterwards the memory of replaced lists is used again. */
static void lists_are_freed(void **state)
{
  (void)state;
  cairn_image_register(&images[0]);
  bool entered = cn_image_begin_reading();
  assert_true(entered && cn_image_is_reading() && !cn_image_begin_reading());
  const struct cn_image_list *list = cn_image_list();
  for (int i = 2; i < IMAGES; i++)
    cairn_image_register(&images[i]);
  assert_int_equal(cn_ranges_count(list->by_id), 1); /* still there */
  assert_ptr_equal(cn_image_from(list, 0)->key, &images[0]);
  assert_null(cn_ranges_wrong(list->by_layouts));
  cn_image_end_reading(entered);
  register_all_and_none();
  register_all_and_none();
  long before = pages();
  for (int round = 0; round < 100; round++)
    register_all_and_none();
  assert_int_equal(pages(), before);
  wrong_of_none();
}

/* ---- forms ---- */

static struct cairn_image odd;
static struct cairn_collector other;

static void register_odd(void)
{
  cairn_image_register(&odd);
}

static void choose_other(void)
{
  cairn_set_collector(&other);
}

static void images_of_other_versions(void **state)
{
  struct {
    const void *frames_start;
  } before = {&odd};

  (void)state;
  odd = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION + 1, .size = sizeof(struct cairn_image)};
  aborts(register_odd, "registers an image of version 5 and 96 bytes, and this runtime has version "
                       "4 of 96 bytes");
  odd = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION, .size = sizeof(struct cairn_image) - 8};
  aborts(register_odd, "unit_runtime_images registers an image of version 4 and 88 bytes");
  memcpy(&odd, &before, sizeof before); /* from before there were versions */
  aborts(register_odd, " bytes, and this runtime has version 4 of 96 bytes");
  odd = (struct cairn_image){.version = 0};
  aborts(register_odd, "registers an image of version 0 and 0 bytes");
}

/* A section with one bound, or with its bounds exchanged. */
static void images_with_damaged_sections(void **state)
{
  static unsigned char section[8];
  const struct cairn_image good = {.version = CAIRN_ABI_IMAGE_VERSION, .size = sizeof(struct cairn_image)};

  (void)state;
  odd = good;
  odd.points_start = section;
  aborts(register_odd, "an image registers a section without both bounds");
  odd.points_start = section + 8;
  odd.points_stop = section;
  aborts(register_odd, "an image registers a section without both bounds");
  odd = good;
  odd.frames_stop = section;
  aborts(register_odd, "an image registers a section without both bounds");
  odd = good;
  odd.roots_start = (const struct cairn_global_root *)(const void *)section;
  odd.roots_stop = (const struct cairn_global_root *)(const void *)(section + 8);
  aborts(register_odd, "an image registers a damaged section of global roots");
}

static struct {
  struct cairn_layout layout;
  uint32_t offsets[2];
} wrong[3];

static void register_wrong(void)
{
  odd = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION,
                             .size = sizeof(struct cairn_image),
                             .layouts_start = (const unsigned char *)wrong,
                             .layouts_stop = (const unsigned char *)(wrong + 3)};
  cairn_set_collector(&cairn_collector_semispace);
  cairn_image_register(&odd);
  cn_heap_set_up();
}

/* The second of three: what comes before it is skipped by its own length, or by words of zero. */
static void layouts_of_other_versions(void **state)
{
  const uint32_t magic = CAIRN_ABI_LAYOUT_MAGIC;

  (void)state;
  wrong[0].layout = (struct cairn_layout){.magic = magic, .base_refs = 1, .elem_refs = 1};
  wrong[1].layout = (struct cairn_layout){.magic = CAIRN_ABI_LAYOUT_MAGIC_1};
  aborts(register_wrong, "of version 1, and this runtime has version 2: compile all parts");
  wrong[0].layout = (struct cairn_layout){0};
  aborts(register_wrong, "unit_runtime_images has the layout 0x");
  wrong[1].layout = (struct cairn_layout){.magic = magic, .flags = CAIRN_ABI_LAYOUT_FLAGS + 1};
  aborts(register_wrong, "unit_runtime_images has a damaged layout at 0x");
  wrong[1].layout = (struct cairn_layout){.magic = magic, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES, .base_refs = 1};
  aborts(register_wrong, "a damaged layout at 0x");
  wrong[1].layout = (struct cairn_layout){.magic = magic, .base_refs = UINT32_MAX};
  aborts(register_wrong, "a damaged layout at 0x");
  wrong[1].layout = (struct cairn_layout){.magic = magic, .base_refs = 2 + sizeof wrong[2] / 4};
  register_wrong();
  cairn_image_unregister(&odd);
}

static void collectors_of_other_versions(void **state)
{
  (void)state;
  other = cairn_collector_semispace;
  other.version++;
  aborts(choose_other, "collector 'other' of "); /* the variable's name */
  aborts(choose_other, "has version 9 of struct cairn_collector, ");
  other = cairn_collector_semispace;
  other.size -= 8;
  aborts(choose_other, "collector 'semispace' of ");
  aborts(choose_other, "and this runtime has version 8, of ");
  memcpy(&other, &other.name, sizeof other.name); /* from before there were versions */
  aborts(choose_other, "of struct cairn_collector, ");
}

static void collectors_without_functions(void **state)
{
  (void)state;
  other = cairn_collector_semispace;
  other.init = NULL;
  aborts(choose_other, "collector 'semispace' does not have the function init");
  other = cairn_collector_semispace;
  other.refill = NULL;
  aborts(choose_other, "collector 'semispace' does not have the function refill");
  other = cairn_collector_semispace;
  other.grow = NULL;
  aborts(choose_other, "collector 'semispace' does not have the function grow");
  other.name = NULL;
  aborts(choose_other, "collector 'other' does not have the member name");
}

/* ---- readers ---- */

static struct cn_reader_epochs readers;
static _Atomic int step;

static void reach(int number)
{
  while (atomic_load(&step) < number)
    ;
}

/* Reads from step 1 to step 2. */
static void *read_once(void *argument)
{
  unsigned inside = 0;

  cn_readers_enter(&readers, &inside);
  atomic_store(&step, 1);
  reach(2);
  cn_readers_leave(&readers, &inside);
  return argument;
}

static void *wait_for_all(void *argument)
{
  cn_readers_wait(&readers);
  atomic_store(&step, 3);
  return argument;
}

static void who_came_before_is_waited_for(void **state)
{
  unsigned inside = 0;
  pthread_t reader, waiter;

  (void)state;
  assert_int_equal(pthread_create(&reader, NULL, read_once, NULL), 0);
  reach(1);
  uint64_t since = cn_readers_current_generation(&readers);
  assert_false(cn_readers_have_left(&readers, since));
  cn_readers_enter(&readers, &inside); /* later ones do not count */
  assert_null(cn_readers_wrong(&readers, inside));
  assert_false(cn_readers_have_left(&readers, since));
  cn_readers_leave(&readers, &inside);
  assert_int_equal(pthread_create(&waiter, NULL, wait_for_all, NULL), 0);
  assert_int_equal(atomic_load(&step), 1);
  atomic_store(&step, 2);
  assert_int_equal(pthread_join(reader, NULL), 0);
  assert_int_equal(pthread_join(waiter, NULL), 0);
  assert_int_equal(atomic_load(&step), 3);
  assert_true(cn_readers_have_left(&readers, since));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_of_many),
      cmocka_unit_test(images_that_are_gone),
      cmocka_unit_test(one_section_twice),
      cmocka_unit_test(lists_are_freed),
      cmocka_unit_test(blocks_are_used_again),
      cmocka_unit_test(trees_like_a_model),
      cmocka_unit_test(wrong_trees),
      cmocka_unit_test(wrong_lists),
      cmocka_unit_test(thousands_like_a_model),
      cmocka_unit_test(readers_meet_changes),
      cmocka_unit_test(images_of_other_versions),
      cmocka_unit_test(images_with_damaged_sections),
      cmocka_unit_test(collectors_of_other_versions),
      cmocka_unit_test(collectors_without_functions),
      cmocka_unit_test(layouts_of_other_versions), /* sets the heap up */
      cmocka_unit_test(who_came_before_is_waited_for),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
