/* SPDX-License-Identifier: Apache-2.0
 *
 * What a walk will need is fetched from memory before: the stack, and what the table has of the
 * return addresses on it. Which words are return addresses is guessed, and nothing depends on it.
 * No page is read that the walk does not read anyway: where a stack's memory ends is not always
 * known.
 */
#ifndef CN_RUNTIME_WALK_PREFETCH_H
#define CN_RUNTIME_WALK_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/walk/index.h"

/* Words: so far ahead the stack is fetched; all of a page is looked at at once for return
 * addresses; not the first so many of a walk, as it may be a short one; and only if the table has
 * so many entries. */
enum {
  CN_PREFETCH_FETCH = 512,
  CN_PREFETCH_PAGE = 4096 / sizeof(uintptr_t), /* the smallest page there is */
  CN_PREFETCH_FIRST = 1024,
  CN_PREFETCH_LARGE = 1 << 12
};

struct cn_prefetch {
  uintptr_t low, length; /* of the code; length 0: not asked for yet */
  bool begun;            /* the walk is not a short one */
};

/* For those of the words from `words` to the end of the page that lie in the code, where a search
 * for them begins; how many. `words` is a multiple of 64 bytes. */
typedef size_t cn_prefetch_look(const struct cn_index *index, const struct cn_prefetch *ahead,
                                const uintptr_t *words, const struct cn_entry **start);
cn_prefetch_look cn_prefetch_look_any; /* for any processor */

/* Fetch of the table for the page with `slot`, which the walk reads next, on a stack that has this
 * end; `pc` is an address in the code. Returns where on the stack there is more to do. */
const uintptr_t *cn_prefetch_fetch(struct cn_prefetch *ahead, const struct cn_index *index,
                                   const uintptr_t *slot, const uintptr_t *end, uintptr_t pc,
                                   cn_prefetch_look *look);

#endif
