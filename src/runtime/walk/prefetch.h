/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetch from memory ahead of a walk what it will need: the stack, and the table's entries of the
 * return addresses on it. A guess tells which words are return addresses; nothing depends on it. No
 * page is read that the walk does not read anyway: the end of a stack's memory is not always known.
 */
#ifndef CN_RUNTIME_WALK_PREFETCH_H
#define CN_RUNTIME_WALK_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/walk/index.h"

enum {
  CN_PREFETCH_FETCH = 512,                     /* words from the walk to what it fetches */
  CN_PREFETCH_PAGE = 4096 / sizeof(uintptr_t), /* words of the smallest page, looked at at once */
  CN_PREFETCH_FIRST = 1024,                    /* words of a walk, which may be short, before it fetches */
  CN_PREFETCH_LARGE = 1 << 12                  /* entries of a table that is worth it */
};

struct cn_prefetch {
  uintptr_t low, length; /* of the code; length 0: not looked up yet */
  bool begun;            /* the walk is not a short one */
};

/* Of the words from `words` to the end of the page, take those that lie in the code: store where
 * the search for each begins, and return how many they are. `words` is a multiple of 64 bytes. */
typedef size_t cn_prefetch_look(const struct cn_index *index, const struct cn_prefetch *ahead, const uintptr_t *words,
                                const struct cn_entry **start);
cn_prefetch_look cn_prefetch_look_any; /* for any processor */

/* Fetch the table's entries for the page with `slot`, which the walk reads next, on a stack that
 * ends at `end`; `pc` is an address in the code. Returns where on the stack to call this again. */
const uintptr_t *cn_prefetch_fetch(struct cn_prefetch *ahead, const struct cn_index *index, const uintptr_t *slot,
                                   const uintptr_t *end, uintptr_t pc, cn_prefetch_look *look);

#endif
