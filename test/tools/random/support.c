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
#include <string.h>
#include <unwind.h>

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

/* ---- exceptions: a pad with an action catches everything, one without cleans up ---- */

static uint64_t read_leb(const uint8_t **at)
{
  uint64_t value = 0;
  unsigned shift = 0;

  do
    value |= (uint64_t)(**at & 0x7f) << shift, shift += 7;
  while (*(*at)++ & 0x80);
  return value;
}

static uint64_t read_field(const uint8_t **at, uint8_t encoding)
{
  uint32_t word;

  if (encoding == 1)
    return read_leb(at);
  memcpy(&word, *at, sizeof word);
  *at += sizeof word;
  return word;
}

/* The landing pad of the call at `ip`, or 0. */
static uintptr_t find_pad(struct _Unwind_Context *context, uintptr_t ip, uint64_t *action)
{
  const uint8_t *at = _Unwind_GetLanguageSpecificData(context);
  uintptr_t start = _Unwind_GetRegionStart(context);

  if (!at)
    return 0;
  at++; /* landing pads start where the function does */
  if (*at++ != 0xff)
    read_leb(&at);
  uint8_t encoding = *at++;
  uint64_t size = read_leb(&at);
  for (const uint8_t *end = at + size; at < end;) {
    uint64_t from = read_field(&at, encoding), length = read_field(&at, encoding);
    uint64_t pad = read_field(&at, encoding);
    *action = read_leb(&at);
    if (ip >= start + from && ip < start + from + length)
      return pad ? start + pad : 0;
  }
  return 0;
}

_Unwind_Reason_Code random_personality(int version, _Unwind_Action actions,
                                       _Unwind_Exception_Class class,
                                       struct _Unwind_Exception *exception,
                                       struct _Unwind_Context *context)
{
  uint64_t action = 0;
  uintptr_t pad = find_pad(context, _Unwind_GetIP(context) - 1, &action);

  (void)version;
  (void)class;
  if (!pad)
    return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE)
    return action ? _URC_HANDLER_FOUND : _URC_CONTINUE_UNWIND;
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), (uintptr_t)exception);
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(1), action != 0);
  _Unwind_SetIP(context, pad);
  return _URC_INSTALL_CONTEXT;
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
