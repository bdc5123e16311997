/* SPDX-License-Identifier: Apache-2.0
 *
 * The soft limit, and limits of the program's own. What would go wrong: the heap grows beyond the soft limit though
 * little is alive; a program with more alive than that ends, or collects at each allocation; the environment loses.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -fcairn-collector=$c %s -o %t.$c && \
// RUN:   %cairn-cc -O2 -DMAXIMUM='3 << 20' -DSOFT='2 << 20' -fcairn-collector=$c %s -o %t.own.$c && \
// RUN:   %cairn-cc -O2 -DMAXIMUM=9 -DSOFT=0 -fcairn-collector=$c %s -o %t.low.$c || exit 1; done
// Without it the heap takes what it wants; with it no more, unless more is alive.
// RUN: for c in semispace generational; do env CAIRN_HEAP_MAX=64m %t.$c 12000 || exit 1; done \
// RUN:   | FileCheck --check-prefix=NONE %s
// NONE-COUNT-2: whole: yes, more than 4 MiB: yes, full collections: {{[1-9]}}
// RUN: for c in semispace generational; do for s in 0 1000; do \
// RUN:   env CAIRN_HEAP_MAX=64m CAIRN_HEAP_SOFT=4m CAIRN_STRESS=$s %t.$c 12000 || exit 1; done; done \
// RUN:   | FileCheck --check-prefix=BELOW %s
// BELOW-COUNT-4: whole: yes, more than 4 MiB: no,
// RUN: for c in semispace generational; do env CAIRN_HEAP_MAX=64m CAIRN_HEAP_SOFT=1m %t.$c 60000 || exit 1; done \
// RUN:   | FileCheck --check-prefix=ABOVE %s
// ABOVE-COUNT-2: whole: yes, more than 4 MiB: yes, full collections: {{[1-9][0-9][0-9]}}
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_SOFT=100k CAIRN_STRESS=1 %t.$c 100 1000 | FileCheck --check-prefix=STRESS %s || exit 1; done
// STRESS: whole: yes, more than 4 MiB: no,
// RUN: env CAIRN_HEAP_MAX=64m CAIRN_HEAP_SOFT=4m CAIRN_PAUSE=1ms %t.generational 12000 \
// RUN:   | FileCheck --check-prefix=BESIDE %s
// BESIDE: whole: yes,
// The program's own, which its environment overrides.
// RUN: for c in semispace generational; do env CAIRN_STATS=1 %t.own.$c 100 2>&1 | FileCheck --check-prefix=OWN %s && \
// RUN:   not %t.own.$c 60000 2>&1 | FileCheck --check-prefix=ENDS %s && \
// RUN:   env CAIRN_HEAP_MAX=64m CAIRN_HEAP_SOFT=9m CAIRN_STATS=1 %t.own.$c 60000 2>&1 \
// RUN:   | FileCheck --check-prefix=WINS %s && \
// RUN:   not %t.low.$c 100 2>&1 | FileCheck --check-prefix=LOW %s || exit 1; done
// OWN: heap maximum: 3145728
// OWN-NEXT: heap soft limit: 2097152
// ENDS: {{^}}cairn: out of memory: cannot allocate {{[0-9]+}} bytes (heap maximum 3145728,
// WINS-DAG: whole: yes
// WINS-DAG: heap maximum: 67108864
// WINS-DAG: heap soft limit: 9437184
// LOW: {{^}}cairn: cairn_heap_limits has the maximum 9: expected at least 65536 bytes
// LOW-NOT: {{.}}
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/events.h>
#include <cairn/heap.h>

#ifdef MAXIMUM
const struct cairn_heap_limits cairn_heap_limits = {sizeof cairn_heap_limits, .soft = SOFT, .maximum = MAXIMUM};
#endif

struct cell {
  long number, pad[8];
};
typedef struct cell managed *ref;

static ref managed *volatile table;
static unsigned long most, shrank;

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  static unsigned long before;

  (void)env;
  if (event->kind == CAIRN_EVENT_COLLECTION_BEGINS) {
    before = event->heap;
    if (before > most)
      most = before;
  } else if (event->kind == CAIRN_EVENT_COLLECTION_ENDS && event->heap < before) {
    shrank++;
  }
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 0, steps = argc > 2 ? atol(argv[2]) : 2000000, right = 0;

  cairn_listen(listen, NULL);
  table = cairn_new_array(ref, count);
  for (long i = 0; i < steps; i++) {
    ref cell = cairn_new(struct cell);
    cell->number = i;
    table[i * 7919 % count] = cell;
  }
  for (long i = 0; i < count; i++)
    right += table[i] == NULL || table[i]->number * 7919 % count == i;
  printf("whole: %s, more than 4 MiB: %s, full collections: %lu\n", right == count ? "yes" : "no",
         most > 4 << 20 ? "yes" : "no", shrank);
  return right != count;
}
