// Managed functions under a native one that crashes, after a collection. Each prints its variables before.
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

void crash(long value);

__attribute__((noinline)) static long inner(struct node managed *list, long count)
{
  long first = list->value;

  cairn_collect();
  printf("inner: count %ld, first %ld, value %ld\n", count, first, list->next->value);
  fflush(stdout);
  crash(first);
  return list->next->value + first + count;
}

__attribute__((noinline)) static long outer(struct node managed *list, long depth)
{
  struct node managed *rest = list->next;

  if (depth > 0)
    return outer(rest, depth - 1) + list->value;
  printf("outer: depth %ld, list %ld, rest %ld\n", depth, list->value, rest->value);
  return inner(rest, 5) + rest->value + list->value + depth;
}

int main(void)
{
  struct node managed *list = NULL;

  for (long i = 1; i <= 6; i++) {
    struct node managed *node = cairn_new(struct node);
    *node = (struct node){list, i * 11};
    list = node;
  }
  printf("%ld\n", outer(list, 2));
  return 0;
}
