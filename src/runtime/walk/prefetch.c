/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefetches ahead of a walk: the stack, and the entries of return addresses in the index. Words on the stack in the
 * range of managed code count as return addresses. Runs on any thread, in any phase, as its walk, which has all state;
 * the index gives the range under CN_LOCK_FRAMES.
 */
#include "runtime/walk/prefetch.h"

#include "base/check.h"

enum { PREFETCH_PAGE_BYTES = CN_PREFETCH_PAGE_WORDS * sizeof(uintptr_t), CACHE_LINE_BYTES = 64 };
_Static_assert(PREFETCH_PAGE_BYTES % CACHE_LINE_BYTES == 0 && CACHE_LINE_BYTES % sizeof(uintptr_t) == 0,
               "pages are whole lines");

size_t cn_prefetch_find_pcs_any(const struct cn_index *index, const struct cn_walk_prefetcher *ahead,
                                const uintptr_t *words, const struct cn_index_entry **start)
{
  const uintptr_t *end = words + (PREFETCH_PAGE_BYTES - (uintptr_t)words % PREFETCH_PAGE_BYTES) / sizeof *words;
  size_t count = 0;

  CN_ASSERT((uintptr_t)words % CACHE_LINE_BYTES == 0);
  for (; words != end; words++) {
    start[count] = cn_index_first_probe(index, *words);
    count += *words - ahead->low <= ahead->length;
  }
  return count;
}

const uintptr_t *cn_prefetch_page_entries(struct cn_walk_prefetcher *ahead, const struct cn_index *index,
                                          const uintptr_t *slot, const uintptr_t *end, uintptr_t pc,
                                          cn_prefetch_pc_finder *look)
{
  const struct cn_index_entry
      *start[CN_PREFETCH_PAGE_WORDS + CACHE_LINE_BYTES / sizeof(uintptr_t)]; /* room for whole cache lines */
  const uintptr_t *words = slot - (uintptr_t)slot % CACHE_LINE_BYTES / sizeof *slot;
  const uintptr_t *stop = words + (PREFETCH_PAGE_BYTES - (uintptr_t)words % PREFETCH_PAGE_BYTES) / sizeof *words;

  CN_ASSERT(slot < end);
  ahead->begun = true;
  if (ahead->length == 0) {
    if (index->mask + 1 < CN_PREFETCH_MIN_TABLE_ENTRIES || !cn_index_image_range(pc, &ahead->low, &ahead->length))
      return end;
    ahead->length -= ahead->low;
  }
  size_t count = look(index, ahead, words, start);
  CN_CHECK(count <= CN_PREFETCH_PAGE_WORDS);
  for (size_t i = 0; i < count; i++)
    __builtin_prefetch(start[i]);
  return stop < end ? stop : end;
}
