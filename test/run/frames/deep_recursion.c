// RUN: %root/test/run/Inputs/same %build --args 20000 --small 150 %s
// A deep stack of frames, each with its own references, some in registers that its callee saved.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long down(int depth, ref above, ref first)
{
  if (depth == 0) {
    cairn_collect();
    return above->value + first->value;
  }
  ref here = box(depth);
  here->other = above;
  long below = depth % 2 ? down(depth - 1, here, first) : down(depth - 1, above, here);
  return (below * 31 + here->value + above->value * 3 + first->value * 7 + here->other->value) %
         1000003;
}

static long odd(int n, ref r);
__attribute__((noinline)) static long even(int n, ref r)
{
  return n == 0 ? r->value : odd(n - 1, box(r->value + 1)) + r->value;
}
__attribute__((noinline)) static long odd(int n, ref r)
{
  return n == 0 ? -r->value : even(n - 1, r) - r->value;
}

int main(int argc, char **argv)
{
  int depth = argc > 1 ? atoi(argv[1]) : 1000;

  printf("%ld\n", down(depth, box(1), box(2)));
  printf("%ld %ld\n", even(depth, box(1)), odd(depth, box(4)));
  return 0;
}
