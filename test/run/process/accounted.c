// RUN: for collector in generational semispace; do \
// RUN:   %cairn-cc -O1 -fcairn-collector=$collector -I%root/include %s -o %t && \
// RUN:   env CAIRN_HEAP_MAX=4g CAIRN_HEAP_INITIAL=1m %t && \
// RUN:   env CAIRN_HEAP_MAX=4g CAIRN_HEAP_INITIAL=1m CAIRN_STRESS=2000 %t small || exit 1; \
// RUN: done | sort | uniq -c | FileCheck %s
// The memory that the system counts for a program (vm.overcommit_memory=2, `VmData`, the size of a core file): what a
// program uses, and tables for it, not for all addresses that the runtime reserves.
// CHECK: {{^ *}}4 sum right, accounted as it should be{{$}}
// CHECK-NOT: {{.}}
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

enum { OBJECTS = 400000, LARGE = 1 << 20, LARGES = 30, MOST_KB = 300 << 10 };

struct cell {
  struct cell managed *next;
  long managed *large;
  long value;
};

/* Private memory that may be written, touched or not. */
static long accounted_kb(void)
{
  char line[256];
  long size = 0;
  FILE *file = fopen("/proc/self/status", "r");

  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    sscanf(line, "VmData: %ld", &size);
  if (file != NULL)
    fclose(file);
  return size;
}

static struct cell managed *work(int parts)
{
  struct cell managed *list = NULL;

  for (int i = 0; i < OBJECTS / parts; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = list;
    cell->value = i;
    if (i % (OBJECTS / parts / LARGES) == 0) {
      cell->large = cairn_new_array(long, LARGE / sizeof(long) / parts);
      cell->large[i % 100] = i;
    }
    list = cell;
  }
  return list;
}

int main(int argc, char **argv)
{
  int parts = argc > 1 && strcmp(argv[1], "small") == 0 ? 50 : 1;
  long sum = 0, most = OBJECTS / parts;
  struct cell managed *list = work(parts);

  cairn_collect();
  for (struct cell managed *cell = list; cell != NULL; cell = cell->next)
    sum += cell->value + (cell->large != NULL ? cell->large[cell->value % 100] - cell->value : 0);
  long counted = accounted_kb();
  printf("sum %s, accounted %s\n", sum == most * (most - 1) / 2 ? "right" : "wrong",
         counted > 0 && counted < MOST_KB ? "as it should be" : "too much");
  if (counted >= MOST_KB)
    fprintf(stderr, "%ld KB\n", counted);
  return 0;
}
