// Weak fields, ephemerons and finalisers of old objects while the generational collector marks concurrently: a weak
// reference that is read and kept meanwhile, keys and values that come and go. What would go wrong: what was
// read from a weak field is freed, a value goes before its key, a finaliser's object is swept.
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -fcairn-collector=generational %s -o %t
// RUN: env CAIRN_PAUSE=1us CAIRN_TRACE=%t.json CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=12m %t 40 | FileCheck %s && \
// RUN:   grep -c '"remark"' %t.json
// RUN: env CAIRN_PAUSE_FULL=1us CAIRN_VERIFY=heap CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=12m %t 20 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_VERIFY=heap CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=12m %t 10 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

enum { NODES = 6000, READS = 200 };

struct node {
  long number, round;
  struct node managed *next, *extra;
};
struct cairn_ephemeron entry {
  struct node managed *key cairn_weak, *value;
};
struct watch {
  struct node managed *node cairn_weak;
};
struct cairn_finalisable file {
  long number, round;
  struct node managed *node;
};

static struct node managed *managed *nodes; /* strong, for some rounds */
static struct watch managed *watches;
static struct entry managed *managed *entries;
static struct node managed *kept;
static long wrong, queued, made;

static struct node managed *node(long number, long round)
{
  struct node managed *n = cairn_new(struct node);

  n->number = number;
  n->round = round;
  n->extra = cairn_new(struct node);
  n->extra->number = -number;
  return n;
}

static void replace(long i, long round)
{
  struct node managed *n = node(i, round);

  nodes[i] = n;
  watches[i].node = n;
  struct entry managed *e = cairn_new(struct entry);
  e->key = n;
  struct node managed *value = node(i, round);
  value->next = n; /* leads to its own key */
  e->value = value;
  entries[i] = e;
  if (i % 16 == 0) {
    struct file managed *f = cairn_new(struct file);
    f->number = i;
    f->round = round;
    f->node = n;
    n->next = 0;
    made++;
  }
}

static void check(long i)
{
  struct node managed *n = watches[i].node;
  struct entry managed *e = entries[i];

  if (n)
    wrong += n->number != i || n->extra->number != -i;
  if (e && e->key)
    wrong += e->key->number != i || e->value->number != i || e->value->next != e->key ||
             e->value->extra->number != -i;
  if (e && !e->key)
    wrong += e->value != 0;
  if (nodes[i])
    wrong += watches[i].node != nodes[i] || !e || e->key != nodes[i];
}

/* What only a weak field led to is kept. */
static void read_weak(long from, long round)
{
  for (long i = 0; i < READS; i++) {
    struct node managed *n = watches[(from + i * 37) % NODES].node;
    if (n && !nodes[n->number]) {
      struct node managed *cell = node(n->number, round);
      cell->next = i % 50 ? kept : 0;
      cell->extra = n;
      kept = cell;
    }
  }
  for (struct node managed *cell = kept; cell; cell = cell->next)
    wrong += cell->extra->number != cell->number || cell->extra->extra->number != -cell->number;
}

static void finalise(void)
{
  struct file managed *f;

  for (; (f = cairn_finalise_next(0)); queued++)
    wrong += f->node->number != f->number || f->node->extra->number != -f->number;
}

int main(int count, char **arguments)
{
  long rounds = count > 1 ? atol(arguments[1]) : 30;

  nodes = cairn_new_array(struct node managed *, NODES);
  watches = cairn_new_array(struct watch, NODES);
  entries = cairn_new_array(struct entry managed *, NODES);
  for (long round = 0; round < rounds; round++) {
    for (long i = round % 3; i < NODES; i += 3) {
      replace(i, round);
      long other = (i * 7 + round) % NODES;
      if (other % 5 == 0)
        nodes[other] = 0;
      if (i % 1000 < 3)
        read_weak(i, round);
    }
    for (long i = 0; i < NODES; i++)
      check(i);
    finalise();
  }
  kept = 0;
  nodes = 0;
  cairn_collect();
  cairn_collect();
  finalise();
  printf("%ld wrong, %ld lost\n", wrong, made - queued);
  // CHECK: 0 wrong, 0 lost
  return 0;
}
