/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays, maps, and access by index. Managed C; the state is in the objects.
 */
#include <math.h>

#include <cairn/weak.h>

#include "tiny/core/object.h"

enum { MAX_ROOM = 1 << 28, FIRST_ROOM = 8 };

/* ---- arrays ---- */

value tiny_array_new(long room)
{
  struct tiny_array managed *array = cairn_new(struct tiny_array);

  array->kind = array->shape = TINY_ARRAY;
  if (room) {
    value managed *items = cairn_new_array(value, room);
    array->items = items;
    array->room = room;
  }
  return cairn_value_of(array);
}

value tiny_array_push(value v, value item)
{
  struct tiny_array managed *array = tiny_array_of(v);

  if (array->length == array->room) {
    long room = array->room ? 2 * array->room : FIRST_ROOM;
    if (room > MAX_ROOM)
      return tiny_throw("the array is too long");
    value managed *items = cairn_resize_array(array->items, room);
    array = tiny_array_of(v);
    array->items = items;
    array->room = room;
  }
  array->items[array->length++] = item;
  return item;
}

/* ---- keys of maps ---- */

/* A float that is an integer is the same key as the integer. */
static value normalise(value key)
{
  double number;

  if (tiny_is_integer(key) || tiny_is(key, TINY_STRING) || !tiny_number(key, &number))
    return key;
  bool is_integer = number == floor(number) && number >= (double)TINY_INTEGER_MIN && number < -(double)TINY_INTEGER_MIN;
  return is_integer ? tiny_from_small((long)number) : key;
}

static uint32_t hash_word(uint64_t word)
{
  word *= 0x9e3779b97f4a7c15u;
  return (uint32_t)(word >> 32);
}

static uint32_t hash_of(value key)
{
  double number;

  if (tiny_is(key, TINY_STRING))
    return tiny_string_hash(key);
  if (tiny_is_immediate(key))
    return hash_word((uint64_t)cairn_value_integer(key));
  if (!key)
    return 0;
  if (tiny_number(key, &number))
    return hash_word(tiny_float_word(number));
  return hash_word(cairn_identity_hash(cairn_value_object(struct tiny_object, key)));
}

/* ---- maps ---- */

value tiny_map_new(void)
{
  struct tiny_map managed *map = cairn_new(struct tiny_map);

  map->kind = map->shape = TINY_MAP;
  return cairn_value_of(map);
}

/* The index's element that has the key, or that the key would get. The map has room. */
static long place_of(struct tiny_map managed *map, value key)
{
  long mask = 2 * map->room - 1, at = hash_of(key) & mask;

  for (;; at = (at + 1) & mask) {
    int32_t entry = map->index[at];
    if (!entry)
      return at;
    value other = map->entries[entry - 1].key;
    if (other == key || (other != TINY_HOLE && tiny_equal(other, key)))
      return at;
  }
}

/* Gives the map room for more entries, or drops the removed ones. */
static value rebuild(value v)
{
  long room = tiny_map_of(v)->room, length = tiny_map_of(v)->length;

  room = !room ? FIRST_ROOM : length > room / 2 ? 2 * room : room;
  if (room > MAX_ROOM)
    return tiny_throw("the map is too large");
  struct tiny_entry managed *entries = cairn_new_array(struct tiny_entry, room);
  int32_t managed *index = cairn_new_array(int32_t, 2 * room);
  struct tiny_map managed *map = tiny_map_of(v);
  struct tiny_entry managed *old = map->entries;
  long used = map->used, kept = 0;

  map->entries = entries;
  map->index = index;
  map->room = room;
  map->used = map->length;
  for (long i = 0; i < used; i++) {
    if (old[i].key == TINY_HOLE)
      continue;
    entries[kept] = old[i];
    index[place_of(map, old[i].key)] = (int32_t)++kept;
  }
  return v;
}

