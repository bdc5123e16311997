// RUN: %root/test/run/Inputs/same %build  %s
// longjmp() out of managed frames into a native function that called them: what the frames left
// behind among the transitions must not confuse the return from that function.
#include <setjmp.h>
#include <stdio.h>
#include <cairn/cairn.h>
struct box {
  long value;
};
typedef struct box managed *ref;
static jmp_buf where;
static ref kept;
cairn_unmanaged __attribute__((noinline)) int guarded(void (*f)(int), int n)
{
  if (setjmp(where))
    return 1;
  f(n);
  return 0;
}
__attribute__((noinline)) static ref box(long v)
{
  ref b = cairn_new(struct box);
  b->value = v;
  return b;
}
static void deep(int n)
{
  ref mine = box(n);
  cairn_collect();
  if (n == 0)
    longjmp(where, 1);
  deep(n - 1);
  kept = mine;
}
__attribute__((noinline)) static long around(int n)
{
  ref a = box(1), b = box(2), c = box(3), d = box(4), e = box(5);
  long s = guarded(deep, n);
  cairn_collect();
  return s * 1000000 + a->value + b->value * 10 + c->value * 100 + d->value * 1000 +
         e->value * 10000;
}
int main(void)
{
  for (int i = 0; i < 5; i++)
    printf("%ld\n", around(i * 3));
  return 0;
}
