/* SPDX-License-Identifier: Apache-2.0
 *
 * A personality for languages that tests make up (Itanium C++ ABI: Exception Handling, level II):
 * any landing pad with an action catches everything, one without cleans up. For native code that is
 * compiled by clang alone.
 */
#ifndef CN_TEST_PERSONALITY_H
#define CN_TEST_PERSONALITY_H

#include <stdint.h>
#include <string.h>
#include <unwind.h>

static uint64_t read_leb(const uint8_t **at)
{
  uint64_t value = 0;
  unsigned shift = 0;

  do
    value |= (uint64_t)(**at & 0x7f) << shift, shift += 7;
  while (*(*at)++ & 0x80);
  return value;
}

/* clang's tables have call sites in uleb128 (encoding 1), or four bytes. */
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

static _Unwind_Reason_Code personality(_Unwind_Action actions, struct _Unwind_Exception *exception,
                                       struct _Unwind_Context *context)
{
  uint64_t action = 0;
  uintptr_t pad = find_pad(context, _Unwind_GetIP(context) - 1, &action);

  if (!pad)
    return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE)
    return action ? _URC_HANDLER_FOUND : _URC_CONTINUE_UNWIND;
  if (action && !(actions & _UA_HANDLER_FRAME) && !(actions & _UA_FORCE_UNWIND))
    return _URC_CONTINUE_UNWIND;
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), (uintptr_t)exception);
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(1), action != 0);
  _Unwind_SetIP(context, pad);
  return _URC_INSTALL_CONTEXT;
}

#endif
