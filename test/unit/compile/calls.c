/* SPDX-License-Identifier: Apache-2.0
 *
 * The leaf table is searched by halves: an entry out of order would silently be no leaf.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "compile/analysis/calls.h"

static const char *const names[] = {
#define CN_LEAF(name, reason) #name,
#include "compile/analysis/leaf_functions.def"
};

static void table_is_sorted(void **state)
{
  (void)state;
  for (size_t i = 1; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i - 1], names[i]) >= 0)
      fail_msg("%s stands before %s", names[i - 1], names[i]);
}

/* Functions that run the program's code or block must never get into the table. */
static void known_callers_are_no_leaves(void **state)
{
  static const char *const callers[] = {"exit",           "atexit", "qsort",  "bsearch", "raise", "longjmp",
                                        "pthread_create", "printf", "fwrite", "fclose",  "read"};

  (void)state;
  for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
    assert_null(cn_calls_leaf_reason(callers[i]));
  assert_non_null(cn_calls_leaf_reason("strlen"));
  assert_non_null(cn_calls_leaf_reason("sinf"));
  assert_null(cn_calls_leaf_reason("strle"));
  assert_null(cn_calls_leaf_reason(""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_sorted),
      cmocka_unit_test(known_callers_are_no_leaves),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
