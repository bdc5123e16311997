/* SPDX-License-Identifier: Apache-2.0
 *
 * A program whose objects take nearly all of the maximum ends, and does not crawl from one full collection to the next.
 * What would go wrong: it takes sixty times as long as with a little more memory; or one ends that gets on.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -fcairn-collector=$c %s -o %t.$c || exit 1; done
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_MAX=4m CAIRN_LOG=gc not %t.$c replace 990 1000000 2>%t.log && \
// RUN:   FileCheck --check-prefix=CRAWLS %s <%t.log && not grep -q 'collection [1-9][0-9][0-9]:' %t.log || exit 1; done
// CRAWLS: collection 16:
// CRAWLS: {{^}}cairn: out of memory: cannot allocate 80 bytes (heap maximum 4194304, live 41{{[0-9]+}}, external 0):
// CRAWLS-SAME: {{^}} full collections in a row make next to no room{{$}}
// CRAWLS-NOT: {{.}}
// The callback is called, and what it frees is enough.
// RUN: for c in semispace generational; do env CAIRN_HEAP_MAX=4m %t.$c callback 990 300000 || exit 1; done \
// RUN:   | FileCheck --check-prefix=CALLED %s
// CALLED-COUNT-2: whole: yes, calls: 1
// With a little more room, with collections that the program asks for, and in stress mode, nothing ends it; nor, with
// generations, if all that it makes dies young.
// RUN: for c in semispace generational; do env CAIRN_HEAP_MAX=4m %t.$c replace 900 300000 && \
// RUN:   env CAIRN_HEAP_MAX=4m %t.$c asks 990 60000 && \
// RUN:   env CAIRN_HEAP_MAX=4m CAIRN_STRESS=500 %t.$c replace 990 30000 && \
// RUN:   env CAIRN_HEAP_MAX=256k CAIRN_STRESS=1 %t.$c replace 900 1000 || exit 1; done \
// RUN:   | FileCheck --check-prefix=GOES-ON %s
// GOES-ON-COUNT-8: whole: yes
// RUN: env CAIRN_HEAP_MAX=4m %t.generational garbage 990 1000000 | FileCheck --check-prefix=GARBAGE %s
// GARBAGE: whole: yes
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

struct cell {
  long number, pad[8];
};

enum { CELL = sizeof(struct cell) + 8 + sizeof(void *) };

typedef struct cell managed *ref;

static ref managed *volatile table;
static long count, calls;

static ref make(long number)
{
  ref cell = cairn_new(struct cell);

  cell->number = number;
  return cell;
}

static bool drop(void *env, const struct cairn_exhaustion *what)
{
  (void)env;
  (void)what;
  calls++;
  for (long i = 0; i < count / 4; i++)
    table[i] = NULL;
  return true;
}

static void change(const char *how, long steps)
{
  for (long i = 0; i < steps; i++) {
    long at = i % count;
    ref cell = make(i);
    if (strcmp(how, "garbage") != 0 && (calls == 0 || table[at] != NULL))
      table[at] = cell;
    if (strcmp(how, "asks") == 0 && i % 200 == 0)
      cairn_collect();
  }
}

int main(int argc, char **argv)
{
  long maximum = getenv("CAIRN_HEAP_MAX")[0] == '4' ? 4 << 20 : 256 << 10, right = 0;

  if (argc != 4)
    return 2;
  count = maximum / 1000 * atol(argv[2]) / CELL;
  table = cairn_new_array(ref, count);
  for (long i = 0; i < count; i++)
    table[i] = make(i);
  if (strcmp(argv[1], "callback") == 0)
    cairn_on_exhaustion(drop, NULL);
  change(argv[1], atol(argv[3]));
  for (long i = 0; i < count; i++)
    right += table[i] == NULL || table[i]->number % count == i;
  printf("whole: %s, calls: %ld\n", right == count ? "yes" : "no", calls);
  return right != count;
}
