/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses, and which addresses are layouts. What would go wrong: a median that is off by more than a
 * step of the histogram; a header in a section's padding or past its end that counts as a layout.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include "runtime/image.h"
#include "runtime/stats.h"

static void medians(void **state)
{
  (void)state;
  assert_int_equal(cn_stats_pause_median(&cn_stats), 0);
  for (uint64_t value = 1; value < UINT64_C(1) << 62; value = value * 3 + 1) {
    cn_stats = (struct cn_stats){0};
    for (int i = 0; i < 3; i++)
      cn_stats_pause(value);
    cn_stats_pause(0);
    cn_stats_pause(UINT64_MAX);
    uint64_t median = cn_stats_pause_median(&cn_stats);
    assert_true(median <= value && value - median <= value / 16);
    assert_true(cn_stats.pause_max == UINT64_MAX);
  }
}

static struct cairn_layout layouts[3] = {{.magic = CAIRN_ABI_LAYOUT_MAGIC},
                                         {.magic = 1},
                                         {.magic = CAIRN_ABI_LAYOUT_MAGIC}};

static void layouts_are_known(void **state)
{
  struct cairn_image image = {.layouts_start = (const unsigned char *)layouts,
                              .layouts_stop = (const unsigned char *)&layouts[2]};
  uint64_t generation = cn_image_generation();

  (void)state;
  assert_false(cairn_layout_is_known(&layouts[0]));
  cairn_image_register(&image);
  assert_int_not_equal(cn_image_generation(), generation);
  cairn_image_register(&image);
  assert_int_equal(cn_image_count(), 1);
  assert_true(cairn_layout_is_known(&layouts[0]));
  assert_false(cairn_layout_is_known(&layouts[1]));
  assert_false(cairn_layout_is_known(&layouts[2]));
  assert_false(cairn_layout_is_known((const struct cairn_layout *)((char *)layouts + 4)));
  assert_false(cairn_layout_is_known(NULL));
  cairn_image_unregister(&image);
  assert_int_equal(cn_image_count(), 0);
  assert_false(cairn_layout_is_known(&layouts[0]));
}

static void payload_sizes(void **state)
{
  struct cairn_layout flex = {.base_size = 24, .elem_size = 4, .elem_offset = 20};
  struct cairn_layout huge = {.elem_size = UINT64_C(1) << 40};
  uint64_t bytes = 0;

  (void)state;
  assert_true(cairn_layout_payload(&flex, 0, &bytes) && bytes == 24);
  assert_true(cairn_layout_payload(&flex, 1, &bytes) && bytes == 24);
  assert_true(cairn_layout_payload(&flex, 2, &bytes) && bytes == 32);
  assert_false(cairn_layout_payload(&huge, UINT64_C(1) << 24, &bytes));
  assert_false(cairn_layout_payload(&huge, UINT64_C(1) << 23, &bytes));
  assert_true(cairn_layout_payload(&huge, UINT64_C(1) << 22, &bytes));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians),
      cmocka_unit_test(layouts_are_known),
      cmocka_unit_test(payload_sizes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
