// RUN: %cairn-cc -O2 -I%root/include %s -o %t
// RUN: env CAIRN_HEAP_MAX=4m sh -c '%t list; echo "status $?"' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=OUT
// RUN: env CAIRN_HEAP_MAX=4m sh -c '%t array; echo "status $?"' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=OUT
// RUN: env CAIRN_HEAP_MAX=4m not %t array 2>&1 | FileCheck %s --check-prefixes=BIG
// RUN: env CAIRN_HEAP_MAX=4m CAIRN_STRESS=100 sh -c '%t list; echo "status $?"' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=OUT
// RUN: env CAIRN_HEAP_MAX=64m sh -c '%t array; echo "status $?"' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=FITS
// Exhaustion is reported with the size that was asked for, after what the program has printed, and
// ends it with status 1.
// OUT: before
// BIG: cairn: out of memory: cannot allocate 80000{{[0-9]*}} bytes (heap maximum 4194304, live {{[0-9]+}}, external 0)
// OUT-NOT: after
// OUT: status 1
// FITS: before
// FITS-NEXT: after
// FITS-NEXT: status 0
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long pad[9];
};

int main(int argc, char **argv)
{
  struct cell managed *list = NULL;

  printf("before\n");
  if (argc > 1 && strcmp(argv[1], "array") == 0) {
    long managed *array = cairn_new_array(long, 1000000);
    array[999999] = 1;
  } else {
    for (;;) {
      struct cell managed *cell = cairn_new(struct cell);
      cell->next = list;
      list = cell;
    }
  }
  printf("after\n");
  return 0;
}
