// Functions of every visibility. Each burns time, so that a profiler sees it, and calls the next, so that a debugger
// finds it on the stack.
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

long cells_of_library(struct cell managed *list);

__attribute__((noinline)) static long spin(struct cell managed *list, long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++)
    for (struct cell managed *c = list; c; c = c->next)
      sum += c->value ^ i;
  return sum;
}

__attribute__((noinline)) long innermost(struct cell managed *list)
{
  long sum = 0;

  for (long i = 0; i < 3000000; i++)
    for (struct cell managed *c = list; c; c = c->next)
      sum += c->value ^ i;
  return sum + spin(list, 10);
}

__attribute__((noinline, visibility("hidden"))) long hidden_one(struct cell managed *list)
{
  return innermost(list) + 1;
}

__attribute__((noinline, weak)) long weak_one(struct cell managed *list)
{
  return hidden_one(list) + 1;
}

__attribute__((noinline)) struct cell managed *build(long count)
{
  struct cell managed *list = NULL;

  for (long i = 0; i < count; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    *cell = (struct cell){list, i};
    list = cell;
  }
  return list;
}

int main(void)
{
  struct cell managed *list = build(20);

  printf("%ld\n", weak_one(list) + cells_of_library(list));
}
