/* Row 50: what is pushed at a call and popped at its return, a shadow stack or an entry of a transition, stays when an exception or a
 * longjmp leaves the frames. The walk must not visit what is dead, nor lose what lives; the next transition drops what
 * was left. Exceptions: test/run/unwinding/exceptions.ll. */
// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" %s
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

static jmp_buf back;
static long depth, visits;

__attribute__((noinline)) static ref make(long n, ref other)
{
  ref b = cairn_new(struct box);

  b->value = n;
  b->other = other;
  return b;
}

cairn_unmanaged static void out(void)
{
  longjmp(back, 1);
}

static int dig(const void *key, const void *at);

/* Native frames between: each level is a transition of its own. */
__attribute__((noinline)) static long down(long n, ref r)
{
  ref mine = make(n, r);

  bsearch(&n, &visits, 1, 1, dig);
  return mine->value + mine->other->value;
}

static int dig(const void *key, const void *at)
{
  ref mine = make(visits++, NULL);

  (void)key;
  (void)at;
  if (depth-- == 0)
    out();
  return (int)(down(depth, mine) + mine->value) * 0;
}

cairn_unmanaged static long attempt(void (*inside)(void))
{
  if (setjmp(back))
    return 1;
  inside();
  return 0;
}

static void begin(void)
{
  down(depth, make(1, NULL));
}

/* A shallower stack each time: dead anchors lie beyond the live ones. */
int main(void)
{
  ref kept = make(5, make(6, NULL));
  long sum = 0;

  for (long i = 12; i >= 0; i -= 3) {
    depth = i;
    sum += attempt(begin);
    kept = make(kept->value + i, kept->other);
    make(0, NULL);
    sum += kept->value + kept->other->value;
  }
  printf("%ld %ld\n", sum, visits);
  return 0;
}
