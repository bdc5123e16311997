/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties, instances and classes; inline caches of sites. Managed C; thread-local state.
 */
#include "tiny/core/object.h"

static _Thread_local uint32_t methods_room; /* of tiny_methods */

/* ---- inline caches ---- */

static void note(uint32_t *site, uint32_t shape, uint32_t place, uint32_t next)
{
  if (!site || site[0] > TINY_SITE_ENTRIES)
    return;
  uint32_t *entry = site + 1 + 3 * site[0];
  if (site[0]++ == TINY_SITE_ENTRIES)
    return; /* megamorphic: the entries stay */
  entry[1] = place;
  entry[2] = next;
  entry[0] = shape;
}

static const uint32_t *find_entry(const uint32_t *site, uint32_t shape)
{
  for (unsigned i = 0; i < TINY_SITE_ENTRIES; i++)
    if (site[1 + 3 * i] == shape)
      return &site[1 + 3 * i];
  return NULL;
}

/* Answers that sites forget: direct-mapped, by shape and name. */
enum { CACHE_ROWS = 1024 };
static _Thread_local struct cache_row {
  uint32_t shape, symbol, place;
} cache[CACHE_ROWS];

static uint32_t look_up(uint32_t shape, uint32_t symbol)
{
  struct cache_row *row = &cache[(shape * 31 + symbol) % CACHE_ROWS];
  uint32_t place;

  if (row->shape == shape && row->symbol == symbol)
    return row->place;
  if (!tiny_shape_find(tiny_tables, shape, symbol, &place))
    return TINY_PLACE_NONE;
  *row = (struct cache_row){shape, symbol, place};
  return place;
}

static bool has_length(value object)
{
  return tiny_is(object, TINY_STRING) || tiny_is(object, TINY_ARRAY) || tiny_is(object, TINY_MAP) ||
         tiny_is(object, TINY_BUILDER);
}

uint32_t tiny_find_place(value object, uint32_t symbol, uint32_t *site)
{
  uint32_t shape = tiny_shape_of(object), place;
  const uint32_t *entry = site && shape ? find_entry(site, shape) : NULL;

  if (entry)
    return entry[1];
  if (!shape)
    return TINY_PLACE_NONE;
  if (symbol == tiny_symbol_length && has_length(object))
    place = tiny_place_make(TINY_PLACE_LENGTH, 0);
  else
    place = look_up(shape, symbol);
  if (place != TINY_PLACE_NONE)
    note(site, shape, place, 0);
  return place;
}

/* ---- properties ---- */

static long length_of(value object)
{
  switch (tiny_kind(object)) {
  case TINY_STRING:
    return tiny_string_of(object)->length;
  case TINY_ARRAY:
    return tiny_array_of(object)->length;
  case TINY_MAP:
    return tiny_map_of(object)->length;
  default:
    return tiny_builder_of(object)->length;
  }
}

value tiny_get_place(value object, uint32_t place, uint32_t symbol)
{
  uint32_t number = tiny_place_number(place);

  if (place == TINY_PLACE_NONE) {
    const char *name = tiny_symbol_at(symbol)->bytes;
    return tiny_throw("%s has no property '%s'", tiny_describe(object), name);
  }
  switch (tiny_place_kind(place)) {
  case TINY_PLACE_SLOT:
    return tiny_instance_of(object)->slots[number];
  case TINY_PLACE_MORE:
    return tiny_instance_of(object)->more[number];
  case TINY_PLACE_LENGTH:
    return tiny_from_small(length_of(object));
  default: {
    struct tiny_bound managed *bound = cairn_new(struct tiny_bound);
    bound->kind = bound->shape = TINY_BOUND;
    bound->receiver = object;
    bound->method = tiny_methods[number];
    return cairn_value_of(bound);
  }
  }
}

value tiny_get_field_at(value object, uint32_t symbol, uint32_t *site)
{
  return tiny_get_place(object, tiny_find_place(object, symbol, site), symbol);
}

value tiny_get_field(value object, uint32_t symbol)
{
  return tiny_get_field_at(object, symbol, NULL);
}

