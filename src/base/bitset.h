/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit sets as arrays of 64-bit words that the caller owns.
 */
#ifndef CN_BASE_BITSET_H
#define CN_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_BITSET_WORDS(bits) (((bits) + 63) / 64)

static inline bool cn_bitset_contains(const uint64_t *set, size_t i)
{
  return set[i / 64] >> (i % 64) & 1;
}
static inline void cn_bitset_add(uint64_t *set, size_t i)
{
  set[i / 64] |= UINT64_C(1) << (i % 64);
}

#endif
