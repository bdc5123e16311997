/* SPDX-License-Identifier: Apache-2.0
 *
 * Output, types, conversions, time and the end of the program. Managed C, stateless.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "tiny/lib/library.h"

enum { NUMBER_TEXT = 512 }; /* bytes for a float of 309 digits with 100 decimals */

NATIVE(print)
{
  return tiny_print(arguments, count, " ", "\n");
}

NATIVE(write_values)
{
  return tiny_print(arguments, count, "", "");
}

NATIVE(type)
{
  const char *name = tiny_type_name(arguments[0]);

  return tiny_symbol_string(tiny_intern(name, strlen(name)));
}

NATIVE(text)
{
  return tiny_text(arguments[0]);
}

/* ---- numbers ---- */

/* The digits from `at` on as an integer of the base; false if it is too large, or a character is no digit. */
static bool read_integer(const char *at, const char *end, int base, bool is_negative, long *integer)
{
  unsigned long limit = is_negative ? (unsigned long)TINY_INTEGER_MAX + 1 : (unsigned long)TINY_INTEGER_MAX, sum = 0;

  if (at == end)
    return false;
  for (; at < end; at++) {
    int c = (unsigned char)*at | 32;
    unsigned long digit = c >= '0' && c <= '9' ? (unsigned long)(c - '0')
                          : c >= 'a'           ? (unsigned long)(c - 'a') + 10
                                               : 99;
    if (digit >= (unsigned long)base || sum > (limit - digit) / (unsigned long)base)
      return false;
    sum = sum * (unsigned long)base + digit;
  }
  *integer = is_negative ? (long)-sum : (long)sum;
  return true;
}

/* The number that the whole text is, or nil: an integer, decimal or after 0x, or a float. */
static value read_number(const char *bytes, size_t length)
{
  const char *end = bytes + length, *digits = bytes;
  bool is_negative = length > 0 && *bytes == '-', is_hex;
  long integer;
  char *stop;

  if (length > 0 && (*bytes == '-' || *bytes == '+'))
    digits++;
  is_hex = end - digits > 2 && digits[0] == '0' && (digits[1] | 32) == 'x';
  if (read_integer(is_hex ? digits + 2 : digits, end, is_hex ? 16 : 10, is_negative, &integer))
    return tiny_from_small(integer);
  /* strtod() takes spaces and words, too. */
  for (const char *at = digits; at < end; at++)
    if (!((*at >= '0' && *at <= '9') || (at > digits && ((*at | 32) == 'e' || *at == '-' || *at == '+')) || *at == '.'))
      return TINY_NIL;
  double number = strtod(bytes, &stop);
  return digits < end && stop == end ? tiny_from_float(number) : TINY_NIL;
}

NATIVE(number)
{
  if (tiny_is_number(arguments[0]))
    return arguments[0];
  if (!tiny_is(arguments[0], TINY_STRING))
    return tiny_expected("number", "a string or a number", arguments[0]);
  size_t length = tiny_string_of(arguments[0])->length;
  char *copy = tiny_copy_text(arguments[0]);
  value result = read_number(copy, length);
  free(copy);
  return result;
}

NATIVE(to_integer)
{
  double number;

  if (tiny_is_integer(arguments[0]))
    return arguments[0];
  if (!tiny_take_float("int", arguments[0], &number))
    return TINY_THROWN;
  if (!(fabs(number) < (double)TINY_INTEGER_MAX))
    return tiny_throw("int: the number is too large for an integer");
  return tiny_from_small((long)number);
}

NATIVE(to_float)
{
  double number;

  return tiny_take_float("float", arguments[0], &number) ? tiny_from_float(number) : TINY_THROWN;
}

NATIVE(fixed)
{
  char buffer[NUMBER_TEXT];
  double number;
  long digits;

  if (!tiny_take_float("fixed", arguments[0], &number) || !tiny_take_integer("fixed", arguments[1], &digits))
    return TINY_THROWN;
  if (digits < 0 || digits > 100)
    return tiny_throw("fixed: expected 0 to 100 digits");
  int length = snprintf(buffer, sizeof buffer, "%.*f", (int)digits, number);
  return tiny_string(buffer, (size_t)length);
}

NATIVE(hex)
{
  char buffer[32];
  long integer;

  if (!tiny_take_integer("hex", arguments[0], &integer))
    return TINY_THROWN;
  unsigned long magnitude = integer < 0 ? -(unsigned long)integer : (unsigned long)integer;
  int length = snprintf(buffer, sizeof buffer, "%s%lx", integer < 0 ? "-" : "", magnitude);
  return tiny_string(buffer, (size_t)length);
}

/* ---- time, end ---- */

NATIVE(clock_seconds)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return tiny_from_float((double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

NATIVE(time_seconds)
{
  return tiny_from_integer((long)time(NULL));
}

/* Only one thread ends the process: exit() of the C library allows no second one. */
NATIVE(end)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long status = 0;

  if (count > 0 && !tiny_take_integer("exit", arguments[0], &status))
    return TINY_THROWN;
  pthread_mutex_lock(&lock);
  if (tiny_hooks.ends)
    tiny_hooks.ends();
  exit((int)(status & 255));
}

void tiny_library_core(void)
{
  tiny_define_native("print", 0, 250, print);
  tiny_define_native("write", 0, 250, write_values);
  tiny_define_native("type", 1, 1, type);
  tiny_define_native("str", 1, 1, text);
  tiny_define_native("number", 1, 1, number);
  tiny_define_native("int", 1, 1, to_integer);
  tiny_define_native("float", 1, 1, to_float);
  tiny_define_native("fixed", 2, 2, fixed);
  tiny_define_native("hex", 1, 1, hex);
  tiny_define_native("clock", 0, 0, clock_seconds);
  tiny_define_native("time", 0, 0, time_seconds);
  tiny_define_native("exit", 0, 1, end);
}
