/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects: each has pages of its own and stays where it is, so that a collection marks it
 * instead of copying it. Knows nothing of layouts. Its functions are called under the collector's
 * lock in phase MUTATE, and by the collecting thread in phase STOP.
 */
#ifndef CN_COLLECTORS_LARGE_SPACE_H
#define CN_COLLECTORS_LARGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserve addresses for blocks of `bytes` in all, and for what lies between them. False: there are
 * none, and there will be no blocks. */
bool cn_large_init(size_t bytes);
/* The same at reserved addresses, multiples of the page. */
bool cn_large_init_at(uintptr_t base, size_t bytes);

/* A block; 0: no addresses, or no memory. Before `*zero` it may be other than zero. */
uintptr_t cn_large_allocate(size_t bytes, uintptr_t *zero);

/* Make the block so many bytes long where it is, if that is more. False: what follows it is in use,
 * or there is no memory. */
bool cn_large_lengthen(uintptr_t block, size_t bytes);

/* True if `address` lies where blocks do. */
bool cn_large_contains(uintptr_t address);

/* Where blocks may be. */
void cn_large_bounds(uintptr_t *start, uintptr_t *end);

/* The block that has `address`, and where its pages end through `end`; 0: none has. */
uintptr_t cn_large_find(uintptr_t address, uintptr_t *end);

/* Mark the block that begins there, for this collection. False: it was marked. Any number of
 * threads may mark, find and look at once. */
bool cn_large_mark(uintptr_t block);
bool cn_large_is_marked(uintptr_t block);

/* Remember a block that was marked, and take one back; 0: there is none left. Each at most once in
 * a collection. */
void cn_large_push(uintptr_t block);
uintptr_t cn_large_pop(void);

/* Free the blocks that are not marked, and take the marks off the others unless they are to `keep`
 * them. Returns the bytes of pages that are left. */
size_t cn_large_sweep(bool keep);

/* For collectors whose old objects keep their marks. Take the marks off all blocks. And free one
 * that is not marked: neighbours become one run at the next sweep. */
void cn_large_unmark(void);
void cn_large_free(uintptr_t block);

/* Discard the memory of free pages, up to `bytes` at a time, from where the last call ended on;
 * from the first on if *at is 0, as it is after each collection. False: that is all. MUTATE, under
 * the lock of cn_large_allocate(). */
struct cn_large_idle {
  uint32_t run, pages;
};
bool cn_large_discard(struct cn_large_idle *at, size_t bytes);

/* Free the blocks that are not marked, and make their addresses inaccessible; there will be no
 * further ones. Returns the bytes of pages of the others, which keep their marks. */
size_t cn_large_leave(void);

/* The first block after `block`, or the first of all if that is 0; 0: there is none. */
uintptr_t cn_large_next(uintptr_t block);

#endif
