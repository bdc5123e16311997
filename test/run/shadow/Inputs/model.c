/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <string.h>

static void *must(void *memory)
{
  if (memory == NULL)
    abort();
  return memory;
}

unsigned long draw(struct owner *me, unsigned long below)
{
  me->random = me->random * 6364136223846793005u + 1442695040888963407u;
  return (me->random >> 33) % below;
}

static long slots_of(enum kind kind, long count)
{
  switch (kind) {
  case NODE:
    return 3;
  case MIXED:
    return 6;
  case FLEX:
  case REFS:
    return count;
  case TEXT:
    return 1;
  case ITEMS:
    return 2 * count;
  default:
    return 0;
  }
}

struct thing *thing_new(struct owner *me, enum kind kind, long count)
{
  struct thing *thing = must(calloc(1, sizeof *thing));

  thing->number = (me->number + 1) << 40 | ++me->made;
  thing->kind = kind;
  thing->count = count;
  thing->slot_count = slots_of(kind, count);
  thing->slots = must(calloc((size_t)thing->slot_count + 1, sizeof *thing->slots));
  thing->next = me->things;
  me->things = thing;
  return thing;
}

void thing_resize(struct thing *thing, long count)
{
  long had = thing->slot_count;

  thing->count = count;
  thing->slot_count = slots_of(thing->kind, count);
  thing->slots = must(realloc(thing->slots, ((size_t)thing->slot_count + 1) * sizeof *thing->slots));
  for (; had < thing->slot_count; had++)
    thing->slots[had] = NULL;
}

long value_of(const struct thing *thing, long index)
{
  return (thing->number * 31 + index) * 0x9e3779b97f4a7c15;
}

void hold(struct owner *me, struct thing *thing)
{
  if (me->holds == HELD)
    abort();
  me->held[me->holds++] = thing;
}

void release(struct owner *me, long count)
{
  me->holds -= count;
}

void wait_for(struct owner *me, struct thing *thing, long at)
{
  if (at >= me->room) {
    me->room = 2 * at + 1024;
    me->waiting = must(realloc(me->waiting, (size_t)me->room * sizeof *me->waiting));
  }
  me->waiting[at] = thing;
}

static void mark(struct owner *me, struct thing *thing)
{
  if (thing == NULL || thing->marked == me->epoch)
    return;
  thing->marked = me->epoch;
  wait_for(me, thing, me->waits++);
}

static void mark_all(struct owner *me, struct thing **from, long count)
{
  for (long i = 0; i < count; i++)
    mark(me, from[i]);
  while (me->waits != 0) {
    struct thing *next = me->waiting[--me->waits];
    for (long i = 0; i < next->slot_count; i++)
      mark(me, next->slots[i]);
  }
}

static int is_marked(const struct owner *me, const struct thing *thing)
{
  return thing != NULL && thing->marked == me->epoch;
}

/* The values of keys that are reachable are. */
static void mark_values(struct owner *me)
{
  for (int again = 1; again;) {
    again = 0;
    for (int i = 0; i < WATCHES; i++)
      if (is_marked(me, me->pairs[i].target) && !is_marked(me, me->pairs[i].value)) {
        mark_all(me, &me->pairs[i].value, 1);
        again = 1;
      }
  }
}

/* First what the program leads to is marked; then what its queue may lead to, too. */
static void watch(const struct owner *me, struct watched *watched, int marks)
{
  if (watched->target == NULL || is_marked(me, watched->target))
    return;
  watched->gone = marks;
  if (marks == 2)
    watched->target = watched->value = NULL;
}

static void watch_all(struct owner *me, int marks)
{
  for (int i = 0; i < WATCHES; i++) {
    watch(me, &me->weak[i], marks);
    watch(me, &me->pairs[i], marks);
  }
}

long sweep(struct owner *me)
{
  struct thing **link = &me->things;

  me->epoch++;
  me->live = 0;
  mark_all(me, me->roots, ROOTS);
  mark_all(me, me->arrays, ARRAYS);
  mark_all(me, me->handled, HANDLES);
  mark_all(me, me->shared, SHARED);
  mark_all(me, me->held, me->holds);
  mark_values(me);
  watch_all(me, 1);
  mark_all(me, me->last, WATCHES);
  mark_values(me); /* of keys that are in the queue since before they were keys */
  watch_all(me, 2);
  while (*link != NULL) {
    struct thing *thing = *link;
    if (thing->marked == me->epoch) {
      link = &thing->next;
      me->live += thing->count + 4;
      continue;
    }
    *link = thing->next;
    free(thing->slots);
    free(thing);
  }
  if (me->live > me->most_live)
    me->most_live = me->live;
  return me->live;
}

struct thing *detach(struct owner *from, struct thing *first)
{
  struct thing **link = &from->things, *things = NULL;

  from->epoch++;
  for (struct thing *at = first; at != NULL; at = at->slots[0])
    at->marked = from->epoch;
  while (*link != NULL) {
    struct thing *thing = *link;
    if (thing->marked != from->epoch) {
      link = &thing->next;
      continue;
    }
    *link = thing->next;
    thing->next = things;
    things = thing;
  }
  return things;
}

void adopt(struct owner *to, struct thing *things)
{
  while (things != NULL) {
    struct thing *next = things->next;
    things->marked = things->seen = 0;
    things->next = to->things;
    to->things = things;
    things = next;
  }
}
