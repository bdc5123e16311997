/* SPDX-License-Identifier: Apache-2.0
 *
 * Copying objects.
 */
#ifndef CN_COLLECTORS_COPY_H
#define CN_COLLECTORS_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/check.h"

/* Copies whole words, in line for small objects, whose copy takes less time than a call. */
static inline void cn_copy_words(uintptr_t *to, const uintptr_t *from, size_t bytes)
{
  enum { MAX_INLINE_COPY_BYTES = 128 };

  CN_ASSERT(bytes % sizeof *to == 0);
  if (bytes > MAX_INLINE_COPY_BYTES) {
    memcpy(to, from, bytes);
    return;
  }
  if (bytes % 16 != 0)
    *to++ = *from++;
  for (const uintptr_t *end = from + bytes / 16 * 2; from != end; from += 2, to += 2) {
    memcpy(to, from, 16);
    __asm__ volatile(""); /* keeps the compiler from replacing the loop by a call of memcpy() */
  }
}

/* Like cn_copy_words(), for objects that nearly always have only a few words. */
static inline __attribute__((always_inline)) void cn_copy_few_words(uintptr_t *to, const uintptr_t *from, size_t bytes)
{
  enum { MAX_UNROLLED_WORDS = 8 };

  CN_ASSERT(bytes % sizeof *to == 0);
  if (bytes > MAX_UNROLLED_WORDS * sizeof *to) {
    memcpy(to, from, bytes);
    return;
  }
  for (size_t i = 0; i < bytes / sizeof *to; i++) {
    to[i] = from[i];
    __asm__("" ::: "memory"); /* keeps the compiler from replacing the loop by a call of memcpy() */
  }
}

#endif
