// RUN: %root/test/run/Inputs/same %build --args 30000 --small 60 %s
// RUN: %root/test/run/Inputs/same %build --levels -O2 --own -fcairn-poll=stack --args 30000 --small 60 %s
// RUN: %cairn-cc -O2 %s -o %t && env CAIRN_WATCHDOG=20 %t 30000 | FileCheck --check-prefix=ASKED %s
// Each level of a recursion polls after its call, and a collection there moves what the level still
// needs and what the call gave. Wrong: a poll that loses either.
// ASKED: 808603 455803 30000
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next, *twin;
  long value;
};
typedef struct node managed *ref;

static ref make(long value, ref next)
{
  ref n = cairn_new(struct node);

  n->value = value;
  n->next = next;
  return n;
}

__attribute__((noinline)) static long sum(ref n)
{
  if (!n)
    return 0;
  long below = sum(n->next);
  return (below * 3 + n->value) % 1000003;
}

/* The result is a reference. */
__attribute__((noinline)) static ref copy(ref n)
{
  if (!n)
    return n;
  ref below = copy(n->next);
  return make(n->value + 1, below);
}

/* By way of another function, and of a pointer. */
typedef long visitor(ref n, void *to);
static long visit(ref n, void *to);
__attribute__((noinline)) static long step(ref n, visitor *go)
{
  long below = go(n->next, (void *)go);
  return below ^ n->value;
}
__attribute__((noinline)) static long visit(ref n, void *to)
{
  return n ? step(n, (visitor *)to) + n->value % 5 : 0;
}

/* Two calls, one of them on some ways only, and a loop. */
__attribute__((noinline)) static ref last(ref n, int depth)
{
  ref found = n;

  for (ref at = n; at && depth; at = at->next, depth /= 2) {
    found = last(at->next, depth / 2);
    if (!found)
      found = at;
    else if (found->value % 3 == 0)
      return found;
  }
  return found;
}

int main(int argc, char **argv)
{
  long depth = argc > 1 ? atol(argv[1]) : 1000;
  ref list = NULL;

  for (long i = 0; i < depth; i++)
    list = make(i, list);
  ref other = copy(list);
  ref end = last(list, 64);
  printf("%ld %ld %ld\n", sum(list), sum(other), other->value);
  printf("%ld %ld\n", visit(list, (void *)visit), end ? end->value : -1);
  return 0;
}
