/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of a heap, in native memory: what objects there are to be, and which of their slots lead
 * where. Each thread has an owner, whose objects no other thread changes.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define LEAF __attribute__((leaf))
#else
#define LEAF
#endif

enum kind {
  NODE,  /* struct node: three slots */
  MIXED, /* struct mixed: structs with references, as members */
  FLEX,  /* struct flex: slots as a flexible member */
  TEXT,  /* struct text: one slot, and bytes */
  ITEMS, /* an array of structs with two references each */
  REFS,  /* an array of references */
  LONGS, /* an array of numbers */
  KINDS
};

struct thing {
  long number, count; /* of elements */
  enum kind kind;
  unsigned marked, seen;
  unsigned long hash; /* its identity's; 0: nobody asked */
  long slot_count;
  struct thing **slots;
  struct thing *next; /* of the same owner */
};

enum { ROOTS = 40, ARRAYS = 6, HANDLES = 8, HELD = 4000, SHARED = 24, THREADS = 8, WATCHES = 12, DEEPEST = 24 };

/* Something that is watched: it may be gone. */
struct watched {
  struct thing *target, *value;
  long number; /* 0: nothing is watched */
  enum kind kind;
  int gone; /* 1: the thread's queue may keep it; 2: nothing does */
};

struct owner {
  long number; /* of the thread */
  unsigned long random;
  struct thing *things;
  long live; /* at the last sweep */
  unsigned epoch;
  struct thing *roots[ROOTS];
  struct thing *arrays[ARRAYS]; /* to which nothing else leads: they may be resized */
  struct thing *handled[HANDLES];
  struct thing *shared[SHARED]; /* what this thread's slots of the shared objects hold */
  struct watched weak[WATCHES], pairs[WATCHES];
  struct thing *last[WATCHES]; /* registered for the thread's queue, which keeps them */
  long taken;
  struct thing *held[HELD];     /* what locals hold */
  long holds, depth, steps, most_live, made;
  struct thing **waiting; /* beside a stack of references */
  long waits, room;
  void *handles[HANDLES];
  void *coroutines[3];
  void *library;
  long counts[32]; /* how often each step was done */
};

LEAF unsigned long draw(struct owner *me, unsigned long below);
LEAF struct thing *thing_new(struct owner *me, enum kind kind, long count);
LEAF void thing_resize(struct thing *thing, long count);
/* What the words of data in it are to be. */
LEAF long value_of(const struct thing *thing, long index);
LEAF void hold(struct owner *me, struct thing *thing);
LEAF void release(struct owner *me, long count);
/* Forget what nothing leads to; how many are left. */
LEAF long sweep(struct owner *me);
/* Those that wait to be looked at. */
LEAF void wait_for(struct owner *me, struct thing *thing, long at);
/* The things of a list by slot 0, which nothing else leads to, become nobody's; and another's. */
LEAF struct thing *detach(struct owner *from, struct thing *first);
LEAF void adopt(struct owner *to, struct thing *things);

#endif
