/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that store, and the globals that they store to. `CALLEE` and `DATA` are their linkage.
 */
#ifndef CALLEES_H
#define CALLEES_H

#include <cairn/cairn.h>

#ifndef CALLEE
#define CALLEE
#endif
#ifdef APART
#define DATA extern
#else
#define DATA static
#endif

typedef struct node managed *node_ref;
struct node {
  node_ref next;
  long value;
};
struct item {
  node_ref node;
  long key;
};

enum { NODES = 64, SORTED = 16, RING = 256, DEPTH = 64, TABLE = 16 };

struct ring {
  struct item slots[RING];
  unsigned long head, tail;
};
struct machine {
  long steps;
  node_ref stack[DEPTH];
  node_ref *top;
  unsigned long depth;
};
DATA node_ref nodes[NODES];
DATA node_ref table[TABLE + 1];
DATA struct ring ring;
DATA struct machine machine;

CALLEE void find(unsigned long i, node_ref *out);
CALLEE void copy(struct item *to, const struct item *from);
CALLEE void sort(struct item *items, long count);
CALLEE void put(const struct item *from);
CALLEE void take(struct item *to);
CALLEE void set(node_ref *at, node_ref node);
CALLEE void insert(node_ref *start, node_ref *end, node_ref node);
CALLEE void push(node_ref node);
CALLEE void add(void);
CALLEE void push_at(node_ref node);
CALLEE void add_at(void);

#endif
