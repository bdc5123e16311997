#include "part.h"

ref list_make(long length)
{
  ref list = 0;

  for (long i = 0; i < length; i++) {
    ref node = cairn_new(struct node);
    node->next = list;
    node->value = i;
    list = node;
  }
  return list;
}

/* Calls back into managed code, which may be another image's. */
long list_each(ref list, visitor *visit, ref state)
{
  long sum = 0;

  for (ref node = list; node; node = node->next)
    sum += visit(node, state) + node->value;
  return sum;
}

long list_down(long depth, ref node, descent *up)
{
  long below = up(depth - 1, node);

  return below + node->value;
}

/* What section garbage collection takes, with its map. */
__attribute__((visibility("hidden"))) ref list_unused(ref list);
ref list_unused(ref list)
{
  ref copy = list_make(3);

  copy->next = list;
  return list_make(4) ? copy : list;
}
