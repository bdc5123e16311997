/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises x86-64 instructions before a return address. Each port has such a file. Only reads bytes, and holds no
 * state.
 */
#include "object/build/instructions.h"

#include "base/check.h"

/* Recognises E8 rel32, and FF /2 with all addressing forms. The shortest form that fits counts. */
static unsigned call_length(const unsigned char *start, const unsigned char *end)
{
  CN_ASSERT(start <= end);
  size_t room = (size_t)(end - start);

  for (unsigned length = 2; length <= 7 && length <= room; length++) {
    const unsigned char *at = end - length;
    if (length == 5 && at[0] == 0xe8)
      return length;
    if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
      continue;
    unsigned mode = at[1] >> 6, base = at[1] & 7;
    bool sib = mode != 3 && base == 4;
    if (sib && length < 3)
      continue;
    unsigned want = sib ? 3 : 2;
    if (mode == 1 || mode == 2)
      want += mode == 1 ? 1 : 4;
    if (mode == 0 && (base == 5 || (sib && (at[2] & 7) == 5)))
      want += 4;
    if (want == length)
      return length;
  }
  return 0;
}

/* Recognises 90, and 0F 1F /0 of any length. */
static unsigned nop_length(const unsigned char *start, const unsigned char *end)
{
  size_t room = (size_t)(end - start);

  if (room >= 1 && end[-1] == 0x90)
    return 1;
  for (unsigned length = 3; length <= 8 && length <= room; length++)
    if (end[-(ptrdiff_t)length] == 0x0f && end[1 - (ptrdiff_t)length] == 0x1f)
      return length;
  return 0;
}

/* The length of the no-op at `at`, after prefixes 66 and 2e: 90, or 0f 1f with an addressing form. 0 for other code. */
static size_t nop_length_at(const unsigned char *at, const unsigned char *end)
{
  const unsigned char *p = at;

  while (p < end && (*p == 0x66 || *p == 0x2e))
    p++;
  if (p < end && *p == 0x90)
    return (size_t)(p + 1 - at);
  if (end - p < 3 || p[0] != 0x0f || p[1] != 0x1f)
    return 0;
  unsigned mode = p[2] >> 6, base = p[2] & 7;
  size_t length = 3u + (base == 4 ? 1u : 0u) + (mode == 1 ? 1u : mode == 2 ? 4u : 0u);
  if (mode == 3 || (mode == 0 && base == 5) || length > (size_t)(end - p) || (base == 4 && p[3] != 0))
    return 0;
  return (size_t)(p - at) + length;
}

static bool is_nops(const unsigned char *start, const unsigned char *end)
{
  CN_ASSERT(start <= end);
  while (start < end) {
    size_t length = nop_length_at(start, end);
    if (!length)
      return false;
    start += length;
  }
  return true;
}

/* Recognises movabs to a scratch register, and a call of the register. */
static unsigned target_call_length(const unsigned char *start, const unsigned char *end)
{
  enum { MOVE_BYTES = 10 };

  if (end - start < MOVE_BYTES + 2 || (start[0] & 0xfe) != 0x48 || (start[1] & 0xf8) != 0xb8)
    return 0;
  bool high = start[0] & 1;
  const unsigned char *call = start + MOVE_BYTES + high;
  if (high && (end - start < MOVE_BYTES + 3 || start[MOVE_BYTES] != 0x41))
    return 0;
  return call[0] == 0xff && call[1] == (0xd0 | (start[1] & 7)) ? MOVE_BYTES + 2u + high : 0;
}

/* Stack maps tell all frames of this port. */
static const char *frame_refusal(const unsigned char *start, const unsigned char *end)
{
  CN_ASSERT(start <= end);
  return NULL;
}

const struct cn_instructions cn_instructions_x86_64 = {.port = &cn_frame_port_x86_64,
                                                       .call_length = call_length,
                                                       .nop_length = nop_length,
                                                       .is_nops = is_nops,
                                                       .target_call_length = target_call_length,
                                                       .frame_refusal = frame_refusal};
