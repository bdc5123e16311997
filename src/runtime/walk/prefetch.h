/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefetches ahead of a walk: the stack, and the table's entries for its return addresses. Return addresses are
 * guessed; a wrong guess only costs time. The functions read only pages that the walk reads, too, because the end of
 * the stack's memory may be unknown.
 */
#ifndef CN_RUNTIME_WALK_PREFETCH_H
#define CN_RUNTIME_WALK_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/walk/index.h"

enum {
  CN_PREFETCH_DISTANCE_WORDS = 512,                  /* distance from the walk to its prefetches */
  CN_PREFETCH_PAGE_WORDS = 4096 / sizeof(uintptr_t), /* words of the smallest page, which one call reads */
  CN_PREFETCH_MIN_WALK_WORDS = 1024,                 /* a walk over more words begins to prefetch */
  CN_PREFETCH_MIN_TABLE_ENTRIES = 1 << 12            /* minimal size of a table whose entries are prefetched */
};

struct cn_walk_prefetcher {
  uintptr_t low, length; /* the range of managed code; length 0: not yet known */
  bool begun;            /* the walk has begun to prefetch */
};

/* For each word from `words` to the end of the page that is in the range of managed code, store the first entry of the
 * word's search. Returns the number of such words. `words` is a multiple of 64 bytes. */
typedef size_t cn_prefetch_pc_finder(const struct cn_index *index, const struct cn_walk_prefetcher *ahead,
                                     const uintptr_t *words, const struct cn_index_entry **start);
cn_prefetch_pc_finder cn_prefetch_find_pcs_any; /* for any processor */

/* Prefetch the table's entries for the page with `slot`, which the walk reads next. The stack ends at `end`; `pc` is an
 * address in managed code. Returns the stack address at which the walk must call again. */
const uintptr_t *cn_prefetch_page_entries(struct cn_walk_prefetcher *ahead, const struct cn_index *index,
                                          const uintptr_t *slot, const uintptr_t *end, uintptr_t pc,
                                          cn_prefetch_pc_finder *look);

#endif
