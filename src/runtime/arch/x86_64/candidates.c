/* SPDX-License-Identifier: Apache-2.0
 *
 * x86-64 port: what a walk reads of frames ahead of it.
 */
#include <emmintrin.h>
#include "runtime/arch/arch.h"

/* ---- where pushes put registers ---- */

/* Compilers push in this order: rbp r15 r14 r13 r12 rbx; the first one lands at CFA - 16. */
enum {
  BEFORE_RBP = 0,
  BEFORE_R15 = 1 << CN_RBP,
  BEFORE_R14 = BEFORE_R15 | 1 << CN_R15,
  BEFORE_R13 = BEFORE_R14 | 1 << CN_R14,
  BEFORE_R12 = BEFORE_R13 | 1 << CN_R13,
  BEFORE_RBX = BEFORE_R12 | 1 << CN_R12,
};

#define KEEP(mask, reg) ((mask) >> CN_##reg & 1 ? 0 : UINTPTR_MAX)
#define OFFSET(mask, reg)                                                           \
  ((mask) >> CN_##reg & 1                                                           \
       ? (uintptr_t)0 - 16 - 8 * (uintptr_t)__builtin_popcount((mask)&BEFORE_##reg) \
       : 0)
#define EACH(what, mask)                                                                     \
  {                                                                                          \
    what(mask, RBX), what(mask, RBP), what(mask, R12), what(mask, R13), what(mask, R14),     \
        what(mask, R15)                                                                      \
  }
#define SHAPE(mask) {.keep = EACH(KEEP, mask), .offset = EACH(OFFSET, mask)}
#define SHAPES4(mask) SHAPE(mask), SHAPE((mask) + 1), SHAPE((mask) + 2), SHAPE((mask) + 3)
#define SHAPES16(mask) \
  SHAPES4(mask), SHAPES4((mask) + 4), SHAPES4((mask) + 8), SHAPES4((mask) + 12)

const struct cn_shape cn_arch_shapes[1 << CN_CALLEE_SAVED] = {SHAPES16(0), SHAPES16(16),
                                                              SHAPES16(32), SHAPES16(48)};

/* ---- words that may be return addresses ---- */

/* Four words: all bits of a lane of the result are set if the word lies in the range. Before, low +
 * 2^31 is subtracted of all 64 bits: then the upper half is 0 or -1 as the lower half is negative or
 * not, and the lower half is compared as a signed number. */
static inline __m128i in_range(const uintptr_t *words, __m128i bias, __m128i limit)
{
  __m128i a = _mm_sub_epi64(_mm_loadu_si128((const __m128i *)words), bias);
  __m128i b = _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(words + 2)), bias);
  __m128i low = _mm_castps_si128(
      _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  __m128i high = _mm_castps_si128(
      _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));

  return _mm_andnot_si128(_mm_cmpgt_epi32(low, limit),
                          _mm_cmpeq_epi32(high, _mm_srai_epi32(low, 31)));
}

uint64_t cn_arch_candidates(const uintptr_t *words, uintptr_t low, uint32_t length)
{
  const __m128i bias = _mm_set1_epi64x((long long)(low + (UINT64_C(1) << 31)));
  const __m128i limit = _mm_set1_epi32((int32_t)((int64_t)length - (INT64_C(1) << 31)));
  uint64_t found = 0;

  for (int i = 0; i < 64; i += 16) {
    __m128i a = _mm_packs_epi32(in_range(words + i, bias, limit),
                                in_range(words + i + 4, bias, limit));
    __m128i b = _mm_packs_epi32(in_range(words + i + 8, bias, limit),
                                in_range(words + i + 12, bias, limit));
    found |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << i;
  }
  return found;
}
