// A large array that was shortened to nothing stays a large object without elements. A marking reaches it beside arrays
// with elements. Wrong: the marker scans a part that it does not have, or ends the program.
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t
// RUN: env CAIRN_PAUSE_FULL=1us CAIRN_HEAP_INITIAL=1m CAIRN_STATS=1 %t 50 2>&1 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_STATS=1 %t 20 2>&1 | FileCheck %s
// CHECK: concurrent markings: {{[1-9]}}
// CHECK: 100 arrays, 0 wrong
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum { ARRAYS = 100, LONG = 1500 };

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *cell;

static cell managed *kept[ARRAYS];

int main(int argc, char **argv)
{
  long wrong = 0, rounds = argc > 1 ? atol(argv[1]) : 1;

  for (long i = 0; i < ARRAYS; i++) {
    kept[i] = cairn_new_array(cell, LONG);
    kept[i][0] = cairn_new(struct cell);
    kept[i][0]->value = i;
  }
  cairn_collect();
  for (long i = 0; i < ARRAYS; i += 2)
    kept[i] = cairn_resize_array(kept[i], 0);
  for (long round = 0; round < rounds; round++)
    for (long i = 1; i < ARRAYS; i += 2) {
      cell list = NULL;
      for (long n = 0; n < 200; n++) {
        cell more = cairn_new(struct cell);
        more->next = list;
        list = more;
      }
      kept[i][1 + round % (LONG - 1)] = list;
    }
  for (long i = 0; i < ARRAYS; i++)
    wrong += i % 2 == 0 ? kept[i] == NULL : kept[i][0]->value != i;
  printf("%d arrays, %ld wrong\n", ARRAYS, wrong);
  return 0;
}
