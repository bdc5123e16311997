// RUN: %root/test/run/Inputs/same %build  %s
// References live over calls in the shapes that code generation gives them: arguments, results,
// loop-carried values, merges. A reference that a safepoint misses names a cell that was moved
// away, and its value is gone.
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  long value;
  struct cell managed *next;
};
typedef struct cell managed *ref;

static ref make(long value, ref next)
{
  ref cell = cairn_new(struct cell);

  cell->value = value;
  cell->next = next;
  return cell;
}

__attribute__((noinline)) static ref touch(ref cell)
{
  cairn_collect();
  return cell;
}

__attribute__((noinline)) static long three(ref a, ref b, ref c)
{
  cairn_collect();
  return a->value * 100 + b->value * 10 + c->value;
}

__attribute__((noinline)) static long merged(int way)
{
  ref a = make(1, NULL), b = make(2, NULL), c;

  if (way & 1)
    c = touch(a);
  else if (way & 2)
    c = b;
  else
    c = make(3, touch(b));
  cairn_collect();
  return a->value + 10 * b->value + 100 * c->value + (c == a) * 1000 + (c == b) * 2000;
}

__attribute__((noinline)) static long carried(int rounds)
{
  ref a = make(1, NULL), b = make(2, a), c = make(3, b), t;

  for (int i = 0; i < rounds; i++) {
    t = a;
    a = b;
    b = c;
    c = t;
    if (i % 3 == 1)
      cairn_collect();
    a->value += i;
  }
  return a->value * 10000 + b->value * 100 + c->value;
}

__attribute__((noinline)) static long swapped_arguments(ref a, ref b, int n)
{
  if (n == 0)
    return a->value * 10 + b->value;
  cairn_collect();
  return swapped_arguments(b, a, n - 1);
}

__attribute__((noinline)) static ref chosen(int c, ref a, ref b)
{
  return c ? a : b;
}

int main(void)
{
  printf("%ld\n", three(make(1, NULL), make(2, NULL), make(3, NULL)));
  for (int way = 0; way < 4; way++)
    printf("%ld\n", merged(way));
  printf("%ld\n", carried(20));
  printf("%ld\n", swapped_arguments(make(4, NULL), make(5, NULL), 7));
  ref both = make(6, make(7, make(8, NULL)));
  printf("%ld\n", chosen(touch(both)->next != NULL, touch(both)->next, touch(both))->next->value);
  ref unused = make(9, both), kept = unused->next;
  unused = NULL;
  cairn_collect();
  printf("%ld %d\n", kept->value, unused == NULL);
  return 0;
}
