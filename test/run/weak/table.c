// A weak table in managed C: entries of keys that live, of keys that the value alone leads to, removed ones, many
// that go. What would go wrong: an entry is not found after a collection or a growth, a dead one stays, one is found
// twice.
// RUN: %cairn-cc -O2 %s -o %t && %t 40000 | FileCheck %s && env CAIRN_STRESS=3 CAIRN_VERIFY=heap %t 60 | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -fcairn-collector=generational %s -o %t && %t 40000 | FileCheck %s
// RUN: env CAIRN_HEAP_MAX=32m CAIRN_VERIFY=heap %t 20000 | FileCheck %s && env CAIRN_STRESS=3 %t 60 | FileCheck %s
// RUN: cc -DCAIRN_PLAIN -I%root/include %s -o %t && %t 1000 | FileCheck %s --check-prefix=PLAIN
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

struct node {
  long number;
  struct node managed *next;
};

static struct node managed *list;

static struct node managed *node(long number, struct node managed *next)
{
  struct node managed *made = cairn_new(struct node);

  made->number = number;
  made->next = next;
  return made;
}

/* Every fourth key lives, in a list; the values of others lead to their keys. */
static __attribute__((noinline)) void fill(struct cairn_weak_table managed *table, long size)
{
  for (long i = 0; i < size; i++) {
    struct node managed *key = node(i, i % 4 ? 0 : list);
    if (i % 4 == 0)
      list = key;
    cairn_weak_table_put(table, key, node(-i, i % 4 == 1 ? key : 0));
  }
}

static long check(struct cairn_weak_table managed *table)
{
  long wrong = 0;

  for (struct node managed *key = list; key; key = key->next) {
    struct node managed *value = cairn_weak_table_get(table, key);
    wrong += !value || value->number != -key->number;
  }
  return wrong;
}

int main(int count, char **arguments)
{
  struct cairn_weak_table managed *table = cairn_weak_table_new();
  long size = count > 1 ? atol(arguments[1]) / 4 * 4 : 1000, wrong = 0;

  for (int round = 0; round < 3; round++) {
    list = 0;
    fill(table, size);
    wrong += check(table);
    cairn_collect();
    cairn_collect();
    wrong += check(table);
    printf("%s alive\n", cairn_weak_table_count(table) == size / 4 ? "a quarter" : "others");
  }
  for (struct node managed *key = list; key; key = key->next) {
    cairn_weak_table_remove(table, key);
    cairn_weak_table_remove(table, key);
    wrong += cairn_weak_table_get(table, key) != 0;
    if (key->number % 8 == 0) {
      cairn_weak_table_put(table, key, node(7, 0));
      cairn_weak_table_put(table, key, node(-key->number, 0));
    }
  }
  long left = cairn_weak_table_count(table);
  printf("%ld wrong, %s left\n", wrong, left == (size / 4 + 1) / 2 ? "half" : "others");
  // CHECK: a quarter alive
  // CHECK-NEXT: a quarter alive
  // CHECK-NEXT: a quarter alive
  // CHECK-NEXT: 0 wrong, half left
  // PLAIN: others alive
  // PLAIN: 0 wrong
  return 0;
}
