/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefetching ahead of a walk: the stack, and the table's entries of the return addresses on it. A guess tells which
 * words are return addresses; a wrong guess only costs time. Only pages that the walk reads anyway are read: the end
 * of a stack's memory may be unknown.
 */
#ifndef CN_RUNTIME_WALK_PREFETCH_H
#define CN_RUNTIME_WALK_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/walk/index.h"

enum {
  CN_PREFETCH_DISTANCE_WORDS = 512,                  /* words from the walk to its prefetches */
  CN_PREFETCH_PAGE_WORDS = 4096 / sizeof(uintptr_t), /* words of the smallest page, read at once */
  CN_PREFETCH_MIN_WALK_WORDS = 1024,                 /* words of a walk, which may be short, before it prefetches */
  CN_PREFETCH_MIN_TABLE_ENTRIES = 1 << 12            /* entries of a table that is worth prefetching */
};

struct cn_walk_prefetcher {
  uintptr_t low, length; /* of the code; length 0: unknown so far */
  bool begun;            /* the walk is longer than a short one */
};

/* Of the words from `words` to the end of the page, take those that lie in the code: store the start of the search
 * for each, and return their number. `words` is a multiple of 64 bytes. */
typedef size_t cn_prefetch_pc_finder(const struct cn_index *index, const struct cn_walk_prefetcher *ahead,
                                     const uintptr_t *words, const struct cn_index_entry **start);
cn_prefetch_pc_finder cn_prefetch_find_pcs_any; /* for any processor */

/* Prefetch the table's entries for the page with `slot`, which the walk reads next, on a stack that ends at `end`;
 * `pc` is an address in the code. Returns the place on the stack of the next call. */
const uintptr_t *cn_prefetch_page_entries(struct cn_walk_prefetcher *ahead, const struct cn_index *index,
                                          const uintptr_t *slot, const uintptr_t *end, uintptr_t pc,
                                          cn_prefetch_pc_finder *look);

#endif
