// Objects that nobody else can know are not allocated, and those that escape on a rare path are allocated there alone:
// almost nothing is, whatever the loops' counts. What would go wrong: an object of one pass that is taken for that of
// the next; a field that is lost on the way to the rare path; a stale reference in a local, over a collection.
// RUN: %cairn-cc -O2 -Wall -Wextra -Werror %s -o %t
// RUN: clang -O1 -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain > %t.expected
// RUN: %t | cmp - %t.expected
// RUN: env CAIRN_STATS=1 %t 2>&1 >/dev/null | FileCheck %s
// RUN: env CAIRN_STATS=1 CAIRN_STRESS=1 %t 2>%t.stats | cmp - %t.expected
// RUN: FileCheck %s --check-prefix=MOVED < %t.stats
// RUN: %cairn-cc -O3 -fcairn-safepoints=none %s -o %t.none && %t.none | cmp - %t.expected
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -S -emit-llvm %s -o /dev/null
// CHECK: bytes allocated: {{[0-9]?[0-9]?[0-9]$}}
// MOVED: objects moved: {{[1-9]}}
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
struct node managed *known;

static struct node managed *node(struct node managed *next, long value)
{
  struct node managed *n = cairn_new(struct node);

  n->next = next;
  n->value = value;
  return n;
}

/* A new object on each pass, which leads to one that is in the heap. */
static long states(struct node managed *in_heap)
{
  struct node managed *s = node(in_heap, 1);

  for (long i = 0; i < 1000; i++) {
    if (i % 3)
      s = node(s->next, s->value * 3 + i);
    if (i % 250 == 0)
      cairn_collect();
  }
  return s->value + s->next->value;
}

/* One that is known to others from the rare path on. */
static long rare(void)
{
  long sum = 0;

  for (long i = 0; i < 1000; i++) {
    struct node managed *n = node(known, i);
    if (i % 499 == 498) {
      n->value += 5;
      known = n;
      cairn_collect();
      sum += known->value;
    } else {
      sum += n->value;
    }
  }
  return sum;
}

/* One or none, beside the one before; the older leads to the newer. */
static long pairs(void)
{
  struct node managed *last = NULL;
  long sum = 0;

  for (long i = 0; i < 1000; i++) {
    struct node managed *n = i % 7 ? node(known, i) : NULL;
    if (last && n && last->next == n->next)
      sum += last->value * n->value;
    last = n;
  }
  return sum;
}

static long digits(long of)
{
  char managed *text = cairn_new_array(char, 24);
  int length = 0;
  long sum = 0;

  for (; of; of /= 10)
    text[length++] = (char)('0' + of % 10);
  for (int i = 0; i < length; i++)
    sum = sum * 3 + text[i];
  return sum + text[20];
}

int main(void)
{
  long sum = 0;

  known = node(NULL, 3);
  for (long i = 0; i < 1000; i++)
    sum += digits(i * i * i);
  printf("%ld %ld %ld %ld\n", states(known), rare(), pairs(), sum);
}
