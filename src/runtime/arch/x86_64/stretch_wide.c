/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the fast walk for processors with vectors of eight (AVX-512): where all callee-saved
 * registers are kept, and the stack pointer, is one of them; saving is one masked addition, and
 * eight roots take five instructions.
 */
#pragma GCC target("avx512f,avx512dq,avx512vl,bmi,bmi2,popcnt")

#include <immintrin.h>
#include "runtime/stretch.h"

struct lanes {
  __m512i at;
};
enum { LANES = (1 << CN_CALLEE_SAVED) - 1, SP_LANE = 1 << CN_PLAIN_SP };

static inline struct lanes lanes_load(uintptr_t *const *place)
{
  return (struct lanes){_mm512_maskz_loadu_epi64(LANES, place)};
}

static inline void lanes_store(struct lanes lanes, uintptr_t *place)
{
  _mm512_mask_storeu_epi64(place, LANES, lanes.at);
}

static inline struct lanes lanes_save(struct lanes lanes, unsigned mask, uintptr_t cfa)
{
  __mmask8 saved = (__mmask8)mask;
  __m512i offset = _mm512_maskz_loadu_epi64(saved, cn_arch_shapes[mask].offset);

  lanes.at = _mm512_mask_add_epi64(lanes.at, saved, _mm512_set1_epi64((long long)cfa), offset);
  return lanes;
}

static inline void lanes_note(struct lanes lanes, uintptr_t sp, const uint16_t *code,
                              unsigned count, uintptr_t **out)
{
  const __m512i low = _mm512_set1_epi64(CN_PLAIN_REG);
  __m512i at = _mm512_mask_set1_epi64(lanes.at, SP_LANE, (long long)sp);
  unsigned i = 0;

  do {
    __m512i codes = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(code + i)));
    __m512i base = _mm512_permutexvar_epi64(codes, at); /* by the low three bits */
    _mm512_storeu_si512(out + i, _mm512_add_epi64(base, _mm512_andnot_si512(low, codes)));
    i += CN_STRETCH_GROUP;
  } while (__builtin_expect(i < count, 0));
}

static inline size_t lanes_look(const struct cn_stretch *stretch, const uintptr_t *words,
                                const struct cn_entry **start)
{
  const __m512i low = _mm512_set1_epi64((long long)stretch->low);
  const __m512i length = _mm512_set1_epi64((long long)stretch->length);
  const __m512i factor = _mm512_set1_epi64((long long)CN_INDEX_FACTOR);
  const __m512i whole = _mm512_set1_epi64(-(long long)sizeof(struct cn_entry));
  const __m512i at = _mm512_set1_epi64((long long)(uintptr_t)stretch->index->at);
  const __m128i shift = _mm_cvtsi32_si128((int)stretch->index->shift);
  size_t count = 0;

  for (int i = 0; i < CN_STRETCH_AHEAD; i += 8) {
    __m512i word = _mm512_loadu_si512(words + i);
    __mmask8 there = _mm512_cmple_epu64_mask(_mm512_sub_epi64(word, low), length);
    __m512i hash = _mm512_srl_epi64(_mm512_mullo_epi64(word, factor), shift);
    __m512i begin = _mm512_add_epi64(at, _mm512_and_si512(hash, whole));
    _mm512_storeu_si512(start + count, _mm512_maskz_compress_epi64(there, begin));
    count += (size_t)__builtin_popcount(there);
  }
  return count;
}

#include "runtime/stretch_loop.h"

cn_stretch_loop *cn_arch_stretch(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")
             ? loop
             : NULL;
}
