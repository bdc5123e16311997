/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of well-formed UTF-8 sequences (RFC 3629, section 4), for writers of JSON and HTML. Holds no state.
 */
#include "base/utf8.h"

unsigned cn_utf8_sequence_length(const unsigned char *c, size_t size)
{
  static const struct {
    unsigned char first, last, low, high; /* range of the first byte, range of the second byte */
    unsigned length;
  } forms[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
               {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
               {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

  for (size_t i = 0; size > 0 && i < sizeof forms / sizeof *forms; i++) {
    if (c[0] < forms[i].first || c[0] > forms[i].last)
      continue;
    if (forms[i].length > size || (forms[i].length > 1 && (c[1] < forms[i].low || c[1] > forms[i].high)))
      return 0;
    for (unsigned k = 2; k < forms[i].length; k++)
      if ((c[k] & 0xc0) != 0x80)
        return 0;
    return forms[i].length;
  }
  return 0;
}
