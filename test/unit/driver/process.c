/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools of LLVM that the driver runs: what is missing is said before anything is done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "driver/cc/process.h"

static void test_tools(void **state)
{
  (void)state;
  assert_null(cn_process_find_llvm_tool("no-such-tool", "a test", "no-such-package"));
  const char *path = cn_process_find_llvm_tool("llvm-ar", "a test", "llvm-22");
  assert_non_null(path);
  assert_string_equal(strrchr(path, '/'), "/llvm-ar");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tools)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
