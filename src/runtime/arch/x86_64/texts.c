/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads managed texts up to a limit, for compiled code (markers/library_calls.c, <cairn/string.h>), which reads longer
 * texts in pieces with polls between them. The functions are leaves: they get the address of a text, which stays in
 * place meanwhile, and keep it nowhere. Two vectors read the first 32 bytes unless they might lie on two pages, so
 * short texts take a few nanoseconds. Any thread, phase MUTATE; no state, no locks.
 */
#include "runtime/arch/x86_64/texts.h"

#include <emmintrin.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { PAGE_BYTES = 4096, PROBE_BYTES = 32, FIRST_PIECE_BYTES = 64 };

#pragma GCC visibility push(default)
size_t cairn_text_length(const char *text, size_t limit);
int64_t cairn_text_compare(const char *a, const char *b, size_t limit);
size_t cairn_text_find(const char *text, int c, size_t limit); /* <cairn/string.h> */
#pragma GCC visibility pop

/* True if the memory of the first PROBE_BYTES is readable, although the text may end before. */
static inline bool may_probe(const char *text)
{
  return ((uintptr_t)text & (PAGE_BYTES - 1)) <= PAGE_BYTES - PROBE_BYTES;
}

/* Bit i of the result tells whether byte i of the two vectors is zero. */
static inline uint32_t zero_bytes(__m128i low, __m128i high)
{
  const __m128i zero = _mm_setzero_si128();

  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, zero)) |
         (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, zero)) << 16;
}

static inline __m128i load(const char *at)
{
  return _mm_loadu_si128((const __m128i *)at);
}

/* ---- longer texts ---- */

static NOINLINE size_t find_end(const char *text, size_t limit)
{
  if (__builtin_cpu_supports("avx2"))
    return cn_text_length_wide(text, limit);
  const char *end = memchr(text, 0, limit);
  return end != NULL ? (size_t)(end - text) : SIZE_MAX;
}

static NOINLINE int64_t compare_pieces(const char *a, const char *b, size_t limit)
{
  if (__builtin_cpu_supports("avx2"))
    return cn_text_compare_wide(a, b, limit);
  int order = strncmp(a, b, limit);
  return order != 0 || memchr(a, 0, limit) != NULL ? order : INT64_MIN;
}

/* The pieces grow, so that the end of a long text is not searched for a byte at its start. */
static NOINLINE size_t find_in_pieces(const char *text, int c, size_t limit)
{
  if (__builtin_cpu_supports("avx2"))
    return cn_text_find_wide(text, c, limit);
  for (size_t at = 0, piece = FIRST_PIECE_BYTES; at < limit; at += piece, piece *= 2) {
    piece = piece < limit - at ? piece : limit - at;
    size_t length = strnlen(text + at, piece);
    const char *found = memchr(text + at, c, length + (length < piece));
    if (found != NULL)
      return (size_t)(found - text);
    if (length < piece)
      return SIZE_MAX;
  }
  return limit;
}

/* ---- all texts ---- */

/* The length of the text, or SIZE_MAX if it is longer than `limit` bytes, which are at least PROBE_BYTES. */
size_t cairn_text_length(const char *text, size_t limit)
{
  if (may_probe(text)) {
    uint32_t ends = zero_bytes(load(text), load(text + 16));
    if (ends != 0)
      return (size_t)__builtin_ctz(ends);
  }
  return find_end(text, limit);
}

/* The order of the texts, as of strcmp(), or INT64_MIN if their first `limit` bytes are equal, without the end. */
int64_t cairn_text_compare(const char *a, const char *b, size_t limit)
{
  if (may_probe(a) && may_probe(b)) {
    __m128i low = load(a), high = load(a + 16);
    /* The lesser of equality and byte is 0 where the text ends and where the texts differ. */
    __m128i low_same = _mm_min_epu8(_mm_cmpeq_epi8(low, load(b)), low);
    __m128i high_same = _mm_min_epu8(_mm_cmpeq_epi8(high, load(b + 16)), high);
    uint32_t ends = zero_bytes(low_same, high_same);
    if (ends != 0) {
      int at = __builtin_ctz(ends);
      return (unsigned char)a[at] - (unsigned char)b[at];
    }
  }
  return compare_pieces(a, b, limit);
}

/* The index of byte `c`; SIZE_MAX if the text ends before; `limit` if the text is longer than `limit` bytes. */
size_t cairn_text_find(const char *text, int c, size_t limit)
{
  const __m128i wanted = _mm_set1_epi8((char)c);

  if (may_probe(text)) {
    __m128i low = load(text), high = load(text + 16);
    /* The lesser of difference and byte is 0 where the text ends and where it has the byte. */
    uint32_t ends =
        zero_bytes(_mm_min_epu8(_mm_xor_si128(low, wanted), low), _mm_min_epu8(_mm_xor_si128(high, wanted), high));
    if (ends != 0) {
      size_t at = (size_t)__builtin_ctz(ends);
      return text[at] == (char)c ? at : SIZE_MAX;
    }
  }
  return find_in_pieces(text, c, limit);
}
