/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/unwinding/spans_exceptions.ll: prints the nearest values of keys 1 and 2.
 */
#include <cairn/stack.h>
#include <stdio.h>

void show(const char *where);

void show(const char *where)
{
  struct cairn_stack_iterator it;
  uintptr_t value;

  printf("%s:", where);
  for (unsigned key = 1; key <= 2; key++) {
    cairn_stack_youngest(&it);
    while (!cairn_stack_past_end(&it) && !cairn_stack_span(&it, key, &value))
      cairn_stack_next(&it);
    if (cairn_stack_past_end(&it))
      printf(" -");
    else
      printf(" %lu", (unsigned long)value);
  }
  printf("\n");
}
