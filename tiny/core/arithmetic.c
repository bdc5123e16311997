/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic and comparisons of any values. Managed C, stateless.
 */
#include <math.h>

#include "tiny/core/object.h"

bool tiny_number(value v, double *number)
{
  if (tiny_is_flat(v))
    *number = tiny_flat(v);
  else if (tiny_is_integer(v))
    *number = (double)tiny_integer(v);
  else if (v == TINY_ZERO || v == TINY_MINUS_ZERO)
    *number = v == TINY_ZERO ? 0.0 : -0.0;
  else if (tiny_is(v, TINY_FLOAT))
    *number = cairn_value_object(struct tiny_float, v)->number;
  else
    return false;
  return true;
}

static const char *const signs[TINY_OPS] = {
    [TINY_OP_ADD] = "+",
    [TINY_OP_SUBTRACT] = "-",
    [TINY_OP_MULTIPLY] = "*",
    [TINY_OP_DIVIDE] = "/",
    [TINY_OP_FLOOR_DIVIDE] = "\\",
    [TINY_OP_MODULO] = "%",
    [TINY_OP_POWER] = "**",
    [TINY_OP_AND] = "&",
    [TINY_OP_OR] = "|",
    [TINY_OP_XOR] = "^",
    [TINY_OP_SHIFT_LEFT] = "<<",
    [TINY_OP_SHIFT_RIGHT] = ">>",
    [TINY_OP_NEGATE] = "-",
    [TINY_OP_COMPLEMENT] = "~",
    [TINY_OP_JUMP_LESS] = "<",
    [TINY_OP_JUMP_LESS_EQUAL] = "<=",
};

static value bad_operands(enum tiny_op op, value a, value b)
{
  if (op == TINY_OP_NEGATE || op == TINY_OP_COMPLEMENT)
    return tiny_throw("'%s' cannot be applied to %s", signs[op], tiny_describe(a));
  return tiny_throw("'%s' cannot be applied to %s and %s", signs[op], tiny_describe(a), tiny_describe(b));
}

static value divided_by_zero(void)
{
  return tiny_throw("division by zero");
}

/* Integers if the result is one of 64 bits, else floats. */
static value power(long base, long exponent)
{
  long result = 1, factor = base;

  for (long left = exponent; left > 0; left >>= 1) {
    if ((left & 1) && __builtin_mul_overflow(result, factor, &result))
      return tiny_from_float(pow((double)base, (double)exponent));
    if (left > 1 && __builtin_mul_overflow(factor, factor, &factor))
      return tiny_from_float(pow((double)base, (double)exponent));
  }
  return tiny_from_integer(result);
}

static value shift(enum tiny_op op, long a, long b)
{
  if (b < 0 || b >= TINY_INTEGER_BITS)
    return tiny_throw("a shift by %ld bits: 0 to %d are possible", b, TINY_INTEGER_BITS - 1);
  return tiny_from_small(op == TINY_OP_SHIFT_LEFT ? (long)((unsigned long)a << b) : a >> b);
}

static value integers(enum tiny_op op, long a, long b)
{
  long result;

  switch (op) {
  case TINY_OP_ADD:
    return tiny_from_integer(a + b);
  case TINY_OP_SUBTRACT:
    return tiny_from_integer(a - b);
  case TINY_OP_MULTIPLY:
    return __builtin_mul_overflow(a, b, &result) ? tiny_from_float((double)a * (double)b) : tiny_from_integer(result);
  case TINY_OP_DIVIDE:
    return tiny_from_float((double)a / (double)b);
  case TINY_OP_FLOOR_DIVIDE:
    return b ? tiny_from_integer(a / b - ((a % b != 0) & ((a ^ b) < 0))) : divided_by_zero();
  case TINY_OP_MODULO:
    return b ? tiny_from_small(a % b + (((a % b != 0) & ((a ^ b) < 0)) ? b : 0)) : divided_by_zero();
  case TINY_OP_POWER:
    return b >= 0 ? power(a, b) : tiny_from_float(pow((double)a, (double)b));
  case TINY_OP_AND:
    return tiny_from_small(a & b);
  case TINY_OP_OR:
    return tiny_from_small(a | b);
  case TINY_OP_XOR:
    return tiny_from_small(a ^ b);
  case TINY_OP_NEGATE:
    return tiny_from_integer(-a);
  case TINY_OP_COMPLEMENT:
    return tiny_from_small(~a);
  default:
    return shift(op, a, b);
  }
}

static value floats(enum tiny_op op, double a, double b, value left, value right)
{
  switch (op) {
  case TINY_OP_ADD:
    return tiny_from_float(a + b);
  case TINY_OP_SUBTRACT:
    return tiny_from_float(a - b);
  case TINY_OP_MULTIPLY:
    return tiny_from_float(a * b);
  case TINY_OP_DIVIDE:
    return tiny_from_float(a / b);
  case TINY_OP_FLOOR_DIVIDE:
    return tiny_from_float(floor(a / b));
  case TINY_OP_MODULO: {
    double rest = fmod(a, b);
    return tiny_from_float(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }
  case TINY_OP_POWER:
    return tiny_from_float(pow(a, b));
  case TINY_OP_NEGATE:
    return tiny_from_float(-a);
  default:
    return bad_operands(op, left, right);
  }
}

value tiny_arithmetic(enum tiny_op op, value a, value b)
{
  double x = 0, y = 0;
  bool is_unary = op == TINY_OP_NEGATE || op == TINY_OP_COMPLEMENT;

  if (tiny_is_integer(a) && (is_unary || tiny_is_integer(b)))
    return integers(op, tiny_integer(a), is_unary ? 0 : tiny_integer(b));
  if (tiny_number(a, &x) && (is_unary || tiny_number(b, &y)))
    return floats(op, x, y, a, b);
  if (op == TINY_OP_ADD && tiny_is(a, TINY_STRING) && tiny_is(b, TINY_STRING))
    return tiny_strings_join(a, b);
  return bad_operands(op, a, b);
}

/* Floats first: if they are equal, the float is an integer of at most 61 bits, or both are floats. */
bool tiny_order(value a, value b, int *order)
{
  double x, y;

  if (!tiny_number(a, &x) || !tiny_number(b, &y))
    return false;
  if (x != y || !(tiny_is_integer(a) || tiny_is_integer(b))) {
    *order = x < y ? -1 : x > y ? 1 : x == y ? 0 : TINY_UNORDERED;
    return true;
  }
  long left = tiny_is_integer(a) ? tiny_integer(a) : (long)x, right = tiny_is_integer(b) ? tiny_integer(b) : (long)y;
  *order = (left > right) - (left < right);
  return true;
}

bool tiny_equal(value a, value b)
{
  int order;

  if (tiny_is(a, TINY_STRING) && tiny_is(b, TINY_STRING))
    return tiny_strings_equal(a, b);
  return tiny_order(a, b, &order) ? order == 0 : a == b;
}

value tiny_compare(enum tiny_op op, value a, value b)
{
  int order;

  if (op == TINY_OP_JUMP_EQUAL)
    return tiny_from_bool(tiny_equal(a, b));
  if (tiny_is(a, TINY_STRING) && tiny_is(b, TINY_STRING))
    order = tiny_strings_compare(a, b);
  else if (!tiny_order(a, b, &order))
    return bad_operands(op, a, b);
  else if (order == TINY_UNORDERED)
    return TINY_FALSE;
  return tiny_from_bool(op == TINY_OP_JUMP_LESS ? order < 0 : order <= 0);
}
