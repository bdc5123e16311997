#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

static struct cell managed *kept;

void native_hook(void);

__attribute__((noinline)) struct cell managed *cells(long count)
{
  struct cell managed *list = NULL;

  for (long i = 0; i < count; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = list;
    cell->value = i;
    list = cell;
  }
  return list;
}

long work(long count)
{
  struct cell managed *list = cells(count);
  long sum = 0;

  kept = list;
  native_hook();
  for (; list; list = list->next)
    sum += list->value;
  for (list = kept; list; list = list->next)
    sum += list->value;
  return sum;
}

void drop(void)
{
  kept = NULL;
}

__attribute__((noinline)) long spin(long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++)
    sum += (i * i) ^ sum;
  return sum;
}
