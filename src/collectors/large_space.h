/* SPDX-License-Identifier: Apache-2.0
 *
 * The large-object space. Each object has separate pages, and stays where it is: a collection marks it instead of
 * copying it. The space works with blocks, and is independent of layouts. Its functions are called under the
 * collector's lock in phase MUTATE, and by the collecting thread in phase STOP.
 */
#ifndef CN_COLLECTORS_LARGE_SPACE_H
#define CN_COLLECTORS_LARGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserve addresses for blocks of `bytes` in all, and for gaps between them. False: there are too few, and the space
 * stays empty. */
bool cn_large_init(size_t bytes);
/* Like cn_large_init(), at reserved addresses, multiples of the page. */
bool cn_large_init_at(uintptr_t base, size_t bytes);

/* Allocate a block; 0: there are no addresses, or no memory. It may have nonzero bytes before `*zero`. */
uintptr_t cn_large_allocate(size_t bytes, uintptr_t *zero);

/* Lengthen the block to `bytes` in place, if that is more. False: the memory behind it is in use, or there is too
 * little. */
bool cn_large_lengthen(uintptr_t block, size_t bytes);

/* True if `address` lies in the space. */
bool cn_large_contains(uintptr_t address);

/* The bounds of the space. */
void cn_large_space_bounds(uintptr_t *start, uintptr_t *end);

/* The block that has `address`, or 0; `end` gets the end of its pages. */
uintptr_t cn_large_find_block(uintptr_t address, uintptr_t *end);

/* Mark the block that begins there, for this collection. False: it was marked before. Any number of threads may call
 * these and cn_large_find_block() at once. */
bool cn_large_mark(uintptr_t block);
bool cn_large_is_marked(uintptr_t block);

/* Push a marked block; pop one, or 0 if all are popped. Each block at most once in a collection. */
void cn_large_push_gray(uintptr_t block);
uintptr_t cn_large_pop_gray(void);

/* Free the unmarked blocks, and clear the marks of the others, unless they are to `keep` them. Returns the bytes of
 * pages in use. */
size_t cn_large_sweep(bool keep);

/* For collectors whose old objects keep their marks: clear the marks of all blocks; free an unmarked block, whose
 * neighbours join it at the next sweep. */
void cn_large_clear_marks(void);
void cn_large_free_block(uintptr_t block);

/* Discard the memory of free pages, up to `bytes` at a time, from where the last call ended; from the first on if *at
 * is 0, as it is after each collection. False: all free pages were visited. MUTATE, under the lock of
 * cn_large_allocate(). */
struct cn_large_discard_position {
  uint32_t run, pages;
};
bool cn_large_discard_free_pages(struct cn_large_discard_position *at, size_t bytes);

/* Free the unmarked blocks, and make their addresses inaccessible; the space is closed for allocation. Returns the
 * bytes of pages of the other blocks, which keep their marks. */
size_t cn_large_abandon_unmarked(void);

/* The first block after `block`, or the first of all if that is 0; 0 at the end. */
uintptr_t cn_large_next_block(uintptr_t block);

#endif