/* The array `more` has room for a power of two of elements, at least 4; `number` is the next element. */
static void set_more(value object, uint32_t number, value v)
{
  if (number == 0 || (number >= 4 && (number & (number - 1)) == 0)) {
    value managed *old = tiny_instance_of(object)->more;
    value managed *more = cairn_new_array(value, number ? 2 * number : 4);
    for (uint32_t i = 0; i < number; i++)
      more[i] = old[i];
    tiny_instance_of(object)->more = more;
  }
  tiny_instance_of(object)->more[number] = v;
}

static void add_property(value object, uint32_t place, uint32_t next, value v)
{
  if (tiny_place_kind(place) == TINY_PLACE_MORE)
    set_more(object, tiny_place_number(place), v);
  else
    tiny_instance_of(object)->slots[tiny_place_number(place)] = v;
  tiny_instance_of(object)->shape = next;
}

static void set_property(value object, uint32_t place, value v)
{
  if (tiny_place_kind(place) == TINY_PLACE_MORE)
    tiny_instance_of(object)->more[tiny_place_number(place)] = v;
  else
    tiny_instance_of(object)->slots[tiny_place_number(place)] = v;
}

value tiny_set_field_at(value object, uint32_t symbol, value v, uint32_t *site)
{
  if (!tiny_is(object, TINY_INSTANCE))
    return tiny_throw("properties of %s cannot be set", tiny_describe(object));
  uint32_t shape = tiny_shape_of(object), place;
  const uint32_t *entry = site ? find_entry(site, shape) : NULL;
  if (entry && entry[2]) {
    add_property(object, entry[1], entry[2], v);
    return v;
  }
  place = entry ? entry[1] : look_up(shape, symbol);
  if (place != TINY_PLACE_NONE && tiny_place_kind(place) != TINY_PLACE_METHOD) {
    if (!entry)
      note(site, shape, place, 0);
    set_property(object, place, v);
    return v;
  }
  uint32_t next = tiny_shape_with(shape, symbol);
  const struct tiny_shape *row = tiny_shape_at(tiny_tables, next);
  place = tiny_shape_place(row, row->slots - 1);
  note(site, shape, place, next);
  add_property(object, place, next, v);
  return v;
}

value tiny_set_field(value object, uint32_t symbol, value v)
{
  return tiny_set_field_at(object, symbol, v, NULL);
}

void tiny_fields_end(void)
{
  methods_room = 0;
  memset(cache, 0, sizeof cache);
}

/* ---- instances and classes ---- */

value tiny_instance_new(uint32_t shape)
{
  struct tiny_instance managed *object =
      cairn_new_flex(struct tiny_instance, tiny_shape_at(tiny_tables, shape)->inline_slots, slots);

  object->kind = TINY_INSTANCE;
  object->shape = shape;
  return cairn_value_of(object);
}

value tiny_class_make(uint32_t name, value super, uint32_t inline_slots)
{
  struct tiny_class managed *class = cairn_new(struct tiny_class);

  class->kind = class->shape = TINY_CLASS;
  class->number = tiny_class_add(name, super ? tiny_class_of(super)->number : 0, inline_slots);
  return cairn_value_of(class);
}

/* The array of methods has room for more, so that a definition seldom copies it. */
void tiny_store_method(uint32_t number, value method)
{
  struct tiny_method_row *row = tiny_table_at(&tiny_tables->methods, number);

  if (number >= methods_room) {
    methods_room = 2 * number + 256;
    tiny_methods = cairn_resize_array(tiny_methods, methods_room);
  }
  tiny_methods[number] = method;
  row->target = tiny_is(method, TINY_NATIVE)
                    ? tiny_target_make(TINY_TARGET_NATIVE, tiny_native_of(method)->number)
                    : tiny_target_make(TINY_TARGET_FUNCTION, tiny_closure_of(method)->function->number);
}

value tiny_class_method(value class, uint32_t symbol, value method)
{
  if (!tiny_is(class, TINY_CLASS) || !tiny_is(method, TINY_CLOSURE))
    return tiny_throw("the byte code is broken");
  tiny_store_method(tiny_class_add_method(tiny_class_of(class)->number, symbol), method);
  return class;
}

void tiny_extend_kind(enum tiny_kind kind, value class)
{
  const struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(class)->number);

  for (uint32_t i = 0; i < row->method_count; i++)
    tiny_store_method(tiny_class_add_method(kind, row->methods[i].symbol), tiny_methods[row->methods[i].number]);
}
