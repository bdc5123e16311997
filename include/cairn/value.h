/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: words that hold a reference or an integer, for languages whose values are either. A
 * unit that uses them is of the kind 0:1, unless -fcairn-words says otherwise: another one in which
 * references end in zeros. All units of a program must be of one kind (docs/words.md). An integer
 * has the bits of a long that the kind leaves it, 63 with 0:1.
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
 * A cairn_value may be held wherever a reference may: in locals, parameters, results, globals,
 * structs, arrays and objects. Two are == if they are the same integer or lead to the same object.
 * Zero is the null reference. No function here allocates, or takes longer than an instruction or
 * two; any thread.
 *
 * With -DCAIRN_PLAIN words are of kind 0:1.
 */
#ifndef CAIRN_VALUE_H
#define CAIRN_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/cairn.h>

/* A word: a reference to an object of any type, or an integer. */
typedef struct cairn_value_ cairn_managed *cairn_value;

/* cairn_value_of(reference): the word that is this reference, which leads to the start of an
 * object. cairn_value_object(T, value): the reference that the word is, as one to a T. Whoever asks
 * knows that it is no integer: nothing tests that. */
#define cairn_value_of(reference) ((cairn_value)(reference))
#define cairn_value_object(T, value) ((CAIRN_OBJECT_(T) cairn_managed *)(value))

#ifndef CAIRN_PLAIN

/* The word that is this integer, whose upper bits are dropped: one bit with 0:1. */
cairn_value cairn_value_from(long integer) __asm__("cairn.tag.from") __attribute__((const, nothrow));
/* Is it an integer? Else it is a reference, or null. */
bool cairn_value_is_integer(cairn_value value) __asm__("cairn.tag.is") __attribute__((const, nothrow));
/* The integer that the word is. Of a reference: any number, and another each time. */
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
