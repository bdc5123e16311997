/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of run() in interpret.c: arithmetic and comparisons. An instruction tries the types that it has seen, and
 * rewrites itself when others come (bytecode.def).
 */

/* The word of an integer, with a tag of zeros: sums of such numbers overflow if sums of the integers do. */
#define SHIFTED(v) ((long)((unsigned long)cairn_value_integer(v) << 1))

#define FLOAT_RESULT(expression) \
  do { \
    double number_ = (expression); \
    uint64_t bits_ = tiny_float_word(number_); \
    if (likely(tiny_word_is_flat(bits_))) \
      A = tiny_from_word(bits_); \
    else \
      A = tiny_box_float(number_); \
    NEXT(0); \
  } while (0)

#define INTEGER_ARITHMETIC(NAME, builtin, right) \
  op_##NAME: \
  { \
    value b = B, c = C; \
    long sum; \
    if (likely(tiny_are_integers(b, c))) { \
      if (likely(!builtin(SHIFTED(b), right, &sum))) { \
        A = cairn_value_from(sum >> 1); \
        NEXT(0); \
      } \
      REWRITE(NAME##_X); \
    } \
    if (is_float(b) && is_float(c)) \
      REWRITE(NAME##_F); \
    REWRITE(NAME##_X); \
  }

#define FLOAT_ARITHMETIC(NAME, operator) \
  op_##NAME##_F: \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_flat(b, c))) \
      FLOAT_RESULT(tiny_flat(b) operator tiny_flat(c)); \
    if (is_float(b) && is_float(c)) \
      FLOAT_RESULT(to_float(b) operator to_float(c)); \
    REWRITE(NAME##_X); \
  }

/* Either of integers and floats, and the rest. */
#define ANY_ARITHMETIC(NAME, operator, builtin, right) \
  op_##NAME##_X: \
  { \
    value b = B, c = C; \
    long sum; \
    if (tiny_are_integers(b, c) && likely(!builtin(SHIFTED(b), right, &sum))) { \
      A = cairn_value_from(sum >> 1); \
      NEXT(0); \
    } \
    if (tiny_is_flat(b) && is_flat_or_integer(c)) \
      FLOAT_RESULT(tiny_flat(b) operator flat_or_integer(c)); \
    if (tiny_is_flat(c) && tiny_is_integer(b)) \
      FLOAT_RESULT((double)tiny_integer(b) operator tiny_flat(c)); \
    SET_A(tiny_arithmetic(TINY_OP_##NAME, b, c), 0); \
  }

#define ARITHMETIC(NAME, operator, builtin, right) \
  INTEGER_ARITHMETIC(NAME, builtin, right) \
  FLOAT_ARITHMETIC(NAME, operator) \
  ANY_ARITHMETIC(NAME, operator, builtin, right)

ARITHMETIC(ADD, +, __builtin_add_overflow, SHIFTED(c))
ARITHMETIC(SUBTRACT, -, __builtin_sub_overflow, SHIFTED(c))
ARITHMETIC(MULTIPLY, *, __builtin_mul_overflow, tiny_integer(c))

op_DIVIDE:
{
  value b = B, c = C;
  if (likely(tiny_are_flat(b, c)))
    FLOAT_RESULT(tiny_flat(b) / tiny_flat(c));
  if (is_float(b) && is_float(c))
    FLOAT_RESULT(to_float(b) / to_float(c));
  REWRITE(DIVIDE_X);
}
op_DIVIDE_X:
{
  value b = B, c = C;
  if (likely(is_flat_or_integer(b) && is_flat_or_integer(c)))
    FLOAT_RESULT(flat_or_integer(b) / flat_or_integer(c));
  SET_A(tiny_arithmetic(TINY_OP_DIVIDE, b, c), 0);
}

op_FLOOR_DIVIDE:
{
  value b = B, c = C;
  if (likely(tiny_are_integers(b, c) && cairn_value_integer(c) > 0)) {
    long dividend = cairn_value_integer(b), divisor = cairn_value_integer(c), quotient = dividend / divisor;
    A = tiny_from_small(quotient - (dividend % divisor < 0));
    NEXT(0);
  }
  if (!tiny_are_integers(b, c))
    REWRITE(FLOOR_DIVIDE_X);
}
op_FLOOR_DIVIDE_X : SET_A(tiny_arithmetic(TINY_OP_FLOOR_DIVIDE, B, C), 0);

op_MODULO:
{
  value b = B, c = C;
  if (likely(tiny_are_integers(b, c) && cairn_value_integer(c) > 0)) {
    long divisor = cairn_value_integer(c), rest = cairn_value_integer(b) % divisor;
    A = cairn_value_from(rest < 0 ? rest + divisor : rest);
    NEXT(0);
  }
  if (!tiny_are_integers(b, c))
    REWRITE(MODULO_X);
}
op_MODULO_X : SET_A(tiny_arithmetic(TINY_OP_MODULO, B, C), 0);
op_POWER : SET_A(tiny_arithmetic(TINY_OP_POWER, B, C), 0);

#define BITS(NAME, operator) \
  op_##NAME: \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_integers(b, c))) { \
      A = cairn_value_from(cairn_value_integer(b) operator cairn_value_integer(c)); \
      NEXT(0); \
    } \
    SET_A(tiny_arithmetic(TINY_OP_##NAME, b, c), 0); \
  }
BITS(AND, &)
BITS(OR, |)
BITS(XOR, ^)

#define SHIFT(NAME, expression) \
  op_##NAME: \
  { \
    value b = B, c = C; \
    unsigned long distance = (unsigned long)tiny_integer(c); \
    if (likely(tiny_are_integers(b, c) && distance < TINY_INTEGER_BITS)) { \
      A = tiny_from_small(expression); \
      NEXT(0); \
    } \
    SET_A(tiny_arithmetic(TINY_OP_##NAME, b, c), 0); \
  }
SHIFT(SHIFT_LEFT, (long)((unsigned long)tiny_integer(b) << distance))
SHIFT(SHIFT_RIGHT, tiny_integer(b) >> distance)

op_ADD_SMALL:
{
  value b = B;
  long sum;
  if (likely(tiny_is_integer(b) &&
             !__builtin_add_overflow(SHIFTED(b), (long)TINY_SMALL_OF(word) * (2 << TINY_INTEGER_SHIFT), &sum))) {
    A = cairn_value_from(sum >> 1);
    NEXT(0);
  }
  REWRITE(ADD_SMALL_X);
}
op_ADD_SMALL_X:
{
  value b = B;
  long sum;
  if (tiny_is_integer(b) &&
      !__builtin_add_overflow(SHIFTED(b), (long)TINY_SMALL_OF(word) * (2 << TINY_INTEGER_SHIFT), &sum)) {
    A = cairn_value_from(sum >> 1);
    NEXT(0);
  }
  if (tiny_is_flat(b))
    FLOAT_RESULT(tiny_flat(b) + TINY_SMALL_OF(word));
  long small = TINY_SMALL_OF(word);
  SET_A(small < 0 ? tiny_arithmetic(TINY_OP_SUBTRACT, b, tiny_from_small(-small))
                  : tiny_arithmetic(TINY_OP_ADD, b, tiny_from_small(small)),
        0);
}
op_NEGATE:
{
  value b = B;
  if (tiny_is_flat(b))
    FLOAT_RESULT(-tiny_flat(b));
  SET_A(tiny_arithmetic(TINY_OP_NEGATE, b, TINY_NIL), 0);
}
op_COMPLEMENT : SET_A(tiny_arithmetic(TINY_OP_COMPLEMENT, B, TINY_NIL), 0);
op_NOT : A = tiny_from_bool(!tiny_is_true(B));
NEXT(0);

#define COMPARE_ANY(NAME, right) \
  do { \
    value result_ = tiny_compare(TINY_OP_##NAME, B, right); \
    if (unlikely(tiny_is_thrown(result_))) \
      goto thrown; \
    JUMP_IF(result_ == TINY_TRUE); \
  } while (0)

#define COMPARISON(NAME, operator) \
  op_##NAME: \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_integers(b, c))) \
      JUMP_IF(cairn_value_integer(b) operator cairn_value_integer(c)); \
    if (tiny_are_flat(b, c)) \
      REWRITE(NAME##_F); \
    REWRITE(NAME##_X); \
  } \
  op_##NAME##_F: \
  { \
    value b = B, c = C; \
    if (likely(tiny_are_flat(b, c))) \
      JUMP_IF(tiny_flat(b) operator tiny_flat(c)); \
    REWRITE(NAME##_X); \
  } \
  op_##NAME##_X: \
  { \
    value b = B, c = C; \
    if (tiny_are_integers(b, c)) \
      JUMP_IF(cairn_value_integer(b) operator cairn_value_integer(c)); \
    COMPARE_ANY(NAME, c); \
  }
COMPARISON(JUMP_LESS, <)
COMPARISON(JUMP_LESS_EQUAL, <=)

op_JUMP_EQUAL:
{
  value b = B, c = C;
  if (likely(tiny_are_integers(b, c)))
    JUMP_IF(b == c);
  REWRITE(JUMP_EQUAL_X);
}
op_JUMP_EQUAL_X:
{
  value b = B, c = C;
  /* Only floats may differ from themselves. */
  if (b == c && !tiny_is_flat(b) && !tiny_is(b, TINY_FLOAT))
    JUMP_IF(true);
  JUMP_IF(tiny_equal(b, c));
}

#define COMPARISON_SMALL(NAME, operator, GENERAL, is_swapped) \
  op_##NAME: \
  { \
    value b = B; \
    if (likely(tiny_is_integer(b))) \
      JUMP_IF(cairn_value_integer(b) operator(long) TINY_SMALL_OF(word) * (1 << TINY_INTEGER_SHIFT)); \
    REWRITE(NAME##_X); \
  } \
  op_##NAME##_X: \
  { \
    value b = B, c = tiny_from_small(TINY_SMALL_OF(word)); \
    if (tiny_is_integer(b)) \
      JUMP_IF(cairn_value_integer(b) operator cairn_value_integer(c)); \
    value result_ = tiny_compare(TINY_OP_##GENERAL, is_swapped ? c : b, is_swapped ? b : c); \
    if (unlikely(tiny_is_thrown(result_))) \
      goto thrown; \
    JUMP_IF(result_ == TINY_TRUE); \
  }
COMPARISON_SMALL(JUMP_LESS_SMALL, <, JUMP_LESS, false)
COMPARISON_SMALL(JUMP_GREATER_SMALL, >, JUMP_LESS, true)
COMPARISON_SMALL(JUMP_EQUAL_SMALL, ==, JUMP_EQUAL, false)

#undef SHIFTED
