// Identity hashes of objects, arrays and flexible objects, small and large, asked before and after they move; objects
// that grow by them in a full nursery and a full heap; pointers into them and behind them; arrays that are resized.
// What would go wrong: a hash changes, a copy overwrites its neighbour, a walk loses its way.
// RUN: %cairn-cc -O2 %s -o %t && %t 20000 | FileCheck %s && env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t 60 | FileCheck %s
// RUN: env CAIRN_HEAP_MAX=24m CAIRN_VERIFY=heap %t 20000 | FileCheck %s && env CAIRN_STRESS=1 %t 30 | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -fcairn-collector=generational %s -o %t && %t 20000 | FileCheck %s
// RUN: env CAIRN_HEAP_MAX=24m CAIRN_VERIFY=heap %t 20000 | FileCheck %s && \
// RUN:   env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t 60 | FileCheck %s
// RUN: cc -DCAIRN_PLAIN -I%root/include %s -o %t && %t 100 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

struct node {
  struct node managed *next;
  unsigned long hash;
  long number;
};
struct flex {
  unsigned long hash;
  struct node managed *nodes[];
};
struct known {
  unsigned long hash;
  long managed *numbers;
};

static struct node managed *list;
static struct flex managed *flexes[20];
static struct known managed *known;
static long wrong;

static struct node managed *node(long number)
{
  struct node managed *n = cairn_new(struct node);

  n->number = number;
  return n;
}

static void check_list(void)
{
  long count = 0;

  for (struct node managed *n = list; n; n = n->next, count++)
    wrong += n->hash && n->hash != cairn_identity_hash(n);
  for (int i = 0; i < 20; i++)
    if (flexes[i]) {
      wrong += flexes[i]->hash != cairn_identity_hash(flexes[i]);
      for (int k = 0; k < 3 + i % 5; k++)
        wrong += flexes[i]->nodes[k]->number != i + k;
    }
}

/* Of every third, and some only once they are old. */
static void fill(long count)
{
  list = 0;
  for (long i = 0; i < count; i++) {
    struct node managed *n = node(i);
    n->next = list;
    list = n;
    if (i % 3 == 0)
      n->hash = cairn_identity_hash(n);
    if (i % 1000 == 999)
      cairn_collect();
  }
  for (struct node managed *n = list; n; n = n->next)
    if (n->number % 7 == 0)
      n->hash = cairn_identity_hash(n);
}

static void fill_flexes(long size)
{
  for (int i = 0; i < 20; i++) {
    long count = i == 3 ? size : 3 + i % 5;
    struct flex managed *f = cairn_new_flex(struct flex, count, nodes);
    f->hash = cairn_identity_hash(f);
    for (int k = 0; k < 3 + i % 5; k++)
      f->nodes[k] = node(i + k);
    flexes[i] = f;
  }
}

static __attribute__((noinline)) long inside(long managed *at, long managed *end)
{
  long sum = 0;

  cairn_collect();
  for (; at != end; at++)
    sum += *at;
  return sum;
}

/* The same array, shorter; and a longer one, which is another. */
static void arrays(void)
{
  known = cairn_new(struct known);
  known->numbers = cairn_new_array(long, 9);
  known->hash = cairn_identity_hash(known->numbers);
  for (int i = 0; i < 9; i++)
    known->numbers[i] = i;
  for (int i = 9; i > 5; i--) {
    cairn_collect();
    known->numbers = cairn_resize_array(known->numbers, i);
#ifndef CAIRN_PLAIN
    wrong += known->hash != cairn_identity_hash(known->numbers);
#endif
  }
  long managed *numbers = known->numbers;
  printf("%ld\n", inside(numbers + 1, numbers + 6));
  known->numbers = cairn_resize_array(numbers, 12);
  cairn_collect();
  printf("%ld\n", inside(known->numbers + 2, known->numbers + 12));
}

int main(int count, char **arguments)
{
  long size = count > 1 ? atol(arguments[1]) : 1000;

  arrays();
  // CHECK: 15
  // CHECK-NEXT: 14
  for (int round = 0; round < 5; round++) {
    fill(size);
    fill_flexes(size);
    check_list();
    cairn_collect();
    check_list();
    cairn_collect();
    check_list();
  }
  long sum = 0, different = 0;
  unsigned long last = 0;
  for (struct node managed *n = list; n; n = n->next, sum++) {
    different += cairn_identity_hash(n) != last;
    last = cairn_identity_hash(n);
  }
  printf("%ld wrong, %s\n", wrong, different > sum / 2 ? "different" : "alike");
  // CHECK-NEXT: 0 wrong, different
  return 0;
}
