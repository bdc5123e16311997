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
#include "runtime/core/image.h"
#include "runtime/latency/latency.h"

static struct cn_histogram pauses;

static void medians(void **state)
{
  (void)state;
  assert_int_equal(cn_histogram_quantile(&pauses, 500), 0);
  for (uint64_t value = 1; value < UINT64_C(1) << 62; value = value * 3 + 1) {
    pauses = (struct cn_histogram){0};
    for (int i = 0; i < 3; i++)
      cn_histogram_add_value(&pauses, value);
    cn_histogram_add_value(&pauses, 0);
    cn_histogram_add_value(&pauses, UINT64_MAX);
    uint64_t median = cn_histogram_quantile(&pauses, 500);
    assert_true(median <= value && value - median <= value / 16);
    assert_true(pauses.maximum == UINT64_MAX);
  }
}

/* One in a thousand, and one more. */
static void high_quantiles(void **state)
{
  (void)state;
  pauses = (struct cn_histogram){0};
  for (int i = 0; i < 1998; i++)
    cn_histogram_add_value(&pauses, 3);
  cn_histogram_add_value(&pauses, 15);
  assert_int_equal(cn_histogram_quantile(&pauses, 999), 3);
  cn_histogram_add_value(&pauses, 15);
  cn_histogram_add_value(&pauses, 14);
  assert_int_equal(cn_histogram_quantile(&pauses, 999), 14);
  assert_int_equal(cn_histogram_quantile(&pauses, 1000), 15);
}

static struct cairn_layout layouts[3] = {{.magic = CAIRN_ABI_LAYOUT_MAGIC}, {0}, {.magic = CAIRN_ABI_LAYOUT_MAGIC}};

static void layouts_are_known(void **state)
{
  struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                              .size = sizeof(struct cairn_image),
                              .layouts_start = (const unsigned char *)layouts,
                              .layouts_stop = (const unsigned char *)&layouts[2]};
  uint64_t generation = cn_image_list_generation();

  (void)state;
  assert_false(cairn_layout_is_known(&layouts[0]));
  cairn_image_register(&image);
  assert_int_not_equal(cn_image_list_generation(), generation);
  cairn_image_register(&image);
  assert_int_equal(cn_images_count(), 1);
  assert_true(cairn_layout_is_known(&layouts[0]));
  assert_false(cairn_layout_is_known(&layouts[1]));
  assert_false(cairn_layout_is_known(&layouts[2]));
  assert_false(cairn_layout_is_known((const struct cairn_layout *)((char *)layouts + 4)));
  assert_false(cairn_layout_is_known(NULL));
  cairn_image_unregister(&image);
  assert_int_equal(cn_images_count(), 0);
  assert_false(cairn_layout_is_known(&layouts[0]));
}

static void payload_sizes(void **state)
{
  struct cairn_layout flex = {.base_size = 24, .elem_size = 4, .elem_offset = 20};
  struct cairn_layout huge = {.elem_size = UINT64_C(1) << 40};
  uint64_t bytes = 0;

  (void)state;
  assert_true(cairn_layout_payload(&flex, 0, &bytes) == CAIRN_OK && bytes == 24);
  assert_true(cairn_layout_payload(&flex, 1, &bytes) == CAIRN_OK && bytes == 24);
  assert_true(cairn_layout_payload(&flex, 2, &bytes) == CAIRN_OK && bytes == 32);
  assert_int_equal(cairn_layout_payload(&huge, UINT64_C(1) << 24, &bytes), CAIRN_E_OVERFLOW);
  assert_int_equal(cairn_layout_payload(&huge, UINT64_C(1) << 23, &bytes), CAIRN_E_OVERFLOW);
  assert_int_equal(cairn_layout_payload(&huge, UINT64_C(1) << 22, &bytes), CAIRN_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians),
      cmocka_unit_test(high_quantiles),
      cmocka_unit_test(layouts_are_known),
      cmocka_unit_test(payload_sizes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
