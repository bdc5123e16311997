// A megabyte is copied out of managed memory, from and to addresses that are odd to objects. The runtime looks for
// references in it, in pieces with polls between: it must find the only one wherever that lies, also where pieces meet
// (every 8192 words), and none in data.
// RUN: %cairn-cc -O2 %s -o %t && %t -1 | FileCheck %s && env CAIRN_STRESS=3 %t -1 | FileCheck %s
// RUN: for at in 1 8190 8191 8192 8193 16383 16384 131070; do \
// RUN:   not --crash %t $at >%t.out 2>&1 && FileCheck %s --check-prefix=LOST <%t.out || exit 1; done
// RUN: not --crash env CAIRN_STRESS=3 %t 8192 2>&1 | FileCheck %s --check-prefix=LOST
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

#define WORDS 131072L
struct node {
  long value;
};

struct bytes {
  char at[8 * WORDS - 8];
};

__attribute__((noinline)) static void copy(struct bytes *to, struct bytes managed *from)
{
  *to = *from;
}

int main(int argc, char **argv)
{
  struct node managed *managed *table = cairn_new_array(struct node managed *, WORDS);
  char *native = calloc(WORDS, 8);
  long at = argc > 1 ? atol(argv[1]) : -1;
  long managed *data = cairn_new_array(long, WORDS);

  for (long i = 0; i < WORDS; i++)
    data[i] = i * 8;
  copy((struct bytes *)(native + 4), (struct bytes managed *)((char managed *)data + 4));
  long last = ((long *)native)[WORDS - 2];
  if (at >= 0)
    table[at] = cairn_new(struct node);
  copy((struct bytes *)(native + 4), (struct bytes managed *)((char managed *)table + 4));
  printf("last %ld, then %ld\n", last, ((long *)native)[WORDS - 2]);
  return 0;
}
// CHECK: last 1048560, then 0
// LOST: fatal: a reference is stored at 0x{{.*}}, which is neither a local nor a global that holds references
