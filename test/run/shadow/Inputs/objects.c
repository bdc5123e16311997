/* SPDX-License-Identifier: Apache-2.0
 *
 * The forms of objects: making them, their references by number, their data.
 */
#include "shadow.h"

ref make_node(const struct thing *thing)
{
  struct node managed *node = cairn_new(struct node);

  node->number = thing->number;
  return (ref)node;
}

static ref make_mixed(const struct thing *thing)
{
  struct mixed managed *mixed = cairn_new(struct mixed);

  mixed->number = thing->number;
  mixed->first.letter = mixed->parts[0].letter = mixed->parts[1].letter = (char)thing->number;
  return (ref)mixed;
}

static ref make_flex(const struct thing *thing)
{
  struct flex managed *flex = cairn_new_flex(struct flex, thing->count, slots);

  flex->number = thing->number;
  flex->count = thing->count;
  return (ref)flex;
}

static ref make_text(const struct thing *thing)
{
  struct text managed *text = cairn_new_flex(struct text, thing->count, bytes);

  text->number = thing->number;
  for (long i = 0; i < thing->count; i++)
    text->bytes[i] = (char)(thing->number + i);
  return (ref)text;
}

static ref make_items(const struct thing *thing)
{
  struct item managed *items = cairn_new_array(struct item, thing->count);

  for (long i = 0; i < thing->count; i++) {
    items[i].value = value_of(thing, i);
    items[i].letters[2] = (char)i;
  }
  return (ref)items;
}

static ref make_longs(const struct thing *thing)
{
  long managed *longs = cairn_new_array_uninit(long, thing->count);

  for (long i = 0; i < thing->count; i++)
    longs[i] = value_of(thing, i);
  return (ref)longs;
}

ref make_object(const struct thing *thing)
{
  switch (thing->kind) {
  case NODE:
    return make_node(thing);
  case MIXED:
    return make_mixed(thing);
  case FLEX:
    return make_flex(thing);
  case TEXT:
    return make_text(thing);
  case ITEMS:
    return make_items(thing);
  case REFS:
    return (ref)cairn_new_array(ref, thing->count);
  default:
    return make_longs(thing);
  }
}

struct part managed *part_of(ref object, long i)
{
  struct mixed managed *mixed = (struct mixed managed *)object;

  return i == 0 ? &mixed->first : &mixed->parts[i - 1];
}

ref load(ref object, enum kind kind, long i)
{
  switch (kind) {
  case NODE:
    return ((struct node managed *)object)->slots[i];
  case MIXED:
    return i % 2 ? part_of(object, i / 2)->other : part_of(object, i / 2)->one;
  case FLEX:
    return ((struct flex managed *)object)->slots[i];
  case TEXT:
    return ((struct text managed *)object)->owner;
  case ITEMS:
    return i % 2 ? ((struct item managed *)object)[i / 2].other : ((struct item managed *)object)[i / 2].one;
  default:
    return ((ref managed *)object)[i];
  }
}

void store(ref object, enum kind kind, long i, ref value)
{
  if (kind == NODE)
    ((struct node managed *)object)->slots[i] = value;
  else if (kind == MIXED && i % 2)
    part_of(object, i / 2)->other = value;
  else if (kind == MIXED)
    part_of(object, i / 2)->one = value;
  else if (kind == FLEX)
    ((struct flex managed *)object)->slots[i] = value;
  else if (kind == TEXT)
    ((struct text managed *)object)->owner = value;
  else if (kind == ITEMS && i % 2)
    ((struct item managed *)object)[i / 2].other = value;
  else if (kind == ITEMS)
    ((struct item managed *)object)[i / 2].one = value;
  else
    ((ref managed *)object)[i] = value;
}

long number_of(ref object, enum kind kind)
{
  return kind == MIXED ? ((struct mixed managed *)object)->number : object->number;
}

int has_number(enum kind kind)
{
  return kind == NODE || kind == MIXED || kind == FLEX || kind == TEXT;
}

void look_at_data(struct owner *me, ref object, const struct thing *thing)
{
  watch_hash_is(me, object, thing);
  switch (thing->kind) {
  case MIXED:
    for (long i = 0; i < 3; i++)
      if (part_of(object, i)->letter != (char)thing->number)
        wrong(me, "a letter", thing);
    return;
  case FLEX:
    if (((struct flex managed *)object)->count != thing->count)
      wrong(me, "the count", thing);
    return;
  case TEXT:
    for (long i = 0; i < thing->count; i++)
      if (((struct text managed *)object)->bytes[i] != (char)(thing->number + i))
        wrong(me, "a byte", thing);
    return;
  case ITEMS:
    for (long i = 0; i < thing->count; i++)
      if (((struct item managed *)object)[i].value != value_of(thing, i) ||
          ((struct item managed *)object)[i].letters[2] != (char)i)
        wrong(me, "a struct in an array", thing);
    return;
  case LONGS:
    for (long i = 0; i < thing->count; i++)
      if (((long managed *)object)[i] != value_of(thing, i))
        wrong(me, "an element", thing);
    return;
  default:
    return;
  }
}

void look_at(struct owner *me, ref object, const struct thing *thing)
{
  if ((object == NULL) != (thing == NULL))
    wrong(me, object ? "a reference in place of null" : "null", thing);
  if (thing == NULL)
    return;
  if (has_number(thing->kind) && number_of(object, thing->kind) != thing->number)
    wrong(me, "another object", thing);
}
