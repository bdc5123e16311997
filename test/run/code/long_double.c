// RUN: %root/test/run/Inputs/same %build %s
// Results on the x87 stack, of managed and of native functions. LLVM 22 makes a call to address 0
// of a statepoint with such a result.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  double value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(double value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long double harmonic(int n)
{
  long double s = 1;

  for (int k = 1; k < n; k++) {
    ref b = box(k);
    s += 1 / (long double)b->value;
  }
  return s;
}

cairn_unmanaged __attribute__((noinline)) static long double native(long double x, double y)
{
  return x * 3 + (long double)y;
}

__attribute__((noinline)) static long double both(ref a, int n, ...)
{
  long double h = harmonic(n);

  cairn_collect();
  return native(h, a->value) + harmonic(3);
}

int main(void)
{
  ref a = box(0.5);
  long double (*f)(int) = a->value > 0 ? harmonic : NULL;
  long double (*g)(ref, int, ...) = a->value > 0 ? both : NULL;

  printf("%.12Lf\n", harmonic(40));
  printf("%.12Lf %.12Lf\n", both(a, 20), f(7));
  printf("%.12Lf %.1f\n", g(a, 9, 1, 2), a->value);
  return 0;
}
