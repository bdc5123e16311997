/* Managed code that runs at the very end, when the executable's destructors have run. */
#include <stdio.h>
#include "managed.h"

extern void (*late_call)(void);

static void sum_late(void)
{
  printf("late: %ld\n", list_sum(list_make(10)));
}

int main(void)
{
  late_call = sum_late;
  return list_sum(list_make(2)) != 1;
}
