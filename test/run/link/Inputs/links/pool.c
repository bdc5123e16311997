#include "part.h"

ref pool_reverse(ref list)
{
  ref reversed = 0;

  for (ref node = list; node; node = node->next) {
    ref copy = cairn_new(struct node);
    copy->value = node->value;
    copy->next = reversed;
    reversed = copy;
  }
  return reversed;
}
