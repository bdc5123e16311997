// A program whose data come and go, so that the heap grows and shrinks every few collections. What would go wrong: the
// memory of the spaces is given back and faulted in again each time, page by page; the program spends most of its time
// in the kernel. Both spaces take 32768 small pages.
// RUN: %cairn-cc -O2 -fcairn-collector=semispace -I%root/include %s -o %t
// RUN: env CAIRN_HEAP_MAX=64m CAIRN_STATS=1 %t 2>&1 | FileCheck %s
// CHECK: few faults
// CHECK: collections: {{[2-9][0-9]}}
#include <stdio.h>
#include <sys/resource.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value, pad[2];
};

/* Volatile: the optimiser removes objects that nobody looks at. */
static struct cell managed *volatile last;

static long round_of(long count)
{
  struct cell managed *list = NULL;
  long sum = 0;

  for (long i = 0; i < count; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->value = i;
    cell->next = list;
    list = cell;
  }
  for (; list != NULL; list = list->next)
    sum += list->value;
  for (long i = 0; i < count; i++) {
    last = cairn_new(struct cell);
    sum += last->value;
  }
  return sum;
}

int main(void)
{
  struct rusage usage;
  long sum = 0;

  for (int i = 0; i < 8; i++)
    sum += round_of(1000000);
  getrusage(RUSAGE_SELF, &usage);
  if (sum != 8 * 499999500000 || usage.ru_minflt > 50000)
    fprintf(stderr, "%ld, %ld faults\n", sum, usage.ru_minflt);
  else
    fprintf(stderr, "few faults\n");
  return 0;
}
