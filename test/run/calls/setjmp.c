// A function that calls setjmp() and handles no reference is native code: the jump brings its own
// registers back, and the stub brings back those of its managed callers, with references that the
// collector has moved meanwhile. The managed frames that longjmp() jumps over, and their anchors,
// are gone.
// RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O3 -no-pie %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
#include <setjmp.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
static jmp_buf buffer;
static struct node managed *list;

static long deep(int depth)
{
  struct node managed *n = cairn_new(struct node);

  n->value = depth;
  n->next = list;
  list = n;
  if (depth == 0)
    longjmp(buffer, 7);
  return deep(depth - 1) + n->value;
}

static long attempt(long (*work)(int), int depth)
{
  volatile long before = depth;
  int code = setjmp(buffer);

  if (code)
    return code + before;
  return work(depth);
}

__attribute__((noinline)) static long around(struct node managed *a, struct node managed *b, long round)
{
  struct node managed *c = cairn_new(struct node);

  c->value = round;
  long result = attempt(deep, 5);
  struct node managed *d = cairn_new(struct node);
  d->value = result;
  return a->value + 10 * b->value + 100 * c->value + 1000 * d->value;
}

int main(void)
{
  struct node managed *a = cairn_new(struct node), *b = cairn_new(struct node);
  long sum = 0, length = 0;

  a->value = 1;
  b->value = 2;
  for (long round = 0; round < 20; round++)
    sum += around(a, b, round);
  for (struct node managed *n = list; n; n = n->next)
    length += n->value + 1;
  printf("sum %ld length %ld\n", sum, length);
  return 0;
}
// CHECK: sum 259420 length 420
