/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the loop of the fast walk for processors with vectors of eight (AVX-512). One vector has the places of all
 * callee-saved registers and the stack pointer. A frame's saves are one masked addition, and eight roots take five
 * instructions. All processors with AVX-512 can prefetch for writing. Phase STOP, any thread; one thread at a time uses
 * a walk; no state, no locks.
 */
#pragma GCC target("avx512f,avx512dq,avx512vl,bmi,bmi2,popcnt,prfchw")

#include <immintrin.h>
#include "runtime/roots/fast_walk.h"

struct lanes {
  __m512i at;
};
enum { SAVED_LANES_MASK = (1 << CN_CALLEE_SAVED_COUNT) - 1, SP_LANE_BIT = 1 << CN_PLAIN_SP };
_Static_assert((int)CN_ENTRY_SHAPE_MASK == (int)SAVED_LANES_MASK && (int)CN_ENTRY_SP_BIT == (int)SP_LANE_BIT,
               "an entry's value has a bit for each lane, since its shape is a mask");

static inline struct lanes lanes_load(uintptr_t *const *place, uintptr_t sp)
{
  __m512i at = _mm512_maskz_loadu_epi64(SAVED_LANES_MASK, place);

  return (struct lanes){_mm512_mask_set1_epi64(at, SP_LANE_BIT, (long long)sp)};
}

static inline void lanes_store(struct lanes lanes, uintptr_t **place)
{
  _mm512_mask_storeu_epi64(place, SAVED_LANES_MASK, lanes.at);
}

/* Apply the pushes of a prologue. The unused lane gets an arbitrary value. */
static inline struct lanes lanes_apply_pushes(struct lanes lanes, uint64_t value, uintptr_t cfa)
{
  __m512i offset = _mm512_load_si512(cn_arch_prologue_shapes[value & CN_ENTRY_SHAPE_MASK].offset);

  lanes.at = _mm512_mask_add_epi64(lanes.at, (__mmask8)value, _mm512_set1_epi64((long long)cfa), offset);
  return lanes;
}

static inline void lanes_write_root_places(struct lanes lanes, const uint16_t *code, unsigned count, uintptr_t **out)
{
  const __m512i low = _mm512_set1_epi64(CN_PLAIN_REG_MASK);
  __m512i codes = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)code));
  __m512i base = _mm512_permutexvar_epi64(codes, lanes.at); /* the low three bits of a code select the lane */

  (void)count;
  _mm512_storeu_si512(out, _mm512_add_epi64(base, _mm512_andnot_si512(low, codes)));
}

static size_t lanes_find_entries(const struct cn_index *index, const struct cn_walk_prefetcher *ahead,
                                 const uintptr_t *words, const struct cn_index_entry **start)
{
  const __m512i low = _mm512_set1_epi64((long long)ahead->low);
  const __m512i length = _mm512_set1_epi64((long long)ahead->length);
  const __m512i factor = _mm512_set1_epi64((long long)CN_INDEX_FACTOR);
  const __m512i whole = _mm512_set1_epi64(-(long long)sizeof(struct cn_index_entry));
  const __m512i at = _mm512_set1_epi64((long long)(uintptr_t)index->at);
  const __m128i shift = _mm_cvtsi32_si128((int)index->shift);
  size_t count = 0;

  for (size_t i = (uintptr_t)words / sizeof *words % CN_PREFETCH_PAGE_WORDS; i < CN_PREFETCH_PAGE_WORDS; i += 8) {
    __m512i word = _mm512_load_si512(words);
    words += 8;
    __mmask8 there = _mm512_cmple_epu64_mask(_mm512_sub_epi64(word, low), length);
    __m512i hash = _mm512_srl_epi64(_mm512_mullo_epi64(word, factor), shift);
    __m512i begin = _mm512_add_epi64(at, _mm512_and_si512(hash, whole));
    _mm512_storeu_si512(start + count, _mm512_maskz_compress_epi64(there, begin));
    count += (size_t)__builtin_popcount(there);
  }
  return count;
}

#include "runtime/roots/fast_walk_loop.h"

cn_fast_walk_loop *cn_arch_find_fast_walk(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")
             ? walk_regular_frames
             : NULL;
}
