/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of arithmetic and comparisons. Managed C, stateless. An instruction tries the types that it has seen,
 * and rewrites itself when others come (bytecode.def).
 */
#ifndef TINY_INTERPRETER_ARITHMETIC_H
#define TINY_INTERPRETER_ARITHMETIC_H

#include <stdlib.h>

#include "tiny/interpreter/activation.h"

/* A float that is flat, 0.0 or a box. */
INLINE bool is_float(value v)
{
  return tiny_is_flat(v) || v == TINY_ZERO || v == TINY_MINUS_ZERO || tiny_is(v, TINY_FLOAT);
}

RARE double to_float(value v)
{
  double number = 0;

  tiny_number(v, &number);
  return number;
}

INLINE bool is_flat_or_integer(value v)
{
  return tiny_is_flat(v) || tiny_is_integer(v);
}

INLINE double flat_or_integer(value v)
{
  return tiny_is_flat(v) ? tiny_flat(v) : (double)tiny_integer(v);
}

/* ---- operations: `op` is a base, and constant ---- */

/* The word of an integer, with a tag of zeros: sums of such numbers overflow if sums of the integers do. */
INLINE long shifted(value v)
{
  return (long)((unsigned long)cairn_value_integer(v) << 1);
}

/* a = b op c; false unless both are integers whose result is one. */
INLINE bool set_integers(struct activation *s, enum tiny_op op, value b, value c)
{
  bool is_other = !tiny_are_integers(b, c);
  long sum;

  if (unlikely(is_other))
    return false;
  bool overflows = op == TINY_OP_ADD        ? __builtin_add_overflow(shifted(b), shifted(c), &sum)
                   : op == TINY_OP_SUBTRACT ? __builtin_sub_overflow(shifted(b), shifted(c), &sum)
                                            : __builtin_mul_overflow(shifted(b), tiny_integer(c), &sum);
  if (unlikely(overflows))
    return false;
  A = cairn_value_from(sum >> 1);
  return true;
}

INLINE enum step set_float(struct activation *s, double number)
{
  uint64_t bits = tiny_float_word(number);

  if (likely(tiny_word_is_flat(bits)))
    A = tiny_from_word(bits);
  else
    A = tiny_box_float(number);
  return NEXT;
}

INLINE enum step set_floats(struct activation *s, enum tiny_op op, double b, double c)
{
  return set_float(s, op == TINY_OP_ADD        ? b + c
                      : op == TINY_OP_SUBTRACT ? b - c
                      : op == TINY_OP_MULTIPLY ? b * c
                                               : b / c);
}

INLINE enum step integers(struct activation *s, enum tiny_op op, enum tiny_op with_floats, enum tiny_op any)
{
  value b = B, c = C;

  if (likely(set_integers(s, op, b, c)))
    return NEXT;
  return rewrite(s, is_float(b) && is_float(c) ? with_floats : any);
}

INLINE enum step floats(struct activation *s, enum tiny_op op, enum tiny_op any)
{
  value b = B, c = C;

  if (likely(tiny_are_flat(b, c)))
    return set_floats(s, op, tiny_flat(b), tiny_flat(c));
  if (is_float(b) && is_float(c))
    return set_floats(s, op, to_float(b), to_float(c));
  return rewrite(s, any);
}

/* Either of integers and floats, and the rest. */
INLINE enum step any_numbers(struct activation *s, enum tiny_op op)
{
  value b = B, c = C;

  if (op != TINY_OP_DIVIDE && set_integers(s, op, b, c))
    return NEXT;
  if (is_flat_or_integer(b) && is_flat_or_integer(c) && (op == TINY_OP_DIVIDE || !tiny_are_integers(b, c)))
    return set_floats(s, op, flat_or_integer(b), flat_or_integer(c));
  return set(s, tiny_arithmetic(op, b, c), 0);
}

