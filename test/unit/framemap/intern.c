/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte sequences interned: equal ones get the first one's value, others never do.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "framemap/intern.h"

enum { COUNT = 5000 };

/* The text of number `i`: a third of them share a long beginning, some are empty. */
static size_t text_of(uint32_t i, char text[64])
{
  const char *form = i % 3 ? "%u" : "a long beginning that is alike %u";

  return i == 0 ? 0 : (size_t)snprintf(text, 64, form, i);
}

static void equal_ones_are_found(void **state)
{
  struct cn_intern table = {0};
  char text[64];
  bool fresh;

  (void)state;
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < COUNT; i++) {
      size_t length = text_of(i, text);
      uint32_t value = cn_intern(&table, (const unsigned char *)text, length, i + 7 * (uint32_t)round, &fresh);
      assert_int_equal(value, i);
      assert_int_equal(fresh, round == 0);
    }
  assert_int_equal(table.entries.count, COUNT);
  cn_intern_free(&table);
}

static void a_beginning_is_another_key(void **state)
{
  struct cn_intern table = {0};
  static const unsigned char zeros[40];
  bool fresh;

  (void)state;
  for (uint32_t length = 0; length <= sizeof zeros; length++) {
    assert_int_equal(cn_intern(&table, zeros, length, length, &fresh), length);
    assert_true(fresh);
  }
  cn_intern_free(&table);
  assert_int_equal(cn_intern(&table, zeros, 3, 99, &fresh), 99);
  assert_true(fresh);
  cn_intern_free(&table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_ones_are_found),
      cmocka_unit_test(a_beginning_is_another_key),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
