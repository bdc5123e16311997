/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of tiny: words of the kind 0:1 (<cairn/value.h>) that hold a reference, an integer, nearly every float, or a
 * special value. Any thread; no function allocates except where its comment says so.
 *
 *   low bits   value
 *   ..0        reference to an object; null is nil
 *   ..001      integer of 61 bits, above
 *   ..101      special: true, false, 0.0, -0.0, markers
 *   ..11       float whose exponent begins with the bits 011 or 100 (magnitudes from 1e-77 to 1e77)
 *
 * Other floats are objects (struct tiny_float of object.h). A float's word is rotl64(bits + (3 << 60), 3): the sum
 * turns both beginnings of the exponent into 11, and the rotation moves these two bits to the word's end. The idea is
 * float self-tagging (Melançon, Serrano and Feeley, 2024).
 *
 * The *payload* of an immediate is the word without its last bit, as cairn_value_integer() returns it.
 */
#ifndef TINY_VALUE_H
#define TINY_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cairn/value.h>

typedef cairn_value value;

enum {
  TINY_INTEGER_SHIFT = 2, /* of the payload */
  TINY_SPECIAL = 2,       /* the last two bits of a special value's payload */
  TINY_INTEGER_BITS = 61,
};

#define TINY_INTEGER_MAX (((long)1 << (TINY_INTEGER_BITS - 1)) - 1)
#define TINY_INTEGER_MIN (-TINY_INTEGER_MAX - 1)

/* The special values. THROWN is the result of a function that ended by an exception, which tiny_thrown holds.
 * HOLE is the value of a global before its definition; programs never see either. */
enum tiny_special {
  TINY_FALSE_NUMBER,
  TINY_TRUE_NUMBER,
  TINY_ZERO_NUMBER,
  TINY_MINUS_ZERO_NUMBER,
  TINY_THROWN_NUMBER,
  TINY_HOLE_NUMBER,
};

#define TINY_SPECIAL_PAYLOAD(number) ((long)(number) << 2 | TINY_SPECIAL)
#define TINY_NIL ((value)0)
#define TINY_FALSE cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_FALSE_NUMBER))
#define TINY_TRUE cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_TRUE_NUMBER))
#define TINY_ZERO cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_ZERO_NUMBER))
#define TINY_MINUS_ZERO cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_MINUS_ZERO_NUMBER))
#define TINY_THROWN cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_THROWN_NUMBER))
#define TINY_HOLE cairn_value_from(TINY_SPECIAL_PAYLOAD(TINY_HOLE_NUMBER))

static inline bool tiny_is_immediate(value v)
{
  return cairn_value_is_integer(v);
}

/* True for a reference to an object, which nil is not. */
static inline bool tiny_is_reference(value v)
{
  return v && !cairn_value_is_integer(v);
}

static inline bool tiny_is_integer(value v)
{
  return cairn_value_is_integer(v) && (cairn_value_integer(v) & 3) == 0;
}

static inline bool tiny_are_integers(value a, value b)
{
  return tiny_is_integer(a) && tiny_is_integer(b);
}

/* The integer of a value; only if tiny_is_integer() is true. */
static inline long tiny_integer(value v)
{
  return cairn_value_integer(v) >> TINY_INTEGER_SHIFT;
}

/* The value of an integer from TINY_INTEGER_MIN to TINY_INTEGER_MAX. */
static inline value tiny_from_small(long integer)
{
  return cairn_value_from((long)((unsigned long)integer << TINY_INTEGER_SHIFT));
}

/* True for floats that are immediates, except 0.0 and -0.0. */
static inline bool tiny_is_flat(value v)
{
  return cairn_value_is_integer(v) && (cairn_value_integer(v) & 1) == 1;
}

static inline bool tiny_are_flat(value a, value b)
{
  return tiny_is_flat(a) && tiny_is_flat(b);
}

/* The float of a value; only if tiny_is_flat() is true. */
static inline double tiny_flat(value v)
{
  uint64_t word = (uint64_t)cairn_value_integer(v) << 1 | 1, bits = (word >> 3 | word << 61) - ((uint64_t)3 << 60);
  double number;

  memcpy(&number, &bits, sizeof number);
  return number;
}

/* The word of a float, which is its value if the last two bits are set (tiny_word_is_flat). */
static inline uint64_t tiny_float_word(double number)
{
  uint64_t bits;

  memcpy(&bits, &number, sizeof bits);
  bits += (uint64_t)3 << 60;
  return bits << 3 | bits >> 61;
}

static inline bool tiny_word_is_flat(uint64_t word)
{
  return (word & 3) == 3;
}

static inline value tiny_from_word(uint64_t word)
{
  return cairn_value_from((long)(word >> 1));
}

/* The value of a float that is 0.0, -0.0, or too large or small for an immediate. The function may allocate. */
value tiny_box_float(double number);

/* The value of a float. The function may allocate. */
static inline value tiny_from_float(double number)
{
  uint64_t word = tiny_float_word(number);

  return __builtin_expect(tiny_word_is_flat(word), 1) ? tiny_from_word(word) : tiny_box_float(number);
}

/* The value of an integer of 64 bits: a float, if it is too large. The function may allocate. */
static inline value tiny_from_integer(long integer)
{
  bool fits = integer >= TINY_INTEGER_MIN && integer <= TINY_INTEGER_MAX;

  return __builtin_expect(fits, 1) ? tiny_from_small(integer) : tiny_from_float((double)integer);
}

static inline value tiny_from_bool(bool truth)
{
  return truth ? TINY_TRUE : TINY_FALSE;
}

/* Only nil and false are false. */
static inline bool tiny_is_true(value v)
{
  return v != TINY_NIL && v != TINY_FALSE;
}

static inline bool tiny_is_thrown(value v)
{
  return v == TINY_THROWN;
}

#endif