#define ARITHMETIC(NAME) \
  SHORT_INSTRUCTION(NAME, integers(s, TINY_OP_##NAME, TINY_OP_##NAME##_F, TINY_OP_##NAME##_X)) \
  SHORT_INSTRUCTION(NAME##_F, floats(s, TINY_OP_##NAME, TINY_OP_##NAME##_X)) \
  SHORT_INSTRUCTION(NAME##_X, any_numbers(s, TINY_OP_##NAME))

ARITHMETIC(ADD)
ARITHMETIC(SUBTRACT)
ARITHMETIC(MULTIPLY)

SHORT_INSTRUCTION(DIVIDE, floats(s, TINY_OP_DIVIDE, TINY_OP_DIVIDE_X))
SHORT_INSTRUCTION(DIVIDE_X, any_numbers(s, TINY_OP_DIVIDE))
SHORT_INSTRUCTION(ADD_SMALL, set_integers(s, TINY_OP_ADD, B, tiny_from_small(TINY_SMALL_OF(s->word)))
                                 ? NEXT
                                 : rewrite(s, TINY_OP_ADD_SMALL_X))

INSTRUCTION(ADD_SMALL_X)
{
  value b = B;
  long small = TINY_SMALL_OF(s->word);

  if (set_integers(s, TINY_OP_ADD, b, tiny_from_small(small)))
    return NEXT;
  if (tiny_is_flat(b))
    return set_float(s, tiny_flat(b) + (double)small);
  return set(s, tiny_arithmetic(small < 0 ? TINY_OP_SUBTRACT : TINY_OP_ADD, b, tiny_from_small(labs(small))), 0);
}

INSTRUCTION(FLOOR_DIVIDE)
{
  value b = B, c = C;

  if (likely(tiny_are_integers(b, c) && cairn_value_integer(c) > 0)) {
    long dividend = cairn_value_integer(b), divisor = cairn_value_integer(c), quotient = dividend / divisor;
    A = tiny_from_small(quotient - (dividend % divisor < 0));
    return NEXT;
  }
  return tiny_are_integers(b, c) ? set(s, tiny_arithmetic(TINY_OP_FLOOR_DIVIDE, b, c), 0)
                                 : rewrite(s, TINY_OP_FLOOR_DIVIDE_X);
}

INSTRUCTION(MODULO)
{
  value b = B, c = C;

  if (likely(tiny_are_integers(b, c) && cairn_value_integer(c) > 0)) {
    long divisor = cairn_value_integer(c), rest = cairn_value_integer(b) % divisor;
    A = cairn_value_from(rest < 0 ? rest + divisor : rest);
    return NEXT;
  }
  return tiny_are_integers(b, c) ? set(s, tiny_arithmetic(TINY_OP_MODULO, b, c), 0) : rewrite(s, TINY_OP_MODULO_X);
}

SHORT_INSTRUCTION(FLOOR_DIVIDE_X, set(s, tiny_arithmetic(TINY_OP_FLOOR_DIVIDE, B, C), 0))
SHORT_INSTRUCTION(MODULO_X, set(s, tiny_arithmetic(TINY_OP_MODULO, B, C), 0))
SHORT_INSTRUCTION(POWER, set(s, tiny_arithmetic(TINY_OP_POWER, B, C), 0))
SHORT_INSTRUCTION(COMPLEMENT, set(s, tiny_arithmetic(TINY_OP_COMPLEMENT, B, TINY_NIL), 0))

INSTRUCTION(NEGATE)
{
  value b = B;

  return tiny_is_flat(b) ? set_float(s, -tiny_flat(b)) : set(s, tiny_arithmetic(TINY_OP_NEGATE, b, TINY_NIL), 0);
}

INSTRUCTION(NOT)
{
  A = tiny_from_bool(!tiny_is_true(B));
  return NEXT;
}

/* An operation on the bits of integers; the payload is integer << TINY_INTEGER_SHIFT. */
#define BITS(NAME, is_possible, expression) \
  INSTRUCTION(NAME) \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_integers(b, c) && (is_possible))) { \
      A = (expression); \
      return NEXT; \
    } \
    return set(s, tiny_arithmetic(TINY_OP_##NAME, b, c), 0); \
  }
#define DISTANCE ((unsigned long)tiny_integer(c))

BITS(AND, true, cairn_value_from(cairn_value_integer(b) & cairn_value_integer(c)))
BITS(OR, true, cairn_value_from(cairn_value_integer(b) | cairn_value_integer(c)))
BITS(XOR, true, cairn_value_from(cairn_value_integer(b) ^ cairn_value_integer(c)))
BITS(SHIFT_LEFT, DISTANCE < TINY_INTEGER_BITS, tiny_from_small((long)((unsigned long)tiny_integer(b) << DISTANCE)))
BITS(SHIFT_RIGHT, DISTANCE < TINY_INTEGER_BITS, tiny_from_small(tiny_integer(b) >> DISTANCE))

/* ---- comparisons: they jump if the result equals a ---- */

INLINE enum step jump_if_sense(struct activation *s, bool truth)
{
  return jump_if(s, truth == (TINY_A(s->word) != 0));
}

INLINE enum step compare(struct activation *s, enum tiny_op op, value b, value c)
{
  value result = tiny_compare(op, b, c);

  return unlikely(tiny_is_thrown(result)) ? THROWN : jump_if_sense(s, result == TINY_TRUE);
}

#define COMPARISON(NAME, operator) \
  INSTRUCTION(NAME) \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_integers(b, c))) \
      return jump_if_sense(s, cairn_value_integer(b) operator cairn_value_integer(c)); \
    return rewrite(s, tiny_are_flat(b, c) ? TINY_OP_##NAME##_F : TINY_OP_##NAME##_X); \
  } \
  INSTRUCTION(NAME##_F) \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_flat(b, c))) \
      return jump_if_sense(s, tiny_flat(b) operator tiny_flat(c)); \
    return rewrite(s, TINY_OP_##NAME##_X); \
  } \
  INSTRUCTION(NAME##_X) \
  { \
    value b = B, c = C; \
    if (tiny_are_integers(b, c)) \
      return jump_if_sense(s, cairn_value_integer(b) operator cairn_value_integer(c)); \
    return compare(s, TINY_OP_##NAME, b, c); \
  }

COMPARISON(JUMP_LESS, <)
COMPARISON(JUMP_LESS_EQUAL, <=)

INSTRUCTION(JUMP_EQUAL)
{
  value b = B, c = C;

  return likely(tiny_are_integers(b, c)) ? jump_if_sense(s, b == c) : rewrite(s, TINY_OP_JUMP_EQUAL_X);
}

INSTRUCTION(JUMP_EQUAL_X)
{
  value b = B, c = C;

  /* Only floats may differ from themselves. */
  if (b == c && !tiny_is_flat(b) && !tiny_is(b, TINY_FLOAT))
    return jump_if_sense(s, true);
  return jump_if_sense(s, tiny_equal(b, c));
}

#define COMPARISON_SMALL(NAME, operator, general) \
  INSTRUCTION(NAME) \
  { \
    value b = B; \
    if (likely(tiny_is_integer(b))) \
      return jump_if_sense(s, \
                           cairn_value_integer(b) operator(long) TINY_SMALL_OF(s->word) * (1 << TINY_INTEGER_SHIFT)); \
    return rewrite(s, TINY_OP_##NAME##_X); \
  } \
  INSTRUCTION(NAME##_X) \
  { \
    value b = B, c = tiny_from_small(TINY_SMALL_OF(s->word)); \
    if (tiny_is_integer(b)) \
      return jump_if_sense(s, cairn_value_integer(b) operator cairn_value_integer(c)); \
    return general; \
  }

COMPARISON_SMALL(JUMP_LESS_SMALL, <, compare(s, TINY_OP_JUMP_LESS, b, c))
COMPARISON_SMALL(JUMP_GREATER_SMALL, >, compare(s, TINY_OP_JUMP_LESS, c, b))
COMPARISON_SMALL(JUMP_EQUAL_SMALL, ==, compare(s, TINY_OP_JUMP_EQUAL, b, c))

#endif
