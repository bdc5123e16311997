// RUN: %root/test/run/Inputs/same %build --small 60 --args 3000 --many 1500000 %s
// RUN: %cairn-cc -O2 -I%root/include %s -o %t
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=heap %t 60 > %t.stress
// RUN: env CAIRN_VERIFY=heap CAIRN_HEAP_MAX=4m %t 60 | diff - %t.stress
// A condition decides which fields of an object are stored before the next allocation. A field that the condition leaves
// is zero, and each object is whole at the next collection.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  long number;
  struct cell managed *next;
};

/* The words that hold what is made lie where others lay: not zero by themselves. */
__attribute__((noinline)) struct cell managed *pair(long n, struct cell managed *tail)
{
  struct cell managed *first = cairn_new(struct cell);

  if (n % 3 == 0)
    first->number = n;
  if (n % 5 != 0)
    first->next = tail;
  struct cell managed *second = cairn_new(struct cell);
  if (n % 2 == 0)
    second->number = -n;
  second->next = first;
  return second;
}

__attribute__((noinline)) static struct cell managed *three(long n, struct cell managed *tail)
{
  struct cell managed *a = cairn_new(struct cell);

  a->next = tail;
  if (tail != NULL && tail->number % 2 != 0)
    a->number = tail->number + 1;
  struct cell managed *b = cairn_new(struct cell);
  if (n % 7 == 0)
    b->next = a;
  else
    b->number = n;
  struct cell managed *c = cairn_new(struct cell);
  c->number = b->number;
  c->next = n % 7 == 0 ? b : a;
  return c;
}

static long sum(const struct cell managed *list)
{
  long total = 0;

  for (; list != NULL; list = list->next)
    total = 31 * total + list->number;
  return total;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 1000;
  struct cell managed *list = NULL;
  unsigned long total = 0;

  for (long i = 1; i <= rounds; i++) {
    list = three(i, pair(i, list));
    if (i % 40 == 0) {
      total += (unsigned long)sum(list);
      list = NULL;
    }
  }
  printf("%lu %ld\n", total, sum(list));
  return 0;
}
