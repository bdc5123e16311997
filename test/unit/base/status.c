/* SPDX-License-Identifier: Apache-2.0
 *
 * The statuses of the public headers: each is negative, has a value and a text of its own, and what
 * is none has no text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/status.h>

static const enum cairn_status statuses[] = {
    CAIRN_OK,
#define CAIRN_STATUS(name, value, text) CAIRN_E_##name,
#include <cairn/status.def>
#undef CAIRN_STATUS
};

enum { COUNT = sizeof statuses / sizeof *statuses };

static void texts(void **state)
{
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    const char *text = cairn_status_text(statuses[i]);
    assert_non_null(text);
    for (int j = 0; j < i; j++)
      assert_string_not_equal(text, cairn_status_text(statuses[j]));
  }
}

static void values(void **state)
{
  int known = 0;

  (void)state;
  for (int i = 1; i < COUNT; i++)
    assert_in_range(-(int)statuses[i], 1, 1000);
  for (int value = -1000; value <= 1000; value++)
    known += cairn_status_text((enum cairn_status)value) != NULL;
  assert_int_equal(known, COUNT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),
      cmocka_unit_test(values),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
