/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods of arrays; those that call functions are in prelude.tiny. Managed C, stateless.
 */
#include "tiny/lib/library.h"

static long length_of(value array)
{
  return tiny_array_of(array)->length;
}

NATIVE(new_array)
{
  long length;

  if (!tiny_take_integer("array", arguments[0], &length))
    return TINY_THROWN;
  if (length < 0)
    return tiny_throw("array: the length is negative");
  value result = tiny_array_new(length);
  if (tiny_is_thrown(result))
    return result;
  value filling = count > 1 ? arguments[1] : TINY_NIL;
  struct tiny_array managed *array = tiny_array_of(result);
  for (long i = 0; i < length; i++)
    array->items[i] = filling;
  array->length = length;
  return result;
}

NATIVE(push)
{
  return tiny_is_thrown(tiny_array_push(arguments[0], arguments[1])) ? TINY_THROWN : TINY_NIL;
}

NATIVE(pop)
{
  struct tiny_array managed *array = tiny_array_of(arguments[0]);

  if (array->length == 0)
    return tiny_throw("pop: the array is empty");
  value last = array->items[--array->length];
  array->items[array->length] = TINY_NIL;
  return last;
}

/* A new array of the elements from `from` up to `to`, exclusively. */
static value copy(value source, long from, long to)
{
  value result = tiny_array_new(to - from);

  if (tiny_is_thrown(result) || from == to)
    return result;
  cairn_copy(tiny_array_of(result)->items, tiny_array_of(source)->items + from, (size_t)(to - from) * sizeof(value));
  tiny_array_of(result)->length = to - from;
  return result;
}

NATIVE(slice)
{
  long from, to;

  if (!tiny_take_range("slice", arguments + 1, count - 1, length_of(arguments[0]), &from, &to))
    return TINY_THROWN;
  return copy(arguments[0], from, to);
}

NATIVE(concat)
{
  if (!tiny_is(arguments[1], TINY_ARRAY))
    return tiny_expected("concat", "an array", arguments[1]);
  value result = copy(arguments[0], 0, length_of(arguments[0]));
  for (long i = 0; !tiny_is_thrown(result) && i < length_of(arguments[1]); i++)
    if (tiny_is_thrown(tiny_array_push(result, tiny_array_of(arguments[1])->items[i])))
      return TINY_THROWN;
  return result;
}

NATIVE(insert)
{
  long at;

  if (!tiny_take_integer("insert", arguments[1], &at))
    return TINY_THROWN;
  if (at < 0 || at > length_of(arguments[0]))
    return tiny_throw("insert: the index %ld is outside of 0 to %ld", at, length_of(arguments[0]));
  if (tiny_is_thrown(tiny_array_push(arguments[0], TINY_NIL)))
    return TINY_THROWN;
  struct tiny_array managed *array = tiny_array_of(arguments[0]);
  for (long i = array->length - 1; i > at; i--)
    array->items[i] = array->items[i - 1];
  array->items[at] = arguments[2];
  return TINY_NIL;
}

NATIVE(drop)
{
  struct tiny_array managed *array = tiny_array_of(arguments[0]);
  long at;

  if (!tiny_take_integer("remove", arguments[1], &at))
    return TINY_THROWN;
  if (at < 0 || at >= array->length)
    return tiny_throw("remove: the index %ld is outside of 0 to %ld", at, array->length - 1);
  value removed = array->items[at];
  for (long i = at + 1; i < array->length; i++)
    array->items[i - 1] = array->items[i];
  array->items[--array->length] = TINY_NIL;
  return removed;
}

NATIVE(reverse)
{
  struct tiny_array managed *array = tiny_array_of(arguments[0]);

  for (long i = 0, j = array->length - 1; i < j; i++, j--) {
    value moved = array->items[i];
    array->items[i] = array->items[j];
    array->items[j] = moved;
  }
  return TINY_NIL;
}

NATIVE(fill)
{
  for (long i = 0; i < length_of(arguments[0]); i++)
    tiny_array_of(arguments[0])->items[i] = arguments[1];
  return TINY_NIL;
}

NATIVE(find)
{
  for (long i = 0; i < length_of(arguments[0]); i++)
    if (tiny_equal(tiny_array_of(arguments[0])->items[i], arguments[1]))
      return tiny_from_small(i);
  return tiny_from_small(-1);
}

