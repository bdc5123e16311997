/* The table of names of a JIT session: definitions are found until they are removed, by their owner alone, while the
 * table grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "jit/names.h"

enum { NAMES = 3000 };

static const char *name_of(unsigned i)
{
  static char text[32];

  snprintf(text, sizeof text, "f_%u", i);
  return text;
}

static void keeps_names(void **state)
{
  struct cn_jit_names names = {0};
  struct cn_jit_module *owner = (struct cn_jit_module *)&names;

  (void)state;
  assert_null(cn_jit_names_find(&names, "f_0"));
  cn_jit_names_remove(&names, "f_0", NULL);
  for (unsigned i = 0; i < NAMES; i++) {
    cn_jit_names_add(&names, name_of(i), i % 2 ? owner : NULL)->address = i;
    assert_null(cn_jit_names_wrong(&names));
  }
  for (unsigned i = 0; i < NAMES; i++)
    cn_jit_names_remove(&names, name_of(i), owner);
  assert_null(cn_jit_names_wrong(&names));
  assert_int_equal(names.count, NAMES / 2);
  for (unsigned i = 0; i < NAMES; i++) {
    const struct cn_jit_name *found = cn_jit_names_find(&names, name_of(i));
    assert_true(i % 2 ? found == NULL : found && found->address == i && !found->owner);
  }
  cn_jit_names_free(&names);
  assert_int_equal(names.count, 0);
}

static void finds_faults(void **state)
{
  struct cn_jit_names names = {0};

  (void)state;
  struct cn_jit_name *name = cn_jit_names_add(&names, "one", NULL);
  name->text[0] = 'x';
  assert_non_null(cn_jit_names_wrong(&names));
  name->text[0] = 'o';
  names.count = 2;
  assert_non_null(cn_jit_names_wrong(&names));
  names.count = 1;
  assert_null(cn_jit_names_wrong(&names));
  cn_jit_names_free(&names);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_names), cmocka_unit_test(finds_faults)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
