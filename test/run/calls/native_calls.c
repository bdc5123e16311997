// RUN: %root/test/run/Inputs/same %build --links -lm %s
// Calls of native functions that return structs, take arguments on the stack, structs by value
// and many doubles; references stay live over each.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct wide {
  long n[5];
};

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

cairn_unmanaged __attribute__((noinline)) static double native(int a, long b, char c, short d,
                                                               unsigned e, long f, long g, int h,
                                                               double i, float j, struct wide w,
                                                               double k)
{
  return a + (double)b * 2 + c * 3 + d * 4 + e * 5 + (double)f * 6 + (double)g * 7 + h * 8 + i * 9 +
         (double)j * 10 + (double)(w.n[0] + w.n[4]) * 11 + k * 12;
}

cairn_unmanaged __attribute__((noinline)) static struct wide returned(long n)
{
  return (struct wide){{n, n * 2, n * 3, n * 4, n * 5}};
}

struct two_doubles {
  double a, b;
};
cairn_unmanaged __attribute__((noinline)) static struct two_doubles both(double x)
{
  return (struct two_doubles){x, x * 2};
}

cairn_unmanaged __attribute__((noinline)) static long
call_back(long (*f)(long, long, long, long, long, long, long, long), long n)
{
  return f(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7) + 1;
}

static ref global;
static long managed_eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
  global = box(global->value + 1);
  cairn_collect();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + global->value;
}

int main(void)
{
  ref a = box(1), b = box(2);
  struct wide w = returned(3);
  div_t q = div(17, 5);
  ldiv_t l = ldiv(-170, 50);
  struct two_doubles t = both(1.25);

  global = a;
  printf("%.2f\n", native(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10.5f, w, 11.5));
  printf("%ld %d %d %ld %ld %.2f %.2f\n", w.n[4], q.quot, q.rem, l.quot, l.rem, t.a, t.b);
  printf("%ld\n", call_back(managed_eight, 5));
  printf("%ld\n", call_back(managed_eight, (long)a->value));
  printf("%.3f %.3f %d\n", pow(2.0, 0.5), fma(2.0, 3.0, (double)b->value), (int)strlen("four"));
  struct tm date = {.tm_year = 100, .tm_mday = 1};
  printf("%d %ld %ld %ld\n", mktime(&date) != 0, a->value, b->value, global->value);
  return 0;
}
