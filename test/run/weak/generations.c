// Weak fields and finalisers of old and young objects, in young collections: what is old and weak leads to what is
// young, and the other way round, in small tables and in one of its own pages. What would go wrong: a weak field of
// an old object is not looked at, and stale; one of two on a card is forgotten; an old object is finalised by a young
// collection.
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -fcairn-collector=generational %s -o %t
// RUN: env CAIRN_STATS=1 %t 300 2>&1 | FileCheck %s --check-prefixes=CHECK,MANY && \
// RUN:   env CAIRN_VERIFY=heap CAIRN_HEAP_MAX=16m %t 60 | FileCheck %s
// RUN: env CAIRN_STRESS=50 CAIRN_VERIFY=heap %t 4 | FileCheck %s
// RUN: %cairn-cc -O2 %s -o %t && %t 30 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

enum { SLOTS = 4000, LIVE = 7 };

struct cairn_finalisable node {
  long round, slot;
};
struct slot {
  long round;
  struct node managed *node cairn_weak, *held;
};
struct table {
  struct node managed *first cairn_weak;
  struct slot slots[];
};

static struct table managed *large, *small[50];
static char managed *waste;
static long finalised, made, wrong;

static void finalise(void)
{
  struct node managed *n;

  for (; (n = cairn_finalise_next(0)); finalised++)
    wrong += n->slot % LIVE == 0;
}

/* Every seventh node is held as long as it is in its slot. */
static void put(struct slot managed *s, long round, long slot)
{
  struct node managed *n = cairn_new(struct node);

  n->round = round;
  n->slot = slot % LIVE ? slot : slot + 1;
  s->round = round;
  s->node = n;
  s->held = 0;
  if (slot % LIVE == 0) {
    s->held = n;
    n->slot = slot;
  }
  made++;
}

static void check(struct slot managed *s, long slot)
{
  struct node managed *n = s->node;

  if (s->round)
    wrong += slot % LIVE == 0 ? n != s->held || n->slot != slot || n->round != s->round
                              : n && (n->round != s->round || n->slot % LIVE == 0);
}

int main(int count, char **arguments)
{
  long rounds = count > 1 ? atol(arguments[1]) : 300;

  large = cairn_new_flex(struct table, SLOTS, slots);
  for (int i = 0; i < 50; i++)
    small[i] = cairn_new_flex(struct table, 20, slots);
  for (long round = 1; round <= rounds; round++) {
    for (long i = 0; i < 300; i++) {
      long at = round * 37 + i * 13;
      struct slot managed *s = &large->slots[at % SLOTS];
      if (s->held)
        s->held->slot = 1;
      put(s, round, at % SLOTS);
      struct slot managed *t = &small[at % 50]->slots[i % 20];
      if (t->held)
        t->held->slot = 1;
      put(t, round, i % 20);
      waste = cairn_new_array(char, 4000 + i % 2);
    }
    for (int i = 0; i < SLOTS; i++)
      check(&large->slots[i], i);
    for (int i = 0; i < 1000; i++)
      check(&small[i % 50]->slots[i / 50], i / 50);
    finalise();
  }
  long held = 0;
  cairn_collect();
  finalise();
  for (int i = 0; i < SLOTS; i++)
    held += large->slots[i].node != 0;
  for (int i = 0; i < 1000; i++)
    held += small[i % 50]->slots[i / 50].node != 0;
  printf("%ld wrong, %ld lost\n", wrong, made - finalised - held);
  // MANY: collections: {{[2-9][0-9]|[0-9][0-9][0-9]}}
  // CHECK: 0 wrong, 0 lost
  return 0;
}
