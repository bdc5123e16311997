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

#endif
