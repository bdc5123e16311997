/* SPDX-License-Identifier: Apache-2.0
 *
 * The library of tiny as a whole: its names, and the checks of arguments that its files share. Managed C; each thread
 * defines the names in its own program.
 */
#include "tiny/lib/library.h"

value tiny_expected(const char *name, const char *expected, value got)
{
  return tiny_throw("%s: expected %s, not %s", name, expected, tiny_describe(got));
}

const char *tiny_type_name(value v)
{
  const char *text = tiny_describe(v), *space = strchr(text, ' ');

  return space ? space + 1 : text;
}

bool tiny_is_number(value v)
{
  double number;

  return tiny_number(v, &number);
}

double tiny_as_float(value v)
{
  double number = 0;

  tiny_number(v, &number);
  return number;
}

bool tiny_take_integer(const char *name, value v, long *integer)
{
  if (!tiny_is_integer(v)) {
    tiny_expected(name, "an integer", v);
    return false;
  }
  *integer = tiny_integer(v);
  return true;
}

bool tiny_take_float(const char *name, value v, double *number)
{
  if (!tiny_is_number(v)) {
    tiny_expected(name, "a number", v);
    return false;
  }
  *number = tiny_as_float(v);
  return true;
}

static long clamp(long number, long length)
{
  return number < 0 ? 0 : number > length ? length : number;
}

bool tiny_take_range(const char *name, value *arguments, unsigned count, long length, long *from, long *to)
{
  *from = 0;
  *to = length;
  if (count > 0 && !tiny_take_integer(name, arguments[0], from))
    return false;
  if (count > 1 && !tiny_take_integer(name, arguments[1], to))
    return false;
  *from = clamp(*from, length);
  *to = clamp(*to, length);
  if (*to < *from)
    *to = *from;
  return true;
}

static bool define_arguments(int count, char *const *words)
{
  value array = tiny_array_new(count);

  for (int i = 0; i < count; i++) {
    value word = tiny_string(words[i], strlen(words[i]));
    if (tiny_is_thrown(word) || tiny_is_thrown(tiny_array_push(array, word)))
      return false;
  }
  tiny_define_value("args", array);
  return true;
}

/* Gives objects of a kind the methods of a class of prelude.tiny. */
static void extend(enum tiny_kind kind, const char *class)
{
  tiny_extend_kind(kind, tiny_globals[tiny_hash_find(&tiny_tables->names, tiny_intern(class, strlen(class))) - 1]);
}

static bool run_prelude(void)
{
  const struct tiny_library_source *source = tiny_library_sources;

  while (strcmp(source->name, "prelude") != 0)
    source++;
  if (tiny_is_thrown(tiny_run(source->name, source->text, source->length, 0)))
    return false;
  extend(TINY_STRING, "StringMethods");
  extend(TINY_ARRAY, "ArrayMethods");
  return true;
}

bool tiny_library(int count, char *const *words)
{
  tiny_library_core();
  tiny_library_math();
  tiny_library_strings();
  tiny_library_builders();
  tiny_library_arrays();
  tiny_library_maps();
  tiny_library_files();
  return define_arguments(count, words) && run_prelude();
}
