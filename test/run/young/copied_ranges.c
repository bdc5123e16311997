// RUN: for level in -O0 -O2 -Os; do %cairn-cc $level -I%root/include -fcairn-collector=generational %s -o %t && \
// RUN:   env CAIRN_HEAP_MAX=16m CAIRN_HEAP_INITIAL=1m CAIRN_VERIFY=heap CAIRN_STATS=1 %t 2>&1 \
// RUN:   | FileCheck %s || exit 1; done
// CHECK: collections: {{[1-9][0-9]}}
// CHECK: all nodes live
// Copies of new references into an old array, of all lengths around those of a card and of the longest range whose
// cards are marked in line, at all distances from a card's start. Wrong: a card in the middle or at the end of the
// range stays clean, so a young collection frees a node that only the old array leads to.
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

enum { ROOM = 1400, CARD = 512 / 8, LONGEST = 16 * CARD };

struct node {
  long number;
};
typedef struct node managed *ref;

static ref managed *old;
ref managed *last_garbage;

__attribute__((noinline)) static void copy_new(long at, long n)
{
  ref managed *fresh = cairn_new_array(ref, n);

  for (long i = 0; i < n; i++) {
    fresh[i] = cairn_new(struct node);
    fresh[i]->number = at + i;
  }
  memcpy(&old[at], fresh, (size_t)n * sizeof fresh[0]);
}

__attribute__((noinline)) static void make_garbage(void)
{
  for (int i = 0; i < 400; i++)
    last_garbage = cairn_new_array(ref, 200);
}

__attribute__((noinline)) static long count_wrong(long at, long n)
{
  long wrong = 0;

  for (long i = 0; i < n; i++)
    wrong += old[at + i]->number != at + i;
  return wrong;
}

int main(void)
{
  static const long lengths[] = {1,           CARD - 1,    CARD,    CARD + 1,   2 * CARD,
                                 3 * CARD + 5, LONGEST - 1, LONGEST, LONGEST + 1};
  long wrong = 0;

  old = cairn_new_array(ref, ROOM);
  cairn_collect();
  cairn_collect();
  for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
    for (long at = 0; at < 3 * CARD; at += 29) {
      copy_new(at, lengths[l]);
      make_garbage();
      wrong += count_wrong(at, lengths[l]);
      memset(old, 0, ROOM * sizeof old[0]);
    }
  printf(wrong ? "%ld nodes are lost\n" : "all nodes live\n", wrong);
  return wrong != 0;
}
