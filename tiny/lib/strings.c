/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods of strings. Positions and lengths count bytes; chars() and codes() decode UTF-8. Managed C, stateless.
 */
#include "tiny/front/syntax.h"
#include "tiny/lib/library.h"

enum { CODE_LIMIT = 0x110000, LONGEST_CODE = 4 };

static long length_of(value string)
{
  return tiny_string_of(string)->length;
}

static bool take_string(const char *name, value v)
{
  if (tiny_is(v, TINY_STRING))
    return true;
  tiny_expected(name, "a string", v);
  return false;
}

static value part(value string, long from, long to)
{
  if (from == 0 && to == length_of(string))
    return string;
  value result = tiny_string_uninit((size_t)(to - from));
  if (!tiny_is_thrown(result) && from < to)
    cairn_copy(tiny_string_of(result)->bytes, tiny_string_of(string)->bytes + from, (size_t)(to - from));
  return result;
}

/* True if the bytes of `wanted` stand at `at`, where there is room for them. */
static bool is_at(value string, long at, value wanted)
{
  const char managed *bytes = tiny_string_of(string)->bytes + at, *other = tiny_string_of(wanted)->bytes;
  long length = length_of(wanted);

  for (long i = 0; i < length; i++)
    if (bytes[i] != other[i])
      return false;
  return true;
}

/* The first position of `wanted` from `from` on, or -1. */
static long position(value string, value wanted, long from)
{
  long last = length_of(string) - length_of(wanted);

  if (length_of(wanted) == 0)
    return from <= last ? from : -1;
  char first = tiny_string_of(wanted)->bytes[0];
  const char managed *bytes = tiny_string_of(string)->bytes;
  for (long at = from; at <= last; at++)
    if (bytes[at] == first && is_at(string, at, wanted))
      return at;
  return -1;
}

NATIVE(byte)
{
  long at;

  if (!tiny_take_integer("byte", arguments[1], &at))
    return TINY_THROWN;
  if (at < 0 || at >= length_of(arguments[0]))
    return tiny_throw("byte: the index %ld is outside of 0 to %ld", at, length_of(arguments[0]) - 1);
  return tiny_from_small((unsigned char)tiny_string_of(arguments[0])->bytes[at]);
}

NATIVE(slice)
{
  long from, to;

  if (!tiny_take_range("slice", arguments + 1, count - 1, length_of(arguments[0]), &from, &to))
    return TINY_THROWN;
  return part(arguments[0], from, to);
}

NATIVE(find)
{
  long from, to;

  if (!take_string("find", arguments[1]) ||
      !tiny_take_range("find", arguments + 2, count - 2, length_of(arguments[0]), &from, &to))
    return TINY_THROWN;
  return tiny_from_small(position(arguments[0], arguments[1], from));
}

NATIVE(starts)
{
  if (!take_string("starts", arguments[1]))
    return TINY_THROWN;
  return tiny_from_bool(length_of(arguments[1]) <= length_of(arguments[0]) && is_at(arguments[0], 0, arguments[1]));
}

NATIVE(ends)
{
  if (!take_string("ends", arguments[1]))
    return TINY_THROWN;
  long at = length_of(arguments[0]) - length_of(arguments[1]);
  return tiny_from_bool(at >= 0 && is_at(arguments[0], at, arguments[1]));
}

/* ---- pieces ---- */

NATIVE(split)
{
  long from = 0, length = length_of(arguments[0]);
  value result = tiny_array_new(0);

  if (tiny_is_thrown(result) || !take_string("split", arguments[1]))
    return TINY_THROWN;
  if (length_of(arguments[1]) == 0)
    return tiny_throw("split: the separator is empty");
  for (bool is_last = false; !is_last;) {
    long at = position(arguments[0], arguments[1], from);
    is_last = at < 0;
    value piece = part(arguments[0], from, is_last ? length : at);
    if (tiny_is_thrown(piece) || tiny_is_thrown(tiny_array_push(result, piece)))
      return TINY_THROWN;
    from = at + length_of(arguments[1]);
  }
  return result;
}

