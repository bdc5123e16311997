// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Indirect calls of managed and native functions through one and the same pointer type, from
// tables, parameters and managed objects.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *(*method)(struct box managed *self, long by);
};
typedef struct box managed *ref;

/* Not inlined: else the optimiser sees which objects are not needed. */
__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

static ref added(ref self, long by)
{
  ref b = box(self->value + by);

  b->method = self->method;
  return b;
}

static ref scaled(ref self, long by)
{
  ref b = box(by);

  b->value *= self->value;
  b->method = added;
  return b;
}

static int churn(int c)
{
  ref b = box(c);

  cairn_collect();
  return (int)b->value + 1;
}

static int (*const table[])(int) = {toupper, churn, tolower, abs, churn};

__attribute__((noinline)) static int apply(int (*f)(int), int x)
{
  ref guard = box(x);
  int y = f(x);

  return y * 2 + (int)guard->value;
}

__attribute__((noinline)) static long (*pick(int n))(long)
{
  return n ? labs : NULL;
}

int main(void)
{
  ref b = box(3);

  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    printf("%d ", apply(table[i], 'q'));
  printf("\n");
  b->method = scaled;
  for (int i = 1; i < 6; i++)
    b = b->method(b, i);
  printf("%ld %ld\n", b->value, pick(1)(-b->value));
  return 0;
}
