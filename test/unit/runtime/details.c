/* SPDX-License-Identifier: Apache-2.0
 *
 * Details found by return address. What would go wrong: a call that is the last instruction of its
 * function is looked for in the next; what an image had is found when it is gone; a signal handler
 * that interrupts a change of the list waits for itself; damage is taken for "nothing known".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <pthread.h>
#include <string.h>
#include "aborts.h"
#include "runtime/core/image.h"
#include "runtime/debug/backtrace.h"

/* "Sections" are arrays of these; the reader is this one. */
struct mock {
  uintptr_t entry;
  uint32_t size, offset, sources;
};

int cn_details_next_function(const unsigned char **cursor, const unsigned char *end,
                             struct cn_details_function *function)
{
  struct mock mock;

  if (*cursor == end)
    return CN_FRAMEMAP_NONE;
  memcpy(&mock, *cursor, sizeof mock);
  if (mock.entry == 0)
    return CN_FRAMEMAP_BAD;
  *function = (struct cn_details_function){
      .entry = mock.entry, .code_size = mock.size, .safepoints = 1, .data = *cursor, .end = end};
  *cursor += sizeof mock;
  return CN_FRAMEMAP_OK;
}

int cn_details_read_return_offset(const struct cn_details_function *function, uint32_t index, uint32_t *offset)
{
  struct mock mock;

  memcpy(&mock, function->data, sizeof mock);
  *offset = mock.offset;
  return index < function->safepoints ? CN_FRAMEMAP_OK : CN_FRAMEMAP_BAD;
}

int cn_details_find(const struct cn_details_function *function, uint32_t return_offset, struct cn_details *out)
{
  struct mock mock;

  memcpy(&mock, function->data, sizeof mock);
  if (mock.offset != return_offset)
    return CN_FRAMEMAP_NONE;
  *out = (struct cn_details){.sources = mock.sources};
  return mock.sources < 100 ? CN_FRAMEMAP_OK : CN_FRAMEMAP_BAD;
}

int cn_details_next_source(struct cn_details *details, struct cn_source_place *out)
{
  if (details->sources == 0)
    return CN_FRAMEMAP_NONE;
  *out = (struct cn_source_place){.function = "f", .line = details->sources--};
  return CN_FRAMEMAP_OK;
}

int cn_details_next_deopt(struct cn_details *details, struct cn_deopt_value *out)
{
  (void)details;
  (void)out;
  return CN_FRAMEMAP_NONE;
}

int cn_details_next_span(struct cn_details *details, struct cn_span *out)
{
  (void)details;
  (void)out;
  return CN_FRAMEMAP_NONE;
}

static struct cairn_image images[2];
static const struct mock first[] = {{0x3000, 0x100, 0x100, 3}, {0x1000, 0x100, 0x20, 1}};
static const struct mock second[] = {{0x2000, 0x40, 0x10, 2}, {0x3100, 0x40, 0x10, 5}};

static void add(struct cairn_image *image, const struct mock *mocks, size_t count)
{
  image->version = CAIRN_ABI_IMAGE_VERSION;
  image->size = sizeof *image;
  image->details_start = (const unsigned char *)mocks;
  image->details_stop = (const unsigned char *)(mocks + count);
  cairn_image_register(image);
}

static uint32_t sources(uintptr_t pc)
{
  struct cn_details details;

  return cn_safepoint_find_details(pc, &details) ? details.sources : 0;
}

static void finds(void **state)
{
  struct cn_source_place source;
  uint32_t depths;

  (void)state;
  assert_int_equal(sources(0x1020), 0);
  add(&images[0], first, 2);
  assert_int_equal(sources(0x1020), 1);
  assert_int_equal(sources(0x3100), 3); /* after the last call of the function */
  assert_int_equal(sources(0x1021), 0);
  assert_int_equal(sources(0x1000), 0);
  assert_int_equal(sources(0), 0);
  assert_int_equal(sources(UINTPTR_MAX), 0);
  assert_int_equal(cn_safepoint_find_nearest(0xfff), 0);
  assert_int_equal(cn_safepoint_find_nearest(0x1000), 0x1020);
  assert_int_equal(cn_safepoint_find_nearest(0x10ff), 0x1020);
  assert_int_equal(cn_safepoint_find_nearest(0x1100), 0);
  add(&images[1], second, 2);
  assert_int_equal(sources(0x3100), 3);
  assert_int_equal(sources(0x3110), 5);
  assert_int_equal(sources(0x2010), 2);
  assert_true(cn_safepoint_find_source(0x3110, 4, &source, &depths));
  assert_int_equal(depths, 5);
  assert_int_equal(source.line, 1);
  assert_false(cn_safepoint_find_source(0x3110, 5, &source, &depths));
  cairn_image_unregister(&images[1]);
  assert_int_equal(sources(0x2010), 0);
  assert_int_equal(sources(0x3100), 3);
}

static void held(void **state)
{
  (void)state;
  assert_true(cn_images_lock());
  assert_int_equal(sources(0x3100), 0);
  cn_images_unlock();
  assert_int_equal(sources(0x3100), 3);
}

static void *ask(void *wrong)
{
  for (int i = 0; i < 20000; i++)
    *(int *)wrong += sources(0x3100) != 3 || sources(0x1020) != 1;
  return NULL;
}

/* Other threads ask while images come and go. */
static void threads(void **state)
{
  pthread_t handle[3];
  int wrong[3] = {0};

  (void)state;
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&handle[i], NULL, ask, &wrong[i]), 0);
  for (int i = 0; i < 5000; i++) {
    add(&images[1], second, 2);
    cairn_image_unregister(&images[1]);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(handle[i], NULL);
    assert_int_equal(wrong[i], 0);
  }
}

static void bad_section(void)
{
  static const struct mock bad = {0, 0, 0, 0};

  add(&images[1], &bad, 1);
  sources(0x1020);
}

static void bad_safepoint(void)
{
  static const struct mock bad = {0x5000, 0x10, 0x10, 100};

  add(&images[1], &bad, 1);
  sources(0x5010);
}

static void damaged(void **state)
{
  (void)state;
  aborts(bad_section, "cairn: fatal: bad details: section cairn_details");
  aborts(bad_safepoint, "cairn: fatal: bad details: section cairn_details, pc 0x5010");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds),
      cmocka_unit_test(held),
      cmocka_unit_test(threads),
      cmocka_unit_test(damaged),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
