// RUN: %root/test/run/Inputs/same %build  %s
// Large frames, more live references than registers, and references among the arguments on the
// stack: spill slots far from the stack pointer.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static void fill(char *block, int n)
{
  for (int i = 0; i < n; i++)
    block[i] = (char)(i * 7);
}

__attribute__((noinline)) static long large(int seed)
{
  char block[100000];
  ref a = box(seed), b = box(seed + 1);

  fill(block, sizeof block);
  cairn_collect();
  return a->value * 100 + b->value + block[seed] + block[99999];
}

__attribute__((noinline)) static long twelve(ref a, ref b, ref c, ref d, ref e, ref f, ref g, ref h,
                                             ref i, ref j, ref k, ref l, int deeper)
{
  if (deeper)
    return twelve(l, a, b, c, d, e, f, g, h, i, j, k, deeper - 1);
  cairn_collect();
  long s = a->value;
  s = s * 3 + b->value;
  s = s * 3 + c->value;
  s = s * 3 + d->value;
  s = s * 3 + e->value;
  s = s * 3 + f->value;
  cairn_collect();
  s = s * 3 + g->value;
  s = s * 3 + h->value;
  s = s * 3 + i->value;
  s = s * 3 + j->value;
  s = s * 3 + k->value;
  return s * 3 + l->value;
}

__attribute__((noinline)) static long many(int n)
{
  ref a0 = box(0), a1 = box(1), a2 = box(2), a3 = box(3), a4 = box(4), a5 = box(5), a6 = box(6),
      a7 = box(7), a8 = box(8), a9 = box(9), b0 = box(10), b1 = box(11), b2 = box(12), b3 = box(13),
      b4 = box(14), b5 = box(15), b6 = box(16), b7 = box(17), b8 = box(18), b9 = box(19), t;
  double x = 1.5, y = 2.5;

  for (int i = 0; i < n; i++) {
    t = a0, a0 = a7, a7 = b4, b4 = a3, a3 = b9, b9 = t;
    t = a1, a1 = b2, b2 = a8, a8 = b0, b0 = a5, a5 = t;
    b1 = box(b1->value + i);
    x = x * 1.25 + y;
    y += 0.5;
  }
  long s = 0;
  s = s * 3 + a0->value + a1->value * 2 + a2->value;
  s = s * 3 + a3->value + a4->value * 2 + a5->value;
  s = s * 3 + a6->value + a7->value * 2 + a8->value;
  s = s * 3 + a9->value + b0->value * 2 + b1->value;
  s = s * 3 + b2->value + b3->value * 2 + b4->value;
  s = s * 3 + b5->value + b6->value * 2 + b7->value;
  return s * 3 + b8->value + b9->value + (long)x + (long)y;
}

int main(void)
{
  printf("%ld\n", large(9));
  printf("%ld\n", many(11));
  printf("%ld\n", twelve(box(1), box(2), box(3), box(4), box(5), box(6), box(7), box(8), box(9),
                         box(10), box(11), box(12), 5));
  return 0;
}
