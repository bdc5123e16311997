#include "config.h"
#ifdef HAVE_STDIO_H
#include <stdio.h>
#endif
#ifdef HAVE_CAIRN_CAIRN_H
#include <cairn/cairn.h>
#endif

struct cell {
  struct cell managed *below;
  long value;
};

int main(void)
{
  struct cell managed *top = NULL;
  long sum = 0;

  for (long i = 0; i < 100; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->below = top;
    cell->value = i;
    top = cell;
  }
  cairn_collect();
  for (; top; top = top->below)
    sum += top->value;
  printf("%ld\n", sum);
  return 0;
}
