/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefetches ahead of a walk: words on the stack that lie in the code pass for return addresses.
 */
#include "runtime/walk/prefetch.h"

#include "base/check.h"

enum { PAGE = CN_PREFETCH_PAGE * sizeof(uintptr_t), LINE = 64 };
_Static_assert(PAGE % LINE == 0 && LINE % sizeof(uintptr_t) == 0, "pages are whole lines");

size_t cn_prefetch_look_any(const struct cn_index *index, const struct cn_prefetch *ahead, const uintptr_t *words,
                            const struct cn_entry **start)
{
  const uintptr_t *end = words + (PAGE - (uintptr_t)words % PAGE) / sizeof *words;
  size_t count = 0;

  CN_ASSERT((uintptr_t)words % LINE == 0);
  for (; words != end; words++) {
    start[count] = cn_index_start(index, *words);
    count += *words - ahead->low <= ahead->length;
  }
  return count;
}

const uintptr_t *cn_prefetch_fetch(struct cn_prefetch *ahead, const struct cn_index *index, const uintptr_t *slot,
                                   const uintptr_t *end, uintptr_t pc, cn_prefetch_look *look)
{
  const struct cn_entry *start[CN_PREFETCH_PAGE + LINE / sizeof(uintptr_t)]; /* written by lines */
  const uintptr_t *words = slot - (uintptr_t)slot % LINE / sizeof *slot;
  const uintptr_t *stop = words + (PAGE - (uintptr_t)words % PAGE) / sizeof *words;

  CN_ASSERT(slot < end);
  ahead->begun = true;
  if (ahead->length == 0) {
    if (index->mask + 1 < CN_PREFETCH_LARGE || !cn_index_range(pc, &ahead->low, &ahead->length))
      return end;
    ahead->length -= ahead->low;
  }
  size_t count = look(index, ahead, words, start);
  CN_CHECK(count <= CN_PREFETCH_PAGE);
  for (size_t i = 0; i < count; i++)
    __builtin_prefetch(start[i]);
  return stop < end ? stop : end;
}
