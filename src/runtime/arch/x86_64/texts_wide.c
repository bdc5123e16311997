/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads managed texts by vectors of 32 bytes (AVX2). A vector that begins at a multiple of 32 lies on one page, so it
 * may reach beyond the end of its text. Comparisons read two texts of different alignment, up to the end of the page of
 * either. The functions are leaves, like those of texts.c. Any thread, phase MUTATE; no state, no locks.
 */
#pragma GCC target("avx2,bmi")

#include "runtime/arch/x86_64/texts.h"

#include <immintrin.h>
#include <stdbool.h>

enum { PAGE_BYTES = 4096, VECTOR_BYTES = 32, GROUP_BYTES = 128 };

static inline uint32_t zero_bytes(__m256i v)
{
  return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}

static inline __m256i lesser_of_four(__m256i a, __m256i b, __m256i c, __m256i d)
{
  return _mm256_min_epu8(_mm256_min_epu8(a, b), _mm256_min_epu8(c, d));
}

/* The index of the first zero byte of four vectors, which have one. */
static inline size_t first_zero(__m256i a, __m256i b, __m256i c, __m256i d)
{
  uint64_t low = zero_bytes(a) | (uint64_t)zero_bytes(b) << 32, high = zero_bytes(c) | (uint64_t)zero_bytes(d) << 32;

  return low != 0 ? (size_t)_tzcnt_u64(low) : 64 + (size_t)_tzcnt_u64(high);
}

/* ---- one text ---- */

/* The vector at `at`, a multiple of 32, with zeros at the text's end and at bytes equal to `wanted`'s. */
static inline __m256i load_stops(const char *at, __m256i wanted, bool ends_only)
{
  __m256i v = _mm256_load_si256((const __m256i *)at);

  return ends_only ? v : _mm256_min_epu8(_mm256_xor_si256(v, wanted), v);
}

/* The index of the first stop in the text, which may be more than `limit`; SIZE_MAX if no byte up to `limit` is one. */
static inline __attribute__((always_inline)) size_t find_stop(const char *text, __m256i wanted, bool ends_only,
                                                              size_t limit)
{
  const char *at = (const char *)((uintptr_t)text & -(uintptr_t)VECTOR_BYTES), *end = text + limit;
  uint32_t stops = zero_bytes(load_stops(at, wanted, ends_only)) >> (text - at);

  if (stops != 0)
    return (size_t)_tzcnt_u32(stops);
  for (at += VECTOR_BYTES; at < end; at += VECTOR_BYTES) {
    for (; (uintptr_t)at % GROUP_BYTES == 0 && at < end; at += GROUP_BYTES) {
      __m256i a = load_stops(at, wanted, ends_only), b = load_stops(at + VECTOR_BYTES, wanted, ends_only);
      __m256i c = load_stops(at + 2 * VECTOR_BYTES, wanted, ends_only);
      __m256i d = load_stops(at + 3 * VECTOR_BYTES, wanted, ends_only);
      if (zero_bytes(lesser_of_four(a, b, c, d)) != 0)
        return (size_t)(at - text) + first_zero(a, b, c, d);
    }
    if ((stops = zero_bytes(load_stops(at, wanted, ends_only))) != 0)
      return (size_t)(at - text) + (size_t)_tzcnt_u32(stops);
  }
  return SIZE_MAX;
}

size_t cn_text_length_wide(const char *text, size_t limit)
{
  size_t length = find_stop(text, _mm256_setzero_si256(), true, limit);

  return length <= limit ? length : SIZE_MAX;
}

size_t cn_text_find_wide(const char *text, int c, size_t limit)
{
  size_t at = find_stop(text, _mm256_set1_epi8((char)c), false, limit);

  if (at >= limit)
    return limit;
  return text[at] == (char)c ? at : SIZE_MAX;
}

/* ---- two texts ---- */

/* The vector of `a` with zeros at its end and where `b` differs. */
static inline __m256i load_differences(const char *a, const char *b)
{
  __m256i v = _mm256_loadu_si256((const __m256i *)a);

  return _mm256_min_epu8(_mm256_cmpeq_epi8(v, _mm256_loadu_si256((const __m256i *)b)), v);
}

static inline size_t bytes_on_page(const char *text)
{
  return PAGE_BYTES - ((uintptr_t)text & (PAGE_BYTES - 1));
}

static inline size_t lesser(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* The index of the first difference or common end in [at, end), or `end`. The bytes before `at` are equal, and the
 * bytes before `end` are readable. */
static size_t find_difference(const char *a, const char *b, size_t at, size_t end)
{
  uint32_t stops;

  for (; end - at >= GROUP_BYTES; at += GROUP_BYTES) {
    __m256i first = load_differences(a + at, b + at);
    __m256i second = load_differences(a + at + VECTOR_BYTES, b + at + VECTOR_BYTES);
    __m256i third = load_differences(a + at + 2 * VECTOR_BYTES, b + at + 2 * VECTOR_BYTES);
    __m256i fourth = load_differences(a + at + 3 * VECTOR_BYTES, b + at + 3 * VECTOR_BYTES);
    if (zero_bytes(lesser_of_four(first, second, third, fourth)) != 0)
      return at + first_zero(first, second, third, fourth);
  }
  for (; end - at >= VECTOR_BYTES; at += VECTOR_BYTES)
    if ((stops = zero_bytes(load_differences(a + at, b + at))) != 0)
      return at + (size_t)_tzcnt_u32(stops);
  if (at < end && end >= VECTOR_BYTES) { /* the last vector overlaps bytes that are equal */
    at = end - VECTOR_BYTES;
    stops = zero_bytes(load_differences(a + at, b + at));
    return stops != 0 ? at + (size_t)_tzcnt_u32(stops) : end;
  }
  while (at < end && a[at] == b[at] && a[at] != 0)
    at++;
  return at;
}

int64_t cn_text_compare_wide(const char *a, const char *b, size_t limit)
{
  for (size_t at = 0; at < limit;) {
    size_t end = at + lesser(lesser(bytes_on_page(a + at), bytes_on_page(b + at)), limit - at);
    at = find_difference(a, b, at, end);
    if (at < end)
      return (unsigned char)a[at] - (unsigned char)b[at];
  }
  return INT64_MIN;
}
