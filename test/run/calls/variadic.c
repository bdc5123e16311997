// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Variadic calls from managed code, native and managed callees, with vector registers and stack
// arguments in use, while references are live.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct box {
  double value;
};
typedef struct box managed *ref;
ref known; /* so that boxes are allocated */

static ref box(double value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  known = b;
  return b;
}

__attribute__((noinline)) static double sum(int n, ...)
{
  va_list list;
  ref total = box(0);

  va_start(list, n);
  for (int i = 0; i < n; i++) {
    ref next = box(total->value);
    next->value += i % 2 ? va_arg(list, int) : va_arg(list, double);
    cairn_collect();
    total = next;
  }
  va_end(list);
  return total->value;
}

__attribute__((noinline)) static int format(char *to, size_t size, const char *how, ...)
{
  va_list list;
  ref guard = box(7);

  va_start(list, how);
  int length = vsnprintf(to, size, how, list);
  va_end(list);
  cairn_collect();
  return length + (int)guard->value;
}

int main(void)
{
  ref a = box(1.5), b = box(2.5);
  char text[128];

  printf("%.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %d %d %d %d %d %d %d\n", a->value,
         b->value, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 1, 2, 3, 4, 5, 6, 7);
  printf("%.2f\n", sum(6, 1.5, 2, 3.5, 4, 5.5, 6));
  int length =
      format(text, sizeof text, "%s %d %.3f %c %Lf", "text", 5, 2.25, 'x', (long double)1.5);
  printf("%d %s\n", length, text);
  int (*print)(const char *, ...) = a->value > 1 ? printf : NULL;
  print("%d %.1f %s\n", 1, b->value, "indirect");
  double (*add)(int, ...) = b->value > 1 ? sum : NULL;
  printf("%.1f\n", add(2, 0.5, 1));
  int x = 0, y = 0;
  sscanf("12 34", "%d %d", &x, &y);
  printf("%d %d %.1f\n", x, y, a->value + b->value);
  return 0;
}
