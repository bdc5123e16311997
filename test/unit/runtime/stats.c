/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses, their phases, the collector's counts, and which addresses are layouts. What would go wrong: a median that is
 * off by more than a step of the histogram; time of a phase that counts twice, or for the phase around it; time of a
 * phase outside of collections, or on another thread; a header in a section's padding or past its end that counts as a
 * layout.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include "runtime/core/image.h"
#include "runtime/events/phase_times.h"
#include "runtime/latency/latency.h"
#include "unit/runtime/aborts.h"

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

static void note(enum cairn_event_kind kind, const char *phase, uint64_t microseconds)
{
  uint64_t begun = kind == CAIRN_EVENT_COLLECTION_ENDS ? 1000 : 0;

  cn_phase_times_note_event(
      &(struct cairn_event){.kind = kind, .phase = phase, .time = microseconds * 1000, .since = begun});
}

static void *note_elsewhere(void *unused)
{
  note(CAIRN_EVENT_PHASE_BEGINS, "b", 4);
  note(CAIRN_EVENT_PHASE_ENDS, "b", 5);
  return unused;
}

static void assert_phases(const char *expected)
{
  char text[320];

  assert_string_equal(cn_phase_times_format_last(text, sizeof text), expected);
}

static void phases(void **state)
{
  pthread_t other;

  (void)state;
  note(CAIRN_EVENT_PHASE_BEGINS, "outside", 0);
  note(CAIRN_EVENT_PHASE_ENDS, "outside", 1);
  note(CAIRN_EVENT_COLLECTION_BEGINS, NULL, 1);
  note(CAIRN_EVENT_PHASE_BEGINS, "a", 3);
  assert_int_equal(pthread_create(&other, NULL, note_elsewhere, NULL), 0);
  pthread_join(other, NULL);
  note(CAIRN_EVENT_PHASE_BEGINS, "b", 10);
  note(CAIRN_EVENT_PHASE_ENDS, "b", 14);
  note(CAIRN_EVENT_PHASE_ENDS, "a", 15);
  note(CAIRN_EVENT_PHASE_BEGINS, (char[]){"b"}, 15);
  note(CAIRN_EVENT_PHASE_ENDS, "b", 17);
  note(CAIRN_EVENT_COLLECTION_ENDS, NULL, 21);
  assert_phases(": a 8.0, b 6.0, other 6.0");
  note(CAIRN_EVENT_COLLECTION_BEGINS, NULL, 1);
  note(CAIRN_EVENT_COLLECTION_ENDS, NULL, 2);
  assert_phases(": other 1.0");
}

/* The times of phases beyond the limits count for others, and a text is cut. */
static void many_phases(void **state)
{
  static char names[30][4];
  char text[16];

  (void)state;
  note(CAIRN_EVENT_COLLECTION_BEGINS, NULL, 1);
  for (int i = 0; i < 10; i++)
    note(CAIRN_EVENT_PHASE_BEGINS, "a", 1);
  for (int i = 0; i < 11; i++)
    note(CAIRN_EVENT_PHASE_ENDS, "a", 2);
  note(CAIRN_EVENT_COLLECTION_ENDS, NULL, 3);
  assert_phases(": a 1.0, other 1.0");
  note(CAIRN_EVENT_COLLECTION_BEGINS, NULL, 1);
  for (int i = 0; i < 30; i++) {
    snprintf(names[i], sizeof names[i], "p%d", i);
    note(CAIRN_EVENT_PHASE_BEGINS, names[i], (uint64_t)i + 1);
    note(CAIRN_EVENT_PHASE_ENDS, names[i], (uint64_t)i + 2);
  }
  note(CAIRN_EVENT_COLLECTION_ENDS, NULL, 31);
  assert_string_equal(cn_phase_times_format_last(text, sizeof text), ": p0 1.0, p1 1.");
}

static void count_too_many(void)
{
  static char names[25][4];

  for (int i = 0; i < 25; i++) {
    snprintf(names[i], sizeof names[i], "%d", i);
    cairn_note_count(names[i], 1);
    cairn_note_count(names[i], 1);
  }
}

static void counts(void **state)
{
  (void)state;
  aborts(count_too_many, "a collector has more than 24 counts, the last is 24");
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
      cmocka_unit_test(medians),       cmocka_unit_test(high_quantiles), cmocka_unit_test(phases),
      cmocka_unit_test(many_phases),   cmocka_unit_test(counts),         cmocka_unit_test(layouts_are_known),
      cmocka_unit_test(payload_sizes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
