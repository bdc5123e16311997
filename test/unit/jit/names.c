/* The table of names of a JIT session: definitions are found until they are removed, and by their symbols, while the
 * table grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "jit/module.h"
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
  static struct cn_jit_symbol symbols[NAMES];

  (void)state;
  assert_null(cn_jit_names_find(&names, "f_0"));
  for (unsigned i = 0; i < NAMES; i++) {
    symbols[i].name = strdup(name_of(i));
    if (i % 2)
      cn_jit_names_add_export(&names, &symbols[i], owner);
    else
      cn_jit_names_add(&names, name_of(i))->address = i;
    assert_null(cn_jit_names_wrong(&names));
  }
  for (unsigned i = 1; i < NAMES; i += 2) {
    assert_ptr_equal(symbols[i].definition, cn_jit_names_find(&names, name_of(i)));
    assert_ptr_equal(symbols[i].definition->owner, owner);
    cn_jit_names_remove(&names, symbols[i].definition);
    assert_null(symbols[i].definition);
  }
  assert_null(cn_jit_names_wrong(&names));
  assert_int_equal(names.count, NAMES / 2);
  for (unsigned i = 0; i < NAMES; i++) {
    const struct cn_jit_name *found = cn_jit_names_find(&names, name_of(i));
    assert_true(i % 2 ? found == NULL : found && found->address == i && !found->owner);
    free(symbols[i].name);
  }
  cn_jit_names_free(&names);
  assert_int_equal(names.count, 0);
}

/* The first definition of a name counts; it goes to another symbol by cn_jit_name_give() alone. */
static void knows_definitions(void **state)
{
  struct cn_jit_names names = {0};
  struct cn_jit_module *owners[2] = {(struct cn_jit_module *)&names, (struct cn_jit_module *)&owners};
  struct cn_jit_symbol symbols[2] = {{.name = "f"}, {.name = "f"}};

  (void)state;
  cn_jit_names_add_export(&names, &symbols[0], owners[0]);
  cn_jit_names_add_export(&names, &symbols[1], owners[1]);
  assert_null(symbols[1].definition);
  assert_int_equal(names.count, 1);
  struct cn_jit_name *name = symbols[0].definition;
  cn_jit_name_give(name, &symbols[1], owners[1]);
  assert_null(symbols[0].definition);
  assert_ptr_equal(symbols[1].definition, name);
  assert_ptr_equal(name->owner, owners[1]);
  assert_null(cn_jit_names_wrong(&names));
  symbols[1].definition = NULL;
  assert_non_null(cn_jit_names_wrong(&names));
  symbols[1].definition = name;
  cn_jit_names_remove(&names, name);
  assert_null(symbols[1].definition);
  assert_null(cn_jit_names_find(&names, "f"));
  cn_jit_names_free(&names);
}

static void finds_faults(void **state)
{
  struct cn_jit_names names = {0};

  (void)state;
  struct cn_jit_name *name = cn_jit_names_add(&names, "one");
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_names), cmocka_unit_test(knows_definitions),
                                     cmocka_unit_test(finds_faults)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
