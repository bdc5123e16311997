/* SPDX-License-Identifier: Apache-2.0
 *
 * Builders of strings: bytes in a managed array that doubles. Managed C, stateless.
 */
#include "tiny/lib/library.h"

enum { FIRST_ROOM = 32 };

NATIVE(new_builder)
{
  struct tiny_builder managed *builder = cairn_new(struct tiny_builder);

  builder->kind = builder->shape = TINY_BUILDER;
  return cairn_value_of(builder);
}

static void reserve(value builder_value, long more)
{
  struct tiny_builder managed *builder = tiny_builder_of(builder_value);
  long room = builder->room ? builder->room : FIRST_ROOM;

  if (builder->length + more <= builder->room)
    return;
  while (room < builder->length + more)
    room *= 2;
  char managed *bytes = cairn_new_array_uninit(char, room);
  builder = tiny_builder_of(builder_value);
  if (builder->length > 0)
    cairn_copy(bytes, builder->bytes, (size_t)builder->length);
  builder->bytes = bytes;
  builder->room = room;
}

NATIVE(add)
{
  for (unsigned i = 1; i < count; i++) {
    value text = tiny_text(arguments[i]);
    if (tiny_is_thrown(text))
      return text;
    long length = tiny_string_of(text)->length;
    reserve(arguments[0], length);
    struct tiny_builder managed *builder = tiny_builder_of(arguments[0]);
    if (length > 0)
      cairn_copy(builder->bytes + builder->length, tiny_string_of(text)->bytes, (size_t)length);
    builder->length += length;
  }
  return arguments[0];
}

NATIVE(text)
{
  long length = tiny_builder_of(arguments[0])->length;
  value result = tiny_string_uninit((size_t)length);

  if (!tiny_is_thrown(result) && length > 0)
    cairn_copy(tiny_string_of(result)->bytes, tiny_builder_of(arguments[0])->bytes, (size_t)length);
  return result;
}

NATIVE(clear)
{
  tiny_builder_of(arguments[0])->length = 0;
  return TINY_NIL;
}

void tiny_library_builders(void)
{
  tiny_define_native("builder", 0, 0, new_builder);
  tiny_define_method(TINY_BUILDER, "add", 0, 250, add);
  tiny_define_method(TINY_BUILDER, "text", 0, 0, text);
  tiny_define_method(TINY_BUILDER, "clear", 0, 0, clear);
}
