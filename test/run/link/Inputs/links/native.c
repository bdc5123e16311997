/* Compiled by clang alone. */
#include <cairn/stack.h>

long native_activations(void);
long native_activations(void)
{
  struct cairn_stack_iterator it;
  long count = 0;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
    count++;
  return count;
}
