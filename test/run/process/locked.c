// RUN: for collector in generational semispace; \
// RUN:   do %cairn-cc -O1 -fcairn-collector=$collector -I%root/include %s -o %t && \
// RUN:   for flags in 1 2 3 7; do for when in early late; do env CAIRN_HEAP_INITIAL=1m %t $flags $when || exit 1; \
// RUN:   done; done || exit 1; done | sort | uniq -c | FileCheck %s
// RUN: %cairn-cc -O1 -static -I%root/include %s -o %t && env CAIRN_HEAP_INITIAL=1m %t 3 late | \
// RUN:   FileCheck %s --check-prefix=ONE
// A program that locks its memory takes what it uses, not what the runtime reserves, and other memory is there at once.
// CHECK: {{^ *}}16 sum 19999900001, {{resident as it should be|locking is refused}}{{$}}
// CHECK-NOT: {{.}}
// ONE: {{resident as it should be|locking is refused}}
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

static long number(const char *name)
{
  char line[256];
  long found = -1;
  FILE *file = fopen("/proc/self/status", "r");

  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, strlen(name)) == 0)
      found = atol(line + strlen(name));
  if (file != NULL)
    fclose(file);
  return found;
}

static long work(void)
{
  struct cell managed *list = NULL;
  long sum = 0;

  for (int round = 0; round < 10; round++) {
    list = NULL;
    for (long i = 0; i < 200000; i++) {
      struct cell managed *cell = cairn_new(struct cell);
      cell->next = list;
      cell->value = i;
      list = cell;
    }
  }
  long managed *large = cairn_new_array(long, 100000);
  large[5] = 1;
  cairn_collect();
  for (; list != NULL; list = list->next)
    sum += list->value;
  return sum + large[5];
}

static char own[8 << 20] __attribute__((aligned(4096)));
static bool refused;

static void lock(const char *flags)
{
  refused = mlockall(atoi(flags)) != 0 && (errno == EPERM || errno == ENOMEM || errno == EAGAIN);
}

/* Is all of the program's own memory there? */
static bool is_full(void)
{
  static unsigned char there[sizeof own / 4096];
  bool full = mincore(own, sizeof own, there) == 0;

  for (size_t i = 0; i < sizeof there; i++)
    full &= (there[i] & 1) != 0;
  return full;
}

/* The heap is set up at the first managed code. */
__attribute__((constructor)) static void early(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[2], "early") == 0)
    lock(argv[1]);
}

int main(int argc, char **argv)
{
  bool fills = (atoi(argv[1]) & (MCL_CURRENT | MCL_ONFAULT)) == MCL_CURRENT;

  if (argc > 2 && strcmp(argv[2], "late") == 0)
    lock(argv[1]);
  printf("sum %ld, ", work());
  if (refused)
    printf("locking is refused\n");
  else if (number("VmRSS:") > 100 << 10 || number("VmPTE:") > 4 << 10 || (fills && !is_full()))
    printf("resident %ld KB, page tables %ld KB, own memory %d\n", number("VmRSS:"), number("VmPTE:"), is_full());
  else
    printf("resident as it should be\n");
  return 0;
}
