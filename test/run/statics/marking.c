// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_STATS=1 %t 60 2>&1 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_VERIFY=heap %t 6 \
// RUN:   | FileCheck --check-prefix=SUM %s
// CHECK: concurrent markings: {{[1-9]}}
// CHECK: {{^}}0 wrong
// SUM: 0 wrong
// Nodes that wander between static objects, objects of the heap and new nodes, while the marker runs. Wrong: a node
// that only a static object holds is missing after a concurrent marking, because the store into the static object was
// unseen.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum { NODES = 2000, HOLDERS = 64, BALLAST = 20000 };

struct node {
  struct node managed *next;
  long key;
};
struct holder {
  struct node managed *list;
};
static struct holder managed holders[HOLDERS];
static struct node managed nil = {&nil, 0};
static struct node managed *managed ballast[BALLAST];

__attribute__((noinline)) static void push(struct holder managed *to, struct node managed *node)
{
  node->next = to->list;
  to->list = node;
}

__attribute__((noinline)) static struct node managed *pop(struct holder managed *from)
{
  struct node managed *node = from->list;

  if (node != &nil)
    from->list = node->next;
  return node;
}

static long sum(struct holder managed *other)
{
  long total = 0;

  for (int i = 0; i <= HOLDERS; i++)
    for (struct node managed *n = (i < HOLDERS ? &holders[i] : other)->list; n != &nil; n = n->next)
      total += n->key;
  return total;
}

int main(int count, char **words)
{
  struct holder managed *other = cairn_new_init(struct holder, .list = &nil);
  long rounds = count > 1 ? atol(words[1]) : 10, wrong = 0, state = 1;

  for (int i = 0; i < HOLDERS; i++)
    holders[i].list = &nil;
  for (long i = 1; i <= NODES; i++)
    push(&holders[i % HOLDERS], cairn_new_init(struct node, .key = i));
  for (long r = 0; r < rounds; r++) {
    for (long i = 0; i < 20000; i++) {
      state = state * 6364136223846793005 + 1442695040888963407;
      long from = (state >> 33) & (HOLDERS - 1), to = (state >> 43) & (HOLDERS - 1);
      struct holder managed *source = from == 0 ? other : &holders[from];
      struct node managed *node = pop(source);
      if (node != &nil)
        push(to == 0 ? other : &holders[to], i % 3 ? node : cairn_new_init(struct node, .key = node->key));
      ballast[(state >> 20) & 16383] = cairn_new_init(struct node, .next = &nil, .key = i);
    }
    wrong += sum(other) != (long)NODES * (NODES + 1) / 2;
  }
  printf("%ld wrong\n", wrong + (nil.next != &nil));
  return 0;
}
