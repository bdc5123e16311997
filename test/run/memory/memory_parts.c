/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_STATS divides the resident set into parts. What would go wrong: a part is left out or counts twice, so that the
 * rest is large or the sum exceeds the resident set; objects, large objects or memory of malloc() count for another
 * part; the peak is lower than what the program has at its end.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -fcairn-collector=$c %s -o %t.$c || exit 1; done
// The rest is below 4 MiB, and the 24 MiB of malloc() belong to it.
// RUN: for p in 0 20ms; do for m in 0 24; do for s in 0 50000; do \
// RUN:   env CAIRN_HEAP_MAX=512m CAIRN_PAUSE=$p CAIRN_STRESS=$s CAIRN_STATS=1 %t.generational $m 2>%t.stats && \
// RUN:   awk -v outside=$m -f %S/Inputs/memory_parts.awk %t.stats || { cat %t.stats; exit 1; }; done; done; done \
// RUN:   | FileCheck --check-prefix=PARTS %s
// RUN: for m in 0 24; do for s in 0 50000; do \
// RUN:   env CAIRN_HEAP_MAX=512m CAIRN_STRESS=$s CAIRN_STATS=1 %t.semispace $m 2>%t.stats && \
// RUN:   awk -v outside=$m -f %S/Inputs/memory_parts.awk %t.stats || { cat %t.stats; exit 1; }; done; done \
// RUN:   | FileCheck --check-prefix=COPIED %s
// PARTS: whole: yes, parts: 1{{[0-9]}}, objects: yes, large objects: {{79[0-9][0-9]|80[0-9][0-9]}} KB
// PARTS-COUNT-7: whole: yes, parts: 1{{[0-9]}}, objects: yes, large objects: {{[0-9]+}} KB
// COPIED: whole: yes, parts: {{[0-9]}}, objects: yes, large objects: {{79[0-9][0-9]|80[0-9][0-9]}} KB
// COPIED-COUNT-3: whole: yes, parts: {{[0-9]}}, objects: yes, large objects: {{[0-9]+}} KB
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long number, pad[2];
};

static struct node managed *list;
static char managed *array;

/* 40 MB of nodes with headers, an array of 8 MB, and `outside` MiB of malloc(). */
int main(int argc, char **argv)
{
  size_t outside = argc > 1 ? (size_t)atol(argv[1]) << 20 : 0;
  char *other = malloc(outside + 1);
  long sum = 0;

  array = cairn_new_array(char, 8000000);
  memset(other, 1, outside + 1);
  for (long i = 0; i < 8000000; i += 1000)
    array[i] = 1;
  for (long i = 0; i < 1000000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    node->number = i;
    list = node;
    if (i % 250000 == 0)
      cairn_collect();
  }
  cairn_collect();
  array[7999999] = other[outside];
  for (struct node managed *node = list; node != NULL; node = node->next)
    sum += node->number;
  fprintf(stderr, "whole: %s\n", sum == 499999500000 && array[7999999] == 1 && array[1000] == 1 ? "yes" : "no");
  return 0;
}
