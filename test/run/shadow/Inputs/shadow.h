/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the program share.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <cairn/cairn.h>
#include "model.h"

struct any {
  long number, walk;
};
typedef struct any managed *ref;

struct node {
  long number, walk;
  ref slots[3];
};
struct part {
  char letter;
  ref one, other;
};
struct mixed {
  struct part first;
  long number, walk;
  struct part parts[2];
};
struct flex {
  long number, walk, count;
  ref slots[];
};
struct text {
  long number, walk;
  ref owner;
  char bytes[];
};
struct item {
  ref one;
  long value;
  ref other;
  char letters[3];
};

_Noreturn void wrong(struct owner *me, const char *what, const struct thing *thing);

/* objects.c */
ref make_node(const struct thing *thing);
ref make_object(const struct thing *thing);
struct part managed *part_of(ref object, long i);
ref load(ref object, enum kind kind, long i);
void store(ref object, enum kind kind, long i, ref value);
long number_of(ref object, enum kind kind);
int has_number(enum kind kind);
/* Is its data as the model says? */
void look_at_data(struct owner *me, ref object, const struct thing *thing);
/* Is the object there, as the model says? Not what it leads to. */
void look_at(struct owner *me, ref object, const struct thing *thing);

/* shadow.c */
/* And with all that it leads to, at most so many objects. */
void walk_from(struct owner *me, ref object, struct thing *thing, long capacity);
ref root(struct owner *me, long i);
void set_root(struct owner *me, long i, ref object, struct thing *thing);
void some_steps(struct owner *me, long most);

/* watch.c: weak fields, ephemerons, finalisers and pins. Each thread begins first. */
void watch_begin(struct owner *me);
void watch_weak(struct owner *me);
void watch_pair(struct owner *me);
void watch_last(struct owner *me);
void watch_pin(struct owner *me);
void watch_hash(struct owner *me);
void watch_hash_is(struct owner *me, ref object, const struct thing *thing);
/* Take from the queue what is there. */
void watch_take(struct owner *me);
/* After a sweep of the model, and perhaps a full collection, which has cleared what is gone. */
void watch_look(struct owner *me, int collected, long capacity);

#endif
