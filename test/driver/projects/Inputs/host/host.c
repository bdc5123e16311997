/* A native program that calls the runtime itself, in C and in C++. */
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <cairn/thread.h>
#include <stdio.h>

int main(void)
{
  struct cairn_stack_iterator frames;
  int count = 0;

  cairn_thread_attach();
  printf("attached: %zu\n", (size_t)cairn_mutator_count());
  printf("collector: %s\n", cairn_collector_in_use()->name);
  for (cairn_stack_youngest(&frames); !cairn_stack_past_end(&frames); cairn_stack_next(&frames))
    count++;
  printf("managed code: %d\n", count);
  return 0;
}
