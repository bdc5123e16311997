// Weak fields: in an object, in an array, in elements of a flexible member, large or small. What would go wrong: one
// keeps its target alive, one is cleared whose target lives, one leads to where its target was.
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_VERIFY=heap CAIRN_HEAP_INITIAL=1m %t | FileCheck %s && \
// RUN:   env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t | FileCheck %s
#include <stdio.h>
#include <cairn/weak.h>

struct node {
  long value;
  struct node managed *next;
};
struct watcher {
  long number;
  struct node managed *seen cairn_weak, *held, *both[2] cairn_weak;
};
struct slot {
  long key;
  struct node managed *seen cairn_weak, *held;
};
struct table {
  long count;
  struct node managed *first cairn_weak;
  struct slot slots[];
};
struct weak {
  struct node managed *node cairn_weak;
};

static struct node managed *kept;

static struct node managed *node(long value, struct node managed *next)
{
  struct node managed *made = cairn_new(struct node);

  made->value = value;
  made->next = next;
  return made;
}

static struct watcher managed *watch(void)
{
  struct watcher managed *w = cairn_new(struct watcher);

  kept = node(1, node(2, 0));
  w->seen = kept->next;
  w->held = node(3, node(4, 0));
  w->both[0] = w->held->next;
  w->both[1] = node(5, w->held);
  return w;
}

/* Every third node lives by a list, every third one by the table. */
static struct table managed *fill(long count)
{
  struct table managed *t = cairn_new_flex(struct table, count, slots);

  t->count = count;
  for (long i = 0; i < count; i++) {
    struct node managed *n = node(i, 0);
    t->slots[i].seen = n;
    if (i % 3 == 1)
      t->slots[i].held = n;
    if (i % 3 == 0) {
      n->next = kept->next;
      kept->next = n;
    }
  }
  t->first = node(8, 0);
  return t;
}

static void check_table(struct table managed *t)
{
  long alive = 0, wrong = 0;

  for (long i = 0; i < t->count; i++) {
    struct node managed *n = t->slots[i].seen;
    alive += n != 0;
    wrong += (n == 0) != (i % 3 == 2) || (n && n->value != i) || (i % 3 == 1 && n != t->slots[i].held);
  }
  printf("table of %ld: %ld alive, %ld wrong, first %s\n", t->count, alive, wrong, t->first ? "alive" : "gone");
}

int main(void)
{
  struct watcher managed *w = watch();
  cairn_collect();
  cairn_collect();
  printf("%ld %ld %ld %s\n", w->seen->value, w->held->value, w->both[0]->value, w->both[1] ? "alive" : "gone");
  kept->next = 0;
  w->held->next = 0;
  cairn_collect();
  printf("%s %s\n", w->seen ? "alive" : "gone", w->both[0] ? "alive" : "gone");
  // CHECK: 2 3 4 gone
  // CHECK-NEXT: gone gone

  kept = node(0, 0);
  struct table managed *small = fill(30);
  struct table managed *large = fill(3000);
  cairn_collect();
  cairn_collect();
  check_table(small);
  check_table(large);
  // CHECK-NEXT: table of 30: 20 alive, 0 wrong, first gone
  // CHECK-NEXT: table of 3000: 2000 alive, 0 wrong, first gone

  struct weak managed *array = cairn_new_array(struct weak, 2000);
  struct node managed *last = node(7, 0);
  for (int i = 0; i < 2000; i++)
    array[i].node = i % 2 ? last : node(i, 0);
  cairn_collect();
  long alive = 0;
  for (int i = 0; i < 2000; i++)
    alive += array[i].node == last;
  printf("%ld alive, %s\n", alive, array[0].node ? "alive" : "gone");
  array[5].node = array[6].node;
  cairn_collect();
  printf("%s %ld\n", array[5].node ? "alive" : "gone", array[1].node->value + last->value);
  // CHECK-NEXT: 1000 alive, gone
  // CHECK-NEXT: gone 14
  return 0;
}
