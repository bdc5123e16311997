/* Calls that return a long double or a complex one: LLVM 22 miscompiles them as statepoints, so
 * they go through native functions. Wrong: a jump to address 0, or a result lost; a reference held
 * over the call is stale.
 *
 * RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
 * RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
 * CHECK: 7.5 4 -2.5
 * CHECK: 10 10 1 2 3 5 6.25
 */
#include <complex.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
struct pair {
  double a, b;
};
struct mixed {
  double a;
  long b;
};

__attribute__((noinline)) static long double make(int n, struct cell managed *cell)
{
  struct cell managed *other = cairn_new(struct cell);

  other->value = cell->value;
  return n + other->value + 0.5L;
}

__attribute__((noinline)) static long double _Complex twist(long double x)
{
  cairn_collect();
  return 4 - x * I;
}

__attribute__((noinline)) static long double sum(int n, ...)
{
  __builtin_va_list list;
  long double total = 0;

  __builtin_va_start(list, n);
  while (n-- > 0)
    total += __builtin_va_arg(list, long double);
  __builtin_va_end(list);
  cairn_collect();
  return total;
}

__attribute__((noinline)) static struct pair two(double a)
{
  cairn_collect();
  return (struct pair){a, a + 1};
}

__attribute__((noinline)) static struct mixed both(double a)
{
  cairn_collect();
  return (struct mixed){a, (long)a + 2};
}

int main(void)
{
  struct cell managed *cell = cairn_new(struct cell);
  long double (*volatile indirect)(int, ...) = sum;

  cell->value = 3;
  long double x = make(4, cell);
  long double _Complex z = twist(2.5L);
  printf("%Lg %Lg %Lg\n", x, creall(z), cimagl(z));
  struct pair p = two(1);
  struct mixed m = both(3);
  printf("%Lg %Lg %g %g %g %ld %g\n", sum(4, 1.0L, 2.0L, 3.0L, 4.0L), indirect(1, 10.0L), p.a, p.b,
         m.a, m.b, (double)(make(2, cell) + 0.75L));
  return cell->value != 3;
}
