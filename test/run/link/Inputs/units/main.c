#include "units.h"
#include <stdio.h>

static long fold(item_ref item, long start)
{
  return item_new(start * 3 % 10007 + item->value)->value;
}

int main(void)
{
  struct stack local = {.on_push = transform_named("kept")};

  shared_stacks[0].on_push = transform_named("doubled");
  for (long i = 0; i < 10; i++) {
    stack_push(&shared_stacks[i % 2], item_new(i));
    stack_push(&local, item_new(i * i));
  }
  stack_push(&local, stack_pop(&shared_stacks[1]));
  printf("%ld %ld %ld\n", visit(shared_stacks[0].top, fold, 1),
         visit(shared_stacks[1].top, fold, 1), visit(local.top, fold, 1));
  printf("%ld %ld %ld\n", shared_item->value, length(local.top), length(shared_stacks[1].top));
  return 0;
}
