/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields, ephemerons, finalisers, pins and identity hashes beside the model. It knows at a sweep what is
 * reachable: then a weak field still leads there. What is not reachable may be there for a while,
 * until a full collection.
 */
#include "shadow.h"
#include <cairn/pin.h>
#include <cairn/weak.h>

struct watch {
  long number;
  ref target cairn_weak;
};
struct cairn_ephemeron pair {
  ref key cairn_weak;
  long number;
  ref value;
};

static struct watch managed *watches[THREADS]; /* of each thread WATCHES */
static struct pair managed *pairs[THREADS];

void watch_begin(struct owner *me)
{
  watches[me->number] = cairn_new_array(struct watch, WATCHES);
  pairs[me->number] = cairn_new_array(struct pair, WATCHES);
}

static long some_numbered(struct owner *me)
{
  long at = (long)draw(me, ROOTS);

  return me->roots[at] != NULL && has_number(me->roots[at]->kind) ? at : -1;
}

void watch_weak(struct owner *me)
{
  long at = some_numbered(me), i = (long)draw(me, WATCHES);

  if (at < 0)
    return;
  watches[me->number][i].target = root(me, at);
  watches[me->number][i].number = me->roots[at]->number;
  me->weak[i] = (struct watched){me->roots[at], NULL, me->roots[at]->number, me->roots[at]->kind, 0};
}

void watch_pair(struct owner *me)
{
  long key = some_numbered(me), value = some_numbered(me), i = (long)draw(me, WATCHES);

  if (key < 0 || value < 0)
    return;
  pairs[me->number][i].key = root(me, key);
  pairs[me->number][i].value = root(me, value);
  pairs[me->number][i].number = me->roots[key]->number;
  me->pairs[i] = (struct watched){me->roots[key], me->roots[value], me->roots[key]->number, me->roots[key]->kind, 0};
}

void watch_last(struct owner *me)
{
  long at = some_numbered(me), i = (long)draw(me, WATCHES);

  if (at < 0 || me->last[i] != NULL)
    return;
  for (long k = 0; k < WATCHES; k++)
    if (me->last[k] == me->roots[at])
      return;
  cairn_finalise((void managed *)root(me, at), (unsigned)me->number);
  me->last[i] = me->roots[at];
}

/* An object comes back to life: what watches it has been cleared, or not. */
static void watch_nothing(struct owner *me)
{
  for (long i = 0; i < WATCHES; i++) {
    watches[me->number][i].target = NULL;
    pairs[me->number][i].key = pairs[me->number][i].value = NULL;
    me->weak[i].target = NULL;
    me->weak[i].number = 0;
    me->pairs[i] = me->weak[i];
  }
}

void watch_take(struct owner *me)
{
  ref object;

  while ((object = (ref)cairn_finalise_next((unsigned)me->number)) != NULL) {
    struct thing *thing = NULL;
    for (long i = 0; i < WATCHES; i++)
      if (me->last[i] != NULL && number_of(object, me->last[i]->kind) == me->last[i]->number) {
        thing = me->last[i];
        me->last[i] = NULL;
        break;
      }
    if (thing == NULL)
      wrong(me, "an object in a queue that was not registered", NULL);
    look_at(me, object, thing);
    watch_nothing(me);
    set_root(me, (long)draw(me, ROOTS), object, thing);
    me->taken++;
  }
}

static void look_at_target(struct owner *me, ref object, const struct watched *watched, int collected)
{
  if (watched->number == 0)
    return;
  if (object == NULL && !watched->gone)
    wrong(me, "a weak field that was cleared", watched->target);
  if (object != NULL && watched->gone == 2 && collected)
    wrong(me, "a weak field that was not cleared", NULL);
  if (object != NULL && number_of(object, watched->kind) != watched->number)
    wrong(me, "another object in a weak field", watched->target);
}

void watch_look(struct owner *me, int collected, long capacity)
{
  for (long i = 0; i < WATCHES; i++) {
    look_at_target(me, watches[me->number][i].target, &me->weak[i], collected);
    if (me->weak[i].number != 0 && watches[me->number][i].number != me->weak[i].number)
      wrong(me, "a number beside a weak field", NULL);
    look_at_target(me, pairs[me->number][i].key, &me->pairs[i], collected);
    if ((pairs[me->number][i].key == NULL) != (pairs[me->number][i].value == NULL))
      wrong(me, "half of an ephemeron", NULL);
    if (capacity != 0 && me->pairs[i].number != 0 && !me->pairs[i].gone)
      walk_from(me, pairs[me->number][i].value, me->pairs[i].value, capacity);
  }
}

/* It stays, wherever the object goes. */
void watch_hash_is(struct owner *me, ref object, const struct thing *thing)
{
  if (thing->hash != 0 && cairn_identity_hash((void managed *)object) != thing->hash)
    wrong(me, "another identity hash", thing);
}

void watch_hash(struct owner *me)
{
  long at = (long)draw(me, ROOTS);
  struct thing *thing = me->roots[at];

  if (thing == NULL)
    return;
  watch_hash_is(me, root(me, at), thing);
  thing->hash = cairn_identity_hash((void managed *)root(me, at));
}

/* Its address stays, whatever is done meanwhile; native code may use it. */
void watch_pin(struct owner *me)
{
#ifndef WITHOUT_PINS
  long at = some_numbered(me);

  if (at < 0 || me->depth >= DEEPEST)
    return;
  struct thing *thing = me->roots[at];
  ref object = root(me, at);
  hold(me, thing);
  me->depth++;
  cairn_pinned (long *number, object) {
    long was = *number;
    some_steps(me, 8);
    if (*number != was || (thing->kind != MIXED && was != thing->number))
      wrong(me, "what a pinned object has", thing);
    look_at(me, object, thing);
  }
  me->depth--;
  release(me, 1);
#else
  (void)me;
#endif
}
