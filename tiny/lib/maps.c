/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods of maps. Managed C, stateless.
 */
#include "tiny/lib/library.h"

NATIVE(new_map)
{
  return tiny_map_new();
}

NATIVE(has)
{
  return tiny_from_bool(tiny_map_get(arguments[0], arguments[1]) != TINY_HOLE);
}

NATIVE(get)
{
  value found = tiny_map_get(arguments[0], arguments[1]);

  return found == TINY_HOLE ? arguments[2] : found;
}

NATIVE(drop)
{
  return tiny_from_bool(tiny_map_remove(arguments[0], arguments[1]));
}

NATIVE(clear)
{
  struct tiny_map managed *map = tiny_map_of(arguments[0]);

  map->used = map->length = map->room = 0;
  map->entries = NULL;
  map->index = NULL;
  return TINY_NIL;
}

/* The keys, or the values, in the order of their insertion. */
static value list(value map_value, bool is_keys)
{
  value result = tiny_array_new(tiny_map_of(map_value)->length);

  if (tiny_is_thrown(result))
    return result;
  for (long i = 0; i < tiny_map_of(map_value)->used; i++) {
    struct tiny_entry managed *entry = &tiny_map_of(map_value)->entries[i];
    if (entry->key != TINY_HOLE && tiny_is_thrown(tiny_array_push(result, is_keys ? entry->key : entry->value)))
      return TINY_THROWN;
  }
  return result;
}

NATIVE(keys)
{
  return list(arguments[0], true);
}

NATIVE(values)
{
  return list(arguments[0], false);
}

void tiny_library_maps(void)
{
  tiny_define_native("map", 0, 0, new_map);
  tiny_define_method(TINY_MAP, "has", 1, 1, has);
  tiny_define_method(TINY_MAP, "get", 2, 2, get);
  tiny_define_method(TINY_MAP, "remove", 1, 1, drop);
  tiny_define_method(TINY_MAP, "clear", 0, 0, clear);
  tiny_define_method(TINY_MAP, "keys", 0, 0, keys);
  tiny_define_method(TINY_MAP, "values", 0, 0, values);
}
