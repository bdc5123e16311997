/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of layouts. What would go wrong: a field is named after its neighbour; a line that
 * nobody wrote is read past its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "framemap/layout_names.h"

static const char *field(const char *names, uint64_t offset)
{
  static char text[32];

  return cn_layout_names_find_field(names, offset, text, sizeof text) ? text : NULL;
}

static void fields(void **state)
{
  const char names[] = "struct s\n0 a\n8*2/16 in[].c\n16*2/16 in[].n\n"
                       "60*3/16*4/4 grid[][]\n112*0/8 slot[]";

  (void)state;
  assert_int_equal(cn_layout_names_type_length(names), strlen("struct s"));
  assert_string_equal(field(names, 0), "a");
  assert_string_equal(field(names, 8), "in[0].c");
  assert_string_equal(field(names, 24), "in[1].c");
  assert_string_equal(field(names, 32), "in[1].n");
  assert_string_equal(field(names, 112), "slot[0]");
  assert_string_equal(field(names, 4072), "slot[495]");
  assert_string_equal(field(names, 60 + 2 * 16 + 3 * 4), "grid[2][3]");
  assert_null(field(names, 4));
  assert_null(field(names, 4001));
  assert_null(field("struct node", 0));
  assert_null(field("", 0));
}

static void short_text(void **state)
{
  char text[8];

  (void)state;
  assert_true(cn_layout_names_find_field("t\n0*9/8 a_long_name[]", 8, text, sizeof text));
  assert_string_equal(text, "a_long_");
  assert_true(cn_layout_names_find_field("t\n0*0/1 name[]", 123456789, text, sizeof text));
  assert_string_equal(text, "name[12");
}

static void strange_lines(void **state)
{
  static const char *const lines[] = {
      "t\n",
      "t\nx",
      "t\n0",
      "t\n0*",
      "t\n0*1",
      "t\n0*1/",
      "t\n0*1/0 a[]",
      "t\n0*1/8",
      "t\n 0 a",
      "t\n99999999999999999999 a",
      "t\n0*1/1*1/1*1/1*1/1*1/1*1/1*1/1*1/1*1/1 a",
      "t\n-1 a",
      "t\n0*/8 a",
  };

  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_null(field(lines[i], 0));
    assert_null(field(lines[i], UINT64_MAX));
  }
  assert_string_equal(field("t\n??\n\n0 a", 0), "a");
  assert_string_equal(field("t\n0 []", 0), "[]"); /* brackets without a pair */
  assert_string_equal(field("t\n18446744073709551615 a", UINT64_MAX), "a");
}

/* Any bytes, each time at the end of their memory. */
static void random_lines(void **state)
{
  static const char bytes[] = "0123456789*/ \n[]a";
  uint64_t random = 1;

  (void)state;
  for (int i = 0; i < 20000; i++) {
    size_t length = (size_t)(i % 40);
    char *names = malloc(length + 1);
    for (size_t k = 0; k < length; k++) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      names[k] = bytes[(random >> 33) % (sizeof bytes - 1)];
    }
    names[length] = '\0';
    field(names, random >> 60);
    free(names);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields),
      cmocka_unit_test(short_text),
      cmocka_unit_test(strange_lines),
      cmocka_unit_test(random_lines),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
