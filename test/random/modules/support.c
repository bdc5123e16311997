/* SPDX-License-Identifier: Apache-2.0
 *
 * What random modules that are run call: native code, compiled by clang alone. All that they see
 * and do comes down to one checksum per module.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>
#include "personality.h"

static uint64_t state = 1;

void random_note(int64_t number)
{
  state = (state ^ (uint64_t)number) * 6364136223846793005u + 1442695040888963407u;
}

int64_t random_next(void)
{
  random_note(1);
  return (int64_t)(state >> 32);
}

/* Without Cairn nobody takes the markers of spans away. */
void span_begin(int64_t key, const void *value) __asm__("cairn.span.begin");
void span_end(int64_t key) __asm__("cairn.span.end");

void span_begin(int64_t key, const void *value)
{
  (void)key;
  (void)value;
}

void span_end(int64_t key)
{
  (void)key;
}

void random_native(int64_t number)
{
  random_note(number);
}

void random_back(void (*function)(int64_t), int64_t number)
{
  function(number + 1);
}

double random_mean(double a, int64_t weight, double b)
{
  return (a * (double)weight + b) / (double)(weight + 1);
}

/* Numbers and reals in turn. */
int64_t random_sum(int64_t count, ...)
{
  int64_t sum = 0;
  va_list list;

  va_start(list, count);
  for (int64_t i = 0; i < count; i++)
    sum += i % 2 ? (int64_t)va_arg(list, double) : va_arg(list, int64_t);
  va_end(list);
  return sum;
}

void random_touch(void *local)
{
  (void)local;
}

/* ---- exceptions ---- */

_Unwind_Reason_Code random_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                       struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
  (void)version;
  (void)class;
  return personality(actions, exception, context);
}

void random_throw(int64_t number)
{
  struct _Unwind_Exception *exception = calloc(1, sizeof *exception);

  random_note(number);
  if (!exception)
    abort();
  _Unwind_RaiseException(exception);
  free(exception); /* nobody catches it */
  random_note(2);
}

void random_caught(void *exception)
{
  random_note(3);
  free(exception);
}

void random_report(int64_t seed, int64_t result)
{
  random_note(result);
  printf("%" PRId64 " %" PRIx64 "\n", seed, state);
  state = 1;
}
