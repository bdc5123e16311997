/* SPDX-License-Identifier: Apache-2.0
 *
 * Mathematics, and random numbers. Managed C. The random generator's state belongs to the thread; each thread begins
 * with the same seed.
 */
#include <math.h>

#include "tiny/lib/library.h"

#define SEED 0x9e3779b97f4a7c15UL
#define MULTIPLIER 0x2545f4914f6cdd1dUL

static _Thread_local uint64_t random_state = SEED;

/* A function of one float, with the library's name. */
#define FLOAT_FUNCTION(name, function) \
  NATIVE(name) \
  { \
    double number; \
\
    return tiny_take_float(#function, arguments[0], &number) ? tiny_from_float(function(number)) : TINY_THROWN; \
  }

FLOAT_FUNCTION(square_root, sqrt)
FLOAT_FUNCTION(sine, sin)
FLOAT_FUNCTION(cosine, cos)
FLOAT_FUNCTION(tangent, tan)
FLOAT_FUNCTION(arc_tangent, atan)
FLOAT_FUNCTION(exponential, exp)
FLOAT_FUNCTION(logarithm, log)

/* A whole float as an integer, if it fits into one. */
static value whole(double number)
{
  bool fits = number >= (double)TINY_INTEGER_MIN && number < (double)TINY_INTEGER_MAX;

  return fits ? tiny_from_small((long)number) : tiny_from_float(number);
}

/* A function of one number whose result is whole. */
#define WHOLE_FUNCTION(name, function) \
  NATIVE(name) \
  { \
    double number; \
\
    if (tiny_is_integer(arguments[0])) \
      return arguments[0]; \
    return tiny_take_float(#function, arguments[0], &number) ? whole(function(number)) : TINY_THROWN; \
  }

WHOLE_FUNCTION(floor_of, floor)
WHOLE_FUNCTION(ceiling_of, ceil)
WHOLE_FUNCTION(rounded, round)

NATIVE(arc_tangent_of_two)
{
  double y, x;

  if (!tiny_take_float("atan2", arguments[0], &y) || !tiny_take_float("atan2", arguments[1], &x))
    return TINY_THROWN;
  return tiny_from_float(atan2(y, x));
}

NATIVE(absolute)
{
  double number;

  if (tiny_is_integer(arguments[0])) {
    long integer = tiny_integer(arguments[0]);
    return tiny_from_integer(integer < 0 ? -integer : integer);
  }
  return tiny_take_float("abs", arguments[0], &number) ? tiny_from_float(fabs(number)) : TINY_THROWN;
}

/* The first of the least arguments (sign < 0), or of the greatest. */
static value extreme(const char *name, value *arguments, unsigned count, int sign)
{
  unsigned best = 0;
  double number;
  int order;

  for (unsigned i = 0; i < count; i++) {
    if (!tiny_take_float(name, arguments[i], &number))
      return TINY_THROWN;
    if (tiny_order(arguments[i], arguments[best], &order) && order == sign)
      best = i;
  }
  return arguments[best];
}

NATIVE(least)
{
  return extreme("min", arguments, count, -1);
}

NATIVE(most)
{
  return extreme("max", arguments, count, 1);
}

NATIVE(is_nan)
{
  double number;

  return tiny_take_float("is_nan", arguments[0], &number) ? tiny_from_bool(isnan(number)) : TINY_THROWN;
}

/* xorshift64* (Vigna): the upper 53 bits of each product. */
NATIVE(random_number)
{
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return tiny_from_float((double)(random_state * MULTIPLIER >> 11) * 0x1p-53);
}

NATIVE(random_seed)
{
  long seed;

  if (!tiny_take_integer("random_seed", arguments[0], &seed))
    return TINY_THROWN;
  random_state = (uint64_t)seed ^ SEED;
  if (!random_state)
    random_state = SEED;
  return TINY_NIL;
}

void tiny_library_math(void)
{
  tiny_define_value("pi", tiny_from_float(M_PI));
  tiny_define_value("infinity", tiny_from_float(INFINITY));
  tiny_define_native("sqrt", 1, 1, square_root);
  tiny_define_native("sin", 1, 1, sine);
  tiny_define_native("cos", 1, 1, cosine);
  tiny_define_native("tan", 1, 1, tangent);
  tiny_define_native("atan", 1, 1, arc_tangent);
  tiny_define_native("atan2", 2, 2, arc_tangent_of_two);
  tiny_define_native("exp", 1, 1, exponential);
  tiny_define_native("log", 1, 1, logarithm);
  tiny_define_native("floor", 1, 1, floor_of);
  tiny_define_native("ceil", 1, 1, ceiling_of);
  tiny_define_native("round", 1, 1, rounded);
  tiny_define_native("abs", 1, 1, absolute);
  tiny_define_native("min", 1, 250, least);
  tiny_define_native("max", 1, 250, most);
  tiny_define_native("is_nan", 1, 1, is_nan);
  tiny_define_native("random", 0, 0, random_number);
  tiny_define_native("random_seed", 1, 1, random_seed);
}
