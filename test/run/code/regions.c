// RUN: %cairn-cc -O0 -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-safepoints=early -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-safepoints=none -I%root/include %s -o %t && %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-polls=entry,backedge,return,tail-call -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: clang -w -DCAIRN_PLAIN -O1 -I%root/include %s -o %t && %t | FileCheck %s
// RUN: %cairn-cc -O2 -I%root/include -c %s -o %t.o && nm %t.o | FileCheck --check-prefix=NAMES %s
// Regions without safepoints, by function and by markers, inlined and not, in loops and round them. They
// are no code in the end. Wrong: a program that does not link for want of the markers, or one in which a
// collection (which here moves everything at every poll) comes between the two halves of a step.
// NAMES-NOT: nopoll
#include <cairn/cairn.h>
#include <stdio.h>

struct node {
  struct node managed *next;
  long value;
};

static struct node managed *head;
static long count;

cairn_nopoll static void push(struct node managed *n)
{
  n->next = head;
  head = n;
  count++;
}

cairn_nopoll __attribute__((noinline)) static long sum(void)
{
  long total = 0;

  for (struct node managed *n = head; n; n = n->next)
    total += n->value;
  return total;
}

static void drop(long some)
{
  cairn_nopoll_begin();
  for (; some && head; some--) {
    cairn_nopoll_begin();
    head = head->next;
    cairn_nopoll_end();
    count--;
  }
  cairn_nopoll_end();
}

int main(void)
{
  for (long i = 0; i < 500; i++) {
    struct node managed *n = cairn_new(struct node);
    n->value = i;
    push(n);
    if (i % 100 == 99)
      drop(50);
  }
  // CHECK: 250 449 56125
  printf("%ld %ld %ld\n", count, head->value, sum());
  return 0;
}