/* ---- join ---- */

NATIVE(join)
{
  value separator = count > 1 ? arguments[1] : tiny_symbol_string(tiny_intern("", 0));
  long length = length_of(arguments[0]), total = 0, at = 0;

  if (!tiny_is(separator, TINY_STRING))
    return tiny_expected("join", "a string", separator);
  value texts = tiny_array_new(length);
  if (tiny_is_thrown(texts))
    return texts;
  for (long i = 0; i < length; i++) {
    value part = tiny_text(tiny_array_of(arguments[0])->items[i]);
    if (tiny_is_thrown(part) || tiny_is_thrown(tiny_array_push(texts, part)))
      return TINY_THROWN;
    total += tiny_string_of(part)->length + (i > 0 ? (long)tiny_string_of(separator)->length : 0);
  }
  value result = tiny_string_uninit((size_t)total);
  if (tiny_is_thrown(result))
    return result;
  for (long i = 0; i < length; i++) {
    struct tiny_string managed *part = tiny_string_of(tiny_array_of(texts)->items[i]);
    struct tiny_string managed *between = tiny_string_of(separator);
    if (i > 0) {
      cairn_copy(tiny_string_of(result)->bytes + at, between->bytes, between->length);
      at += between->length;
    }
    cairn_copy(tiny_string_of(result)->bytes + at, part->bytes, part->length);
    at += part->length;
  }
  return result;
}

/* ---- sort ---- */

/* Negative if a is before b, or 1; 2 after an exception. */
static int compare(value a, value b)
{
  int order;

  if (tiny_is(a, TINY_STRING) && tiny_is(b, TINY_STRING))
    return tiny_strings_compare(b, a) < 0 ? 1 : -1;
  if (tiny_order(a, b, &order))
    return order == 1 ? 1 : -1;
  tiny_throw("sort: %s cannot be compared with %s", tiny_describe(a), tiny_describe(b));
  return 2;
}

/* Merges source[from..middle) and source[middle..to) into the same part of target; false after an exception. */
static bool merge(value managed *source, value managed *target, long from, long middle, long to)
{
  for (long at = from, i = from, j = middle; at < to; at++) {
    int order = i == middle ? 1 : j == to ? -1 : compare(source[i], source[j]);
    if (order == 2)
      return false;
    target[at] = order < 0 ? source[i++] : source[j++];
  }
  return true;
}

/* Merge sort: runs of doubling length, merged in turns between two arrays. The sort is stable. */
NATIVE(sort)
{
  long length = length_of(arguments[0]);
  value other = copy(arguments[0], 0, length);

  if (tiny_is_thrown(other))
    return other;
  value managed *source = tiny_array_of(arguments[0])->items, *target = tiny_array_of(other)->items;
  for (long run = 1; run < length; run *= 2) {
    for (long from = 0; from < length; from += 2 * run) {
      long middle = from + run < length ? from + run : length, to = middle + run < length ? middle + run : length;
      if (!merge(source, target, from, middle, to))
        return TINY_THROWN;
    }
    value managed *swapped = source;
    source = target;
    target = swapped;
  }
  if (length > 0 && source != tiny_array_of(arguments[0])->items)
    cairn_copy(tiny_array_of(arguments[0])->items, source, (size_t)length * sizeof(value));
  return TINY_NIL;
}

void tiny_library_arrays(void)
{
  tiny_define_native("array", 1, 2, new_array);
  tiny_define_method(TINY_ARRAY, "push", 1, 1, push);
  tiny_define_method(TINY_ARRAY, "pop", 0, 0, pop);
  tiny_define_method(TINY_ARRAY, "slice", 0, 2, slice);
  tiny_define_method(TINY_ARRAY, "concat", 1, 1, concat);
  tiny_define_method(TINY_ARRAY, "insert", 2, 2, insert);
  tiny_define_method(TINY_ARRAY, "remove", 1, 1, drop);
  tiny_define_method(TINY_ARRAY, "reverse", 0, 0, reverse);
  tiny_define_method(TINY_ARRAY, "fill", 1, 1, fill);
  tiny_define_method(TINY_ARRAY, "find", 1, 1, find);
  tiny_define_method(TINY_ARRAY, "join", 0, 1, join);
  tiny_define_method(TINY_ARRAY, "sort", 0, 0, sort);
}
