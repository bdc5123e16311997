/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises x86-64 instructions before a return address. Each port has such a file. Only reads bytes, and holds no
 * state.
 */
#include "object/build/instructions.h"

#include "base/check.h"

/* Recognises E8 rel32, and FF /2 with all addressing forms. The shortest form that fits counts. */
unsigned cn_port_call_length(const unsigned char *start, const unsigned char *end)
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
unsigned cn_port_nop_length(const unsigned char *start, const unsigned char *end)
{
  size_t room = (size_t)(end - start);

  if (room >= 1 && end[-1] == 0x90)
    return 1;
  for (unsigned length = 3; length <= 8 && length <= room; length++)
    if (end[-(ptrdiff_t)length] == 0x0f && end[1 - (ptrdiff_t)length] == 0x1f)
      return length;
  return 0;
}