/* The number of the key's entry, from 1, or 0. */
static int32_t find_entry(value v, value key)
{
  struct tiny_map managed *map = tiny_map_of(v);

  return map->length ? map->index[place_of(map, normalise(key))] : 0;
}

value tiny_map_get(value v, value key)
{
  int32_t entry = find_entry(v, key);

  return entry ? tiny_map_of(v)->entries[entry - 1].value : TINY_HOLE;
}

value tiny_map_set(value v, value key, value item)
{
  key = normalise(key);
  if (tiny_map_of(v)->used == tiny_map_of(v)->room && tiny_map_get(v, key) == TINY_HOLE && tiny_is_thrown(rebuild(v)))
    return TINY_THROWN;
  struct tiny_map managed *map = tiny_map_of(v);
  long at = place_of(map, key);
  if (!map->index[at]) {
    map->entries[map->used].key = key;
    map->index[at] = (int32_t)++map->used;
    map->length++;
  }
  map->entries[map->index[at] - 1].value = item;
  return item;
}

bool tiny_map_remove(value v, value key)
{
  struct tiny_map managed *map = tiny_map_of(v);
  int32_t entry = find_entry(v, key);

  if (!entry)
    return false;
  map->entries[entry - 1].key = TINY_HOLE;
  map->entries[entry - 1].value = TINY_NIL;
  map->length--;
  return true;
}

/* ---- iteration ---- */

bool tiny_each(value collection, long *position, value *key, value *item)
{
  long at = *position;

  if (at < 0)
    return false;
  if (tiny_is(collection, TINY_STRING)) {
    if (at >= tiny_string_of(collection)->length)
      return false;
    *key = tiny_from_small(at);
    *item = tiny_byte_string((uint8_t)tiny_string_of(collection)->bytes[at]);
  } else if (tiny_is(collection, TINY_MAP)) {
    struct tiny_map managed *map = tiny_map_of(collection);
    while (at < map->used && map->entries[at].key == TINY_HOLE)
      at++;
    if (at >= map->used)
      return false;
    *key = map->entries[at].key;
    *item = map->entries[at].value;
  } else {
    return false;
  }
  *position = at + 1;
  return true;
}

/* ---- access by index ---- */

static value bad_index(value object, value index, long length)
{
  if (!tiny_is_integer(index))
    return tiny_throw("the index of %s must be an integer, not %s", tiny_describe(object), tiny_describe(index));
  return tiny_throw("the index %ld is out of range: the length is %ld", tiny_integer(index), length);
}

static bool in_range(value index, long length)
{
  return tiny_is_integer(index) && tiny_integer(index) >= 0 && tiny_integer(index) < length;
}

value tiny_get_index(value object, value index)
{
  switch (tiny_kind(object)) {
  case TINY_ARRAY:
    if (!in_range(index, tiny_array_of(object)->length))
      return bad_index(object, index, tiny_array_of(object)->length);
    return tiny_array_of(object)->items[tiny_integer(index)];
  case TINY_STRING:
    if (!in_range(index, tiny_string_of(object)->length))
      return bad_index(object, index, tiny_string_of(object)->length);
    return tiny_byte_string((uint8_t)tiny_string_of(object)->bytes[tiny_integer(index)]);
  case TINY_MAP: {
    value found = tiny_map_get(object, index);
    return found == TINY_HOLE ? TINY_NIL : found;
  }
  default:
    return tiny_throw("%s has no elements", tiny_describe(object));
  }
}

value tiny_set_index(value object, value index, value item)
{
  if (tiny_is(object, TINY_MAP))
    return tiny_map_set(object, index, item);
  if (!tiny_is(object, TINY_ARRAY))
    return tiny_throw("elements of %s cannot be set", tiny_describe(object));
  if (!in_range(index, tiny_array_of(object)->length))
    return bad_index(object, index, tiny_array_of(object)->length);
  tiny_array_of(object)->items[tiny_integer(index)] = item;
  return item;
}
