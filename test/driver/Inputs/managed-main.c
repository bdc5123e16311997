#include <stdio.h>
#include "managed.h"

int main(void)
{
  struct node managed *list = list_make(1000);

  cairn_collect();
  printf("%ld\n", list_sum(list));
  return 0;
}
