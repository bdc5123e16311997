// Ephemerons: pairs and elements of tables, chains of a million that begin with what is alive or not, values that
// lead to their own keys, keys that live by a finaliser alone. What would go wrong: a value goes before its key, or
// stays after it; a chain takes time by the square of its length (an hour); one is stale after a collection.
// RUN: %cairn-cc -O2 %s -o %t && %t 1000000 | FileCheck %s && env CAIRN_STRESS=5 CAIRN_VERIFY=heap %t 40 | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -fcairn-collector=generational %s -o %t && %t 1000000 | FileCheck %s
// RUN: env CAIRN_HEAP_MAX=64m CAIRN_VERIFY=heap %t 20000 | FileCheck %s && env CAIRN_STRESS=5 %t 40 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

struct node {
  long value;
  struct node managed *next;
  struct pair managed *pair;
};
struct cairn_ephemeron pair {
  struct node managed *key cairn_weak, *value;
};
struct entry {
  struct node managed *key cairn_weak;
  long number;
  struct node managed *value;
};
struct cairn_ephemeron table {
  long count;
  struct node managed *plain;
  struct entry entries[];
};

static struct node managed *start;
static struct pair managed *kept;
static long number;

static struct node managed *node(struct node managed *next)
{
  struct node managed *made = cairn_new(struct node);

  made->value = number++;
  made->next = next;
  return made;
}

static struct pair managed *pair(struct node managed *key, struct node managed *value)
{
  struct pair managed *made = cairn_new(struct pair);

  made->key = key;
  made->value = value;
  return made;
}

/* Of each pair the value is the key of the next one; the list of pairs is in that order, or the other. */
static struct node managed *chain(long count, int backwards)
{
  struct node managed *list = 0, *last = 0, *key = start = node(0);

  for (long i = 0; i < count; i++) {
    struct node managed *value = node(0), *cell = node(0);
    cell->pair = pair(key, value);
    if (backwards) {
      cell->next = list;
      list = cell;
    } else if (last) {
      last->next = cell;
      last = cell;
    } else {
      list = last = cell;
    }
    key = value;
  }
  return list;
}

static void print_chain(struct node managed *list)
{
  long alive = 0, wrong = 0;

  for (struct node managed *cell = list; cell; cell = cell->next) {
    wrong += (cell->pair->key == 0) != (cell->pair->value == 0);
    alive += cell->pair->key != 0;
    wrong += cell->pair->key && cell->pair->value->value <= cell->pair->key->value;
  }
  printf("%s alive, %ld wrong\n", alive == 0 ? "none" : "some", wrong);
  if (alive && alive != number)
    printf("%ld of %ld alive\n", alive, number);
}

static void chains(long count)
{
  for (int backwards = 0; backwards < 2; backwards++) {
    struct node managed *list = chain(count, backwards);
    cairn_collect();
    number = count;
    print_chain(list);
    start = 0;
    cairn_collect();
    print_chain(list);
    number = 0;
  }
}

static struct table managed *table(long count)
{
  struct table managed *t = cairn_new_flex(struct table, count, entries);

  t->plain = node(0);
  for (long i = 0; i < count; i++) {
    t->entries[i].value = node(0);
    struct node managed *key = node(i % 4 == 0 ? t->entries[i].value : 0);
    t->entries[i].key = key;
    t->entries[i].number = i;
    if (i % 4 == 1)
      key->next = start, start = key;
    if (i % 4 == 2)
      t->entries[i].value->next = key; /* leads to its own key */
    if (i % 4 == 3)
      t->entries[i - 2].value->next = key; /* lives by another value, whose key lives */
  }
  t->count = count;
  return t;
}

static void tables(long count)
{
  start = 0;
  struct table managed *t = table(count);
  cairn_collect();
  cairn_collect();
  long alive = 0, wrong = t->plain == 0;
  for (long i = 0; i < count; i++) {
    struct entry managed *e = &t->entries[i];
    alive += e->key != 0;
    wrong += (e->key != 0) != (i % 2 == 1) || (e->value != 0) != (i % 2 == 1) || e->number != i;
  }
  printf("table: %s, %ld wrong\n", alive == count / 2 ? "half" : "not half", wrong);
}

/* The key is queued, so it was not reachable: the pair is cleared. */
static __attribute__((noinline)) void drop_key(void)
{
  struct node managed *key = node(0);

  kept = pair(key, node(key));
  key->next = kept->value;
  cairn_finalise(key, 9);
}

int main(int count, char **arguments)
{
  long size = count > 1 ? atol(arguments[1]) : 1000;

  chains(size);
  // CHECK: some alive, 0 wrong
  // CHECK-NEXT: none alive, 0 wrong
  // CHECK-NEXT: some alive, 0 wrong
  // CHECK-NEXT: none alive, 0 wrong
  tables(40);
  tables(size / 4 * 4);
  // CHECK-NEXT: table: half, 0 wrong
  // CHECK-NEXT: table: half, 0 wrong
  drop_key();
  cairn_collect();
  struct node managed *key = cairn_finalise_next(9);
  printf("%d %d %d\n", key->next->next == key, kept->key == 0, kept->value == 0);
  // CHECK-NEXT: 1 1 1
  kept->value = node(0);
  cairn_collect();
  printf("%d\n", kept->value != 0);
  // CHECK-NEXT: 1
  return 0;
}
