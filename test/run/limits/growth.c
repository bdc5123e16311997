/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_HEAP_GROWTH: the heap of a program that keeps as much as it drops. What would go wrong: the heap grows to the
 * same size whatever the growth, or full collections come as often; a small growth ends a program with large objects.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -fcairn-collector=$c %s -o %t.$c && \
// RUN:   for g in 25 100 400; do env CAIRN_HEAP_INITIAL=64k CAIRN_HEAP_MAX=512m CAIRN_HEAP_GROWTH=$g \
// RUN:   %t.$c 40000 1000000 0 || exit 1; done || exit 1; done > %t.grown
// RUN: awk 'NR %% 3 != 1 && !($4 > most && $6 < full) { exit 1 } { most = $4; full = $6; print }' %t.grown \
// RUN:   | FileCheck --check-prefix=GROWN %s
// GROWN-COUNT-6: whole: yes, most: {{[1-9][0-9]*}} full: {{[1-9]}}
// Arrays without references count less. The least growth leaves space for each of them, also in stress mode.
// RUN: for c in semispace generational; do for g in 10 10000; do for s in 0 400; do \
// RUN:   env CAIRN_HEAP_INITIAL=64k CAIRN_HEAP_GROWTH=$g CAIRN_STRESS=$s %t.$c 100 3000 100000 \
// RUN:   || exit 1; done; done; done | FileCheck --check-prefix=LARGE %s
// LARGE-COUNT-8: whole: yes,
// RUN: for g in 9 10001 1k 50%% -1 ''; do not env CAIRN_HEAP_GROWTH=$g %t.generational 1 1 0 || exit 1; done 2>&1 \
// RUN:   | FileCheck --check-prefix=REFUSED %s
// REFUSED: cairn: CAIRN_HEAP_GROWTH=9: expected 10 to 10000 percent
// REFUSED: cairn: CAIRN_HEAP_GROWTH=10001: expected 10 to 10000 percent
// REFUSED: cairn: CAIRN_HEAP_GROWTH=1k: expected a number
// REFUSED: cairn: CAIRN_HEAP_GROWTH=50%: expected a number
// REFUSED: cairn: CAIRN_HEAP_GROWTH=-1: expected a number
// REFUSED: cairn: CAIRN_HEAP_GROWTH=: expected a number
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/events.h>

struct cell {
  long number;
  char managed *bytes;
  long pad[6];
};
typedef struct cell managed *ref;

static unsigned long most, full;

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  static unsigned long before;

  (void)env;
  if (event->kind == CAIRN_EVENT_COLLECTION_BEGINS) {
    before = event->heap;
    most = before > most ? before : most;
  } else if (event->kind == CAIRN_EVENT_COLLECTION_ENDS) {
    full += event->heap < before / 4 * 3;
  }
}

/* The table keeps the last `count` of `all` cells, each with an array of `bytes`. */
int main(int argc, char **argv)
{
  long count = atol(argv[1]), all = atol(argv[2]), bytes = argc > 3 ? atol(argv[3]) : 0, wrong = 0;
  ref managed *table = cairn_new_array(ref, count);

  cairn_listen(listen, NULL);
  for (long i = 0; i < all; i++) {
    ref cell = cairn_new(struct cell);
    cell->number = i;
    if (bytes != 0)
      cell->bytes = cairn_new_array(char, bytes);
    table[i % count] = cell;
  }
  for (long i = all - count; i < all; i++)
    wrong += table[i % count]->number != i;
  printf("whole: %s, most: %lu full: %lu\n", wrong ? "no" : "yes", most >> 10, full);
  return 0;
}
