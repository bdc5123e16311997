#include "managed.h"

struct node managed *list_make(long count)
{
  struct node managed *list = 0;

  for (long i = 0; i < count; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    node->value = i;
    list = node;
  }
  return list;
}

long list_sum(struct node managed *list)
{
  long sum = 0;

  for (; list; list = list->next)
    sum += list->value;
  return sum;
}