NATIVE(repeat)
{
  long times, length = length_of(arguments[0]), total;

  if (!tiny_take_integer("repeat", arguments[1], &times))
    return TINY_THROWN;
  if (times < 0 || __builtin_mul_overflow(times, length, &total))
    return tiny_throw("repeat: cannot repeat %ld times", times);
  value result = tiny_string_uninit((size_t)total);
  if (tiny_is_thrown(result))
    return result;
  char managed *bytes = tiny_string_of(result)->bytes;
  const char managed *source = tiny_string_of(arguments[0])->bytes;
  for (long at = 0; at < total; at += length)
    for (long i = 0; i < length; i++)
      bytes[at + i] = source[i];
  return result;
}

/* ---- letters ---- */

static value changed_case(value string, char first, char last)
{
  long length = length_of(string);
  value result = tiny_string_uninit((size_t)length);

  if (tiny_is_thrown(result))
    return result;
  for (long i = 0; i < length; i++) {
    char c = tiny_string_of(string)->bytes[i];
    tiny_string_of(result)->bytes[i] = c >= first && c <= last ? (char)(c ^ 32) : c;
  }
  return result;
}

NATIVE(upper)
{
  return changed_case(arguments[0], 'a', 'z');
}

NATIVE(lower)
{
  return changed_case(arguments[0], 'A', 'Z');
}

static bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

NATIVE(trim)
{
  const char managed *bytes = tiny_string_of(arguments[0])->bytes;
  long from = 0, to = length_of(arguments[0]);

  while (from < to && is_space(bytes[from]))
    from++;
  while (to > from && is_space(bytes[to - 1]))
    to--;
  return part(arguments[0], from, to);
}

/* ---- UTF-8 ---- */

/* The bytes of the character at `at`, and its code. An invalid byte counts as one character. */
static long decode(value string, long at, long *code)
{
  unsigned char bytes[LONGEST_CODE] = {0};
  long left = length_of(string) - at;

  cairn_copy_out((char *)bytes, tiny_string_of(string)->bytes + at,
                 (size_t)(left < LONGEST_CODE ? left : LONGEST_CODE));
  long length = (long)tiny_utf8_bytes(bytes, (size_t)left);
  if (length < 2) {
    *code = bytes[0];
    return 1;
  }
  *code = bytes[0] & (0x7f >> length);
  for (long i = 1; i < length; i++)
    *code = *code << 6 | (bytes[i] & 0x3f);
  return length;
}

NATIVE(chars)
{
  value result = tiny_array_new(0);
  long code;

  for (long at = 0, length; at < length_of(arguments[0]) && !tiny_is_thrown(result); at += length) {
    length = decode(arguments[0], at, &code);
    value piece = part(arguments[0], at, at + length);
    if (tiny_is_thrown(piece) || tiny_is_thrown(tiny_array_push(result, piece)))
      return TINY_THROWN;
  }
  return result;
}

NATIVE(codes)
{
  value result = tiny_array_new(0);
  long code;

  for (long at = 0; at < length_of(arguments[0]) && !tiny_is_thrown(result);) {
    at += decode(arguments[0], at, &code);
    if (tiny_is_thrown(tiny_array_push(result, tiny_from_small(code))))
      return TINY_THROWN;
  }
  return result;
}

NATIVE(character)
{
  char bytes[LONGEST_CODE];
  long code;

  if (!tiny_take_integer("char", arguments[0], &code))
    return TINY_THROWN;
  if (code < 0 || code >= CODE_LIMIT || (code >= 0xd800 && code < 0xe000))
    return tiny_throw("char: %ld is no code of a character", code);
  return tiny_string(bytes, tiny_put_utf8(bytes, (uint32_t)code));
}

void tiny_library_strings(void)
{
  tiny_define_native("char", 1, 1, character);
  tiny_define_method(TINY_STRING, "byte", 1, 1, byte);
  tiny_define_method(TINY_STRING, "slice", 0, 2, slice);
  tiny_define_method(TINY_STRING, "find", 1, 2, find);
  tiny_define_method(TINY_STRING, "starts", 1, 1, starts);
  tiny_define_method(TINY_STRING, "ends", 1, 1, ends);
  tiny_define_method(TINY_STRING, "split", 1, 1, split);
  tiny_define_method(TINY_STRING, "repeat", 1, 1, repeat);
  tiny_define_method(TINY_STRING, "upper", 0, 0, upper);
  tiny_define_method(TINY_STRING, "lower", 0, 0, lower);
  tiny_define_method(TINY_STRING, "trim", 0, 0, trim);
  tiny_define_method(TINY_STRING, "chars", 0, 0, chars);
  tiny_define_method(TINY_STRING, "codes", 0, 0, codes);
}
