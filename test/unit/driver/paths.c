/* SPDX-License-Identifier: Apache-2.0
 *
 * File names made from others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "driver/cc/units.h"

static void test_names(void **state)
{
  (void)state;
  assert_string_equal(cn_paths_stem_of("a.c"), "a");
  assert_string_equal(cn_paths_stem_of("dir.x/a.b.c"), "a.b");
  assert_string_equal(cn_paths_stem_of("dir.x/a"), "a");
  assert_string_equal(cn_paths_stem_of(".hidden"), ".hidden");
  assert_string_equal(cn_paths_stem_of("-"), "-");
  assert_string_equal(cn_paths_replace_suffix("a.o", ".d"), "a.d");
  assert_string_equal(cn_paths_replace_suffix("out.x/a", ".d"), "out.x/a.d");
  assert_string_equal(cn_paths_replace_suffix("out/a.b.o", ".d"), "out/a.b.d");
}

static void test_installation(void **state)
{
  (void)state;
  assert_null(cn_paths_find_installed("no/such/file"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_installation)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
