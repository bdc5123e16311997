/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes the numbers in the sections of frame maps and details: little-endian numbers of several widths, and
 * unsigned LEB128 of at most 64 bits ("uleb"), with zigzag encoding for negative numbers. Readers, and thus the
 * runtime, need only this header; writers append to a struct cn_bytes.
 */
#ifndef CN_FRAMEMAP_LEB_H
#define CN_FRAMEMAP_LEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"

struct cn_bytes {
  unsigned char *at;
  size_t count, room;
};

static inline uint32_t cn_load_little_endian(const unsigned char *at, unsigned bytes)
{
  uint32_t value = 0;

  CN_ASSERT(bytes <= sizeof value);
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint32_t)at[i] << 8 * i;
  return value;
}

static inline uint64_t cn_load_u64(const unsigned char *at)
{
  return cn_load_little_endian(at, 4) | (uint64_t)cn_load_little_endian(at + 4, 4) << 32;
}

/* Read a uleb. False if the number is truncated or has more than 64 bits. */
static inline bool cn_uleb_get(const unsigned char **cursor, const unsigned char *end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; *cursor < end && shift < 64; shift += 7) {
    unsigned char byte = *(*cursor)++;
    if (shift == 63 && byte > 1)
      return false;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

static inline int64_t cn_zigzag_decode(uint64_t value)
{
  return value & 1 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
}

static inline uint64_t cn_zigzag_encode(int64_t value)
{
  return value < 0 ? (uint64_t)(-(value + 1)) << 1 | 1 : (uint64_t)value << 1;
}

static inline void cn_put_little_endian(struct cn_bytes *out, uint64_t value, unsigned bytes)
{
  CN_ASSERT(bytes == 8 || value >> 8 * bytes == 0);
  for (unsigned i = 0; i < bytes; i++)
    cn_push(out, (unsigned char)(value >> 8 * i));
}

static inline void cn_set_u32(struct cn_bytes *out, size_t at, uint32_t value)
{
  CN_ASSERT(at <= out->count && out->count - at >= 4);
  for (unsigned i = 0; i < 4; i++)
    out->at[at + i] = (unsigned char)(value >> 8 * i);
}

/* The log2 of the width in bytes (1, 2 or 4) of numbers up to `value`. */
static inline unsigned cn_log2_width_of(size_t value)
{
  CN_CHECK(value <= UINT32_MAX);
  return value < 0x100 ? 0 : value < 0x10000 ? 1 : 2;
}

static inline void cn_uleb_put(struct cn_bytes *out, uint64_t value)
{
  for (; value >= 0x80; value >>= 7)
    cn_push(out, (unsigned char)(value | 0x80));
  cn_push(out, (unsigned char)value);
}

#endif
