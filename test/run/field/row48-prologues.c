/* Row 48: walkers that follow frame pointers, or read prologues, meet ones they do not know: probed frames, protected
 * ones, frames made in the middle of a function. Nothing here decodes code: each build is walked by frame maps, and
 * checked by the unwinder. */
// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" %s
// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" --flags "-fstack-clash-protection" %s
// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" --flags "-fstack-protector-all -fstack-clash-protection" %s
// RUN: %root/test/run/Inputs/same %build --levels "-O2" \
// RUN:   --flags "-fno-omit-frame-pointer %if !aarch64 %{-mno-red-zone%}" %s
// RUN: %root/test/run/Inputs/same %build --levels "-O2" --flags \
// RUN:   "%if aarch64 %{-mbranch-protection=standard%} %else %{-fcf-protection -mstackrealign%}" %s
// RUN: %root/test/run/Inputs/same %build --levels "-O2" --flags "-Os" %s
// The frames of a split stack are on many stacks.
// RUN: not %cairn-cc -O1 -fsplit-stack -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SPLIT %s
// SPLIT: error: {{.*}}split
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref make(long n)
{
  ref b = cairn_new(struct box);

  b->value = n;
  return b;
}

/* Larger than a page, so that each page is probed. */
__attribute__((noinline)) static long large(ref r, long n)
{
  volatile char bytes[40000];

  bytes[n] = (char)n;
  bytes[39999] = 1;
  ref b = make(n);
  return r->value + b->value + bytes[n] + bytes[39999];
}

/* A frame is only made on the way that needs one. */
__attribute__((noinline)) static long wrapped(ref r, long n)
{
  if (n % 3 != 0)
    return n;
  ref a = make(n), b = make(n + 1), c = make(n + 2);
  return r->value + a->value * b->value * c->value + large(b, n);
}

/* Arguments on the stack, pushed after a dynamic alloca. */
__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, ref g, long h, ref i)
{
  ref j = make(a + b + c + d + e + f);

  return j->value + g->value * h + i->value;
}

__attribute__((noinline)) static long pushes(ref r, long n)
{
  volatile char *bytes = __builtin_alloca((unsigned long)n + 1);
  ref b = make(n);

  bytes[0] = 1;
  long first = many(1, 2, 3, n, 5, 6, b, 8, r);
  return first + many(n, 2, 3, 4, 5, 6, r, 8, b) + bytes[0];
}

/* Nothing in it is saved; its frame is a word for alignment. */
__attribute__((noinline)) static long small(ref r)
{
  return wrapped(r, r->value) + 1;
}

int main(void)
{
  ref r = make(3);
  long sum = 0;

  for (long n = 0; n < 40; n++)
    sum += wrapped(r, n) + pushes(r, n * 50) + small(r);
  printf("%ld\n", sum);
  return 0;
}
