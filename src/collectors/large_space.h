/* SPDX-License-Identifier: Apache-2.0
 *
 * The large-object space. Each object has separate pages, and stays in place, because a collection marks it instead of
 * copying it. The space consists of blocks, and is independent of layouts. The functions are called under the
 * collector's lock in phase MUTATE, and by the collecting thread in phase STOP. Checks of copies call
 * cn_large_find_block() in phase MUTATE without the lock.
 */
#ifndef CN_COLLECTORS_LARGE_SPACE_H
#define CN_COLLECTORS_LARGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserves addresses for blocks of `bytes` in all, and for gaps between them. Returns false if there are too few
 * addresses; the space then stays empty. */
bool cn_large_init(size_t bytes);
/* Like cn_large_init(), at reserved addresses, whose bounds are multiples of the page size. */
bool cn_large_init_at(uintptr_t base, size_t bytes);

/* Allocates a block, which may have nonzero bytes before `*zero`. Returns 0 if addresses or memory are exhausted. */
uintptr_t cn_large_allocate(size_t bytes, uintptr_t *zero);

/* Clears the first `bytes` of a block of cn_large_allocate(), without its lock. */
void cn_large_clear_nonzero_bytes(uintptr_t block, uintptr_t zero, size_t bytes);

/* Lengthens a shorter block to `bytes` in place. Returns false if the memory behind the block is in use or
 * exhausted. */
bool cn_large_lengthen(uintptr_t block, size_t bytes);

bool cn_large_contains(uintptr_t address);

void cn_large_space_bounds(uintptr_t *start, uintptr_t *end);

/* Reports the memory of the space by cairn_memory_part(); objects take `objects` bytes of it. */
void cn_large_report_memory(size_t objects);

/* The block that contains `address`, with the end of its pages in *end, or 0. */
uintptr_t cn_large_find_block(uintptr_t address, uintptr_t *end);

/* Marks the block that begins at `block`, for this collection. Returns false if the block was marked before. Any number
 * of threads may call cn_large_mark(), cn_large_is_marked() and cn_large_find_block() at once. */
bool cn_large_mark(uintptr_t block);
bool cn_large_is_marked(uintptr_t block);

/* Push a marked block onto the list of grey blocks, and pop a block, or 0 if the list is empty. A collection may push
 * each block once. */
void cn_large_push_gray(uintptr_t block);
uintptr_t cn_large_pop_gray(void);

/* Frees the unmarked blocks. The other blocks keep their marks if `keep`; otherwise the marks are cleared. Returns the
 * bytes of pages in use. */
size_t cn_large_sweep(bool keep);

/* Functions for collectors whose old objects keep their marks. cn_large_clear_marks() clears the marks of all blocks.
 * cn_large_free_block() frees an unmarked block; the next sweep joins it with neighbouring free runs. */
void cn_large_clear_marks(void);
void cn_large_free_block(uintptr_t block);

/* Discards the memory of free pages, up to `bytes` per call, from position *at on, and advances *at. The caller resets
 * *at to 0, the first page, after each collection. Returns false when all free pages have been visited. MUTATE, under
 * the lock of cn_large_allocate(). */
struct cn_large_discard_position {
  uint32_t run, pages;
};
bool cn_large_discard_free_pages(struct cn_large_discard_position *at, size_t bytes);

/* Frees the unmarked blocks, and makes their addresses inaccessible. The collector must not allocate in the space any
 * more. Returns the bytes of pages of the marked blocks, which keep their marks. */
size_t cn_large_abandon_unmarked(void);

/* The first block after `block`, or the first of all blocks if `block` is 0. Returns 0 at the end. */
uintptr_t cn_large_next_block(uintptr_t block);

#endif
