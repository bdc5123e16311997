/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: words that hold a reference or an integer, for languages with such values. The words of a unit that
 * includes this header are of the kind 0:1, unless -fcairn-words chooses another kind whose references end in zeros.
 * All units of a program must have words of one kind (docs/words.md). An integer has the bits that the kind leaves,
 * which are 63 with 0:1.
 *
 *   #include <cairn/value.h>
 *
 *   struct pair {
 *     cairn_value first, rest;
 *   };
 *
 *   long sum = 0;
 *   for (cairn_value v = list; v; v = cairn_value_object(struct pair, v)->rest) {
 *     cairn_value first = cairn_value_object(struct pair, v)->first;
 *     if (cairn_value_is_integer(first))
 *       sum += cairn_value_integer(first);
 *   }
 *
 * A cairn_value may be in all places of references: locals, parameters, results, globals, structs, arrays and objects.
 * Two values are == if they are the same integer or refer to the same object. Zero is the null reference. Each function
 * takes one or two instructions, and never allocates. Any thread may call.
 *
 * The second half of the header is for languages whose numbers are doubles, such as JavaScript and Lua: a NaN box is a
 * reference, a double, or 48 bits of one of four kinds. NaN boxes need no kind of words. A word that is read by the
 * functions of the one half must come from them.
 *
 *   cairn_value v = cairn_value_from_double(1.5);
 *   if (cairn_value_is_double(v))
 *     total += cairn_value_double(v);
 *   cairn_value yes = cairn_value_from_payload(KIND_BOOLEAN, 1), c = cairn_value_from_payload(KIND_CHARACTER, 'c');
 *
 * With -DCAIRN_PLAIN words are of the kind 0:1.
 */
#ifndef CAIRN_VALUE_H
#define CAIRN_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/cairn.h>

/* A word: a reference to an object of any type, or an integer. */
typedef struct cairn_value_ cairn_managed *cairn_value;

/* cairn_value_of(reference): the word of a reference, which must point to the start of an object. cairn_value_object(T,
 * value): the reference in the word, as a reference to T. The word must be a reference: the macro does not test it. */
#define cairn_value_of(reference) ((cairn_value)(reference))
#define cairn_value_object(T, value) ((CAIRN_OBJECT_(T) cairn_managed *)(value))

#ifndef CAIRN_PLAIN

/* The word of an integer, without the upper bits that the kind lacks, which is one bit with 0:1. */
cairn_value cairn_value_from(long integer) __asm__("cairn.tag.from") __attribute__((const, nothrow));
/* True if the word is an integer; false for a reference and for null. */
bool cairn_value_is_integer(cairn_value value) __asm__("cairn.tag.is") __attribute__((const, nothrow));
/* The integer in the word. For a reference the result is arbitrary, and may differ from call to call. */
long cairn_value_integer(cairn_value value) __asm__("cairn.tag.value") __attribute__((const, nothrow));

#else

static inline cairn_value cairn_value_from(long integer)
{
  return (cairn_value)((uintptr_t)integer << 1 | 1);
}

static inline bool cairn_value_is_integer(cairn_value value)
{
  return ((uintptr_t)value & 1) != 0;
}

static inline long cairn_value_integer(cairn_value value)
{
  return (long)(intptr_t)value >> 1;
}

#endif

/* ---- NaN boxes ---- */

/* A box is a word with some of the 16 upper bits set. cairn_box_from_() gives null for other bits. */
#ifndef CAIRN_PLAIN

cairn_value cairn_box_from_(uint64_t bits) __asm__("cairn.box.from") __attribute__((const, nothrow));
bool cairn_box_is_(cairn_value value) __asm__("cairn.box.is") __attribute__((const, nothrow));
uint64_t cairn_box_bits_(cairn_value value) __asm__("cairn.box.bits") __attribute__((const, nothrow));

#else

static inline cairn_value cairn_box_from_(uint64_t bits)
{
  return (cairn_value)(uintptr_t)(bits >> 48 ? bits : 0);
}

static inline bool cairn_box_is_(cairn_value value)
{
  return (uintptr_t)value >> 48 != 0;
}

static inline uint64_t cairn_box_bits_(cairn_value value)
{
  return (uintptr_t)value;
}

#endif

/* The upper 16 bits are 0 for references and null, 0x0002 to 0xfffa for doubles, and 0xfffc to 0xffff for payloads. */
#define CAIRN_BOX_DOUBLE_ ((uint64_t)1 << 49)
#define CAIRN_BOX_KIND_ ((uint64_t)0xfffc)
#define CAIRN_BOX_PAYLOAD_ (((uint64_t)1 << 48) - 1)
enum { CAIRN_VALUE_KINDS = 4 };

/* True for a double and for a payload; false for a reference and for null. */
static inline bool cairn_value_is_box(cairn_value value)
{
  return cairn_box_is_(value);
}

/* The word of a double. All NaNs give one word. */
static inline cairn_value cairn_value_from_double(double number)
{
  union {
    double number;
    uint64_t bits;
  } as = {.number = number};

  return cairn_box_from_((number == number ? as.bits : (uint64_t)0x7ff8 << 48) + CAIRN_BOX_DOUBLE_);
}

static inline bool cairn_value_is_double(cairn_value value)
{
  return cairn_box_bits_(value) - CAIRN_BOX_DOUBLE_ < (CAIRN_BOX_KIND_ << 48) - CAIRN_BOX_DOUBLE_;
}

/* The double in the word. For another word the result is arbitrary. */
static inline double cairn_value_double(cairn_value value)
{
  union {
    uint64_t bits;
    double number;
  } as = {.bits = cairn_box_bits_(value) - CAIRN_BOX_DOUBLE_};

  return as.number;
}

/* The word of the 48 lower bits of `payload`, of one of the kinds 0 to CAIRN_VALUE_KINDS - 1: small integers,
 * characters, truth values, addresses of native memory. */
static inline cairn_value cairn_value_from_payload(unsigned kind, uint64_t payload)
{
  return cairn_box_from_((CAIRN_BOX_KIND_ | (kind & (CAIRN_VALUE_KINDS - 1))) << 48 | (payload & CAIRN_BOX_PAYLOAD_));
}

static inline bool cairn_value_is_payload(cairn_value value, unsigned kind)
{
  return cairn_box_bits_(value) >> 48 == (CAIRN_BOX_KIND_ | (kind & (CAIRN_VALUE_KINDS - 1)));
}

/* The 48 bits of a payload, of any kind. For another word the result is arbitrary. */
static inline uint64_t cairn_value_payload(cairn_value value)
{
  return cairn_box_bits_(value) & CAIRN_BOX_PAYLOAD_;
}

#endif
