/* SPDX-License-Identifier: Apache-2.0
 *
 * Chains of nodes, of which half stay and half die after a while: `chains THREADS KEPT ROUNDS`. The first round makes
 * KEPT chains that stay and, between them, KEPT chains that die. Each further round makes KEPT chains, each in the
 * place of one that dies, so that 2 * KEPT chains are alive.
 */
#include "workload.h"

enum { CHAIN_NODES = 100 };

struct node {
  struct node managed *next;
  long number;
};

static struct node managed *make_chain(long first)
{
  struct node managed *chain = NULL;

  for (long i = 0; i < CHAIN_NODES; i++) {
    struct node managed *node = make(struct node);
    node->next = chain;
    node->number = (first + i) & 127;
    chain = node;
  }
  return chain;
}

static void drop_chain(struct node managed *chain)
{
#ifdef __CAIRN__
  (void)chain;
#else
  while (chain != NULL) {
    struct node *next = chain->next;
    drop(chain);
    chain = next;
  }
#endif
}

static long sum_chain(struct node managed *chain)
{
  long sum = 0;

  for (; chain != NULL; chain = chain->next)
    sum += chain->number;
  return sum;
}

static long work(void)
{
  long kept = arguments[0], rounds = arguments[1], sum = 0;
  struct node managed *managed *stay = make_array(struct node managed *, kept);
  struct node managed *managed *die = make_array(struct node managed *, kept);

  for (long round = 0; round <= rounds; round++)
    for (long i = 0; i < kept; i++) {
      struct node managed *old = die[i];
      if (round == 0)
        stay[i] = make_chain(i);
      else
        sum += old->number;
      die[i] = make_chain(i + round);
      drop_chain(old);
    }
  for (long i = 0; i < kept; i++) {
    sum += sum_chain(stay[i]) + sum_chain(die[i]);
    drop_chain(stay[i]);
    drop_chain(die[i]);
  }
  drop(stay);
  drop(die);
  return sum;
}
