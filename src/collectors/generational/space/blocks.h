/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of the old space and their holes, which are ranges of lines without an object. S. Blackburn, K. McKinley,
 * "Immix: a mark-region garbage collector" (2008).
 *
 * Phase STOP. Several tracers may call cn_blocks_next_hole(), cn_blocks_allocate_for_object(), cn_blocks_bounds() and
 * cn_blocks_block_has_objects() at once. Only the collecting thread, or a step of the background thread between two
 * stops, calls the other functions; cn_blocks_init() and cn_blocks_populate_initial() run in phase INIT.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cn_block_state {
  CN_BLOCK_WITHOUT_MEMORY, /* without memory */
  CN_BLOCK_FREE,           /* memory without objects */
  CN_BLOCK_HOLES,          /* objects, and holes that tracers may fill */
  CN_BLOCK_USED,           /* objects, and holes that stay unfilled */
  CN_BLOCK_SOURCE,         /* objects that the collection copies, so that the block becomes free */
  CN_BLOCK_UNSWEPT,        /* objects, and holes that a sweep must find */
  CN_BLOCK_NURSERY,        /* part of a nursery that cn_blocks_make_extent() made */
  CN_BLOCK_IN_PRECOMMIT,   /* a block that background pre-commit gives memory */
};

/* A range of addresses. */
struct cn_extent {
  uintptr_t start, end;
};

/* The rest of a hole that a tracer fills with copies. */
struct cn_copy_cursor {
  uintptr_t free, end;
};

void cn_blocks_init(void);

void cn_blocks_bounds(size_t *low, size_t *high);

bool cn_blocks_block_has_objects(size_t block);

/* The first block in [block, end) that has memory, or `end`. The search is fast, because ranges without memory are
 * long. */
size_t cn_blocks_next_with_memory(size_t block, size_t end);

/* Moves *from to the next block before `end` with objects, or to `end`. Returns the end of the row of such blocks that
 * begins there. */
size_t cn_blocks_next_row_with_objects(size_t *from, size_t end);

/* Sets *cursor to the next hole, or, if `fresh`, to a free block. The rest of the former hole stays unused. Returns
 * false, and leaves *cursor unchanged, if there is no memory. */
bool cn_blocks_next_hole(struct cn_copy_cursor *cursor, bool fresh);

/* Announces whether the pause should be short: memory that the pause needs then comes in small pages. */
void cn_blocks_expect_short_pause(bool expected);

/* Ensures free blocks for copies of `bytes` in all by `tracers` tracers. Returns false if there is too little
 * memory. */
bool cn_blocks_ensure_free(size_t bytes, size_t tracers);

/* For short pauses. Gets memory for copies and populates it, if memory suffices, so that the first collection
 * does not wait for it. */
void cn_blocks_populate_initial(size_t bytes, size_t tracers);

/* Called after a collection. Starts a background pre-commit of memory for copies of `bytes`, because the first access
 * to a large page takes milliseconds. A collection that comes before the end of the pre-commit gets the memory
 * itself. */
void cn_blocks_start_precommit(size_t bytes, size_t tracers);
/* Called before a collection. cn_blocks_take_precommitted() takes the blocks of a pre-commit that is over.
 * cn_blocks_cancel_precommit() cancels a pre-commit. */
void cn_blocks_take_precommitted(void);
void cn_blocks_cancel_precommit(void);
/* The blocks of the pre-commit, which may be none. */
struct cn_extent cn_blocks_precommit_extent(void);

/* Allocates blocks for one object of `bytes`. Returns 0 if there is no memory. */
uintptr_t cn_blocks_allocate_for_object(size_t bytes);

/* Makes an extent of `bytes`, whose blocks get `state`, at addresses that were unused for long. Returns false if
 * addresses or memory are exhausted. */
bool cn_blocks_make_extent(size_t bytes, enum cn_block_state state, struct cn_extent *extent);

/* Finds at least `least` bytes of addresses for a nursery, and `bytes` if a free range is as long. Blocks in the first
 * `least` bytes keep their memory. Returns false if there is no such range. */
bool cn_blocks_place_nursery(size_t bytes, size_t least, struct cn_extent *extent);

/* Finds addresses for a nursery that moves often: `bytes`, or less if the longest row of free blocks is shorter,
 * because the memory of free blocks is in use again at once. The extent has memory up to *memory. Returns false if
 * addresses are exhausted. */
bool cn_blocks_move_nursery(size_t bytes, struct cn_extent *extent, uintptr_t *memory);

/* Reserves up to `bytes` of addresses behind a nursery of cn_blocks_make_extent(), which ends at `end`, and returns the
 * end of the addresses. cn_blocks_return_behind() returns the reserved addresses from `end` on. */
uintptr_t cn_blocks_reserve_behind(uintptr_t end, size_t bytes);
void cn_blocks_return_behind(uintptr_t end);

/* Makes the nursery's blocks, which have memory up to `memory`, blocks of the old space. Blocks with marked lines have
 * objects that stayed; other blocks become free. Returns the bytes of blocks with objects. */
size_t cn_blocks_leave_nursery(struct cn_extent extent, uintptr_t memory);

/* Releases the memory of all blocks, except the extents `kept` and `nursery`, and blocks with marked lines, whose
 * marked objects stay. The blocks of `kept` from `used` on become free. */
void cn_blocks_release_all_but(struct cn_extent kept, uintptr_t used, struct cn_extent nursery);

/* Makes a source an ordinary block, because an object of the block must stay. */
void cn_blocks_keep_source(size_t block);

/* cn_blocks_free_emptied_source() makes a source free, after all its objects have been copied. cn_blocks_reopen_holes()
 * lets tracers fill the holes of a block again. */
void cn_blocks_free_emptied_source(size_t block);
void cn_blocks_reopen_holes(size_t block);

/* Called before a full collection. Closes all holes, and chooses the blocks whose objects the collection copies: sparse
 * blocks with at most `bytes` of lines, or, if `all`, all blocks. If `bytes` is 0, the function chooses no block. */
void cn_blocks_begin_full(size_t bytes, bool all);

/* Called when all reachable objects are marked: the marks become the starts of objects, and all blocks become UNSWEPT.
 * `counted` says that the marker has counted cn_tables.filled. */
void cn_blocks_swap_marks(bool counted);

/* Sweeps at most `most` blocks: clears their marks and makes their free memory usable. Returns false when all blocks
 * are swept, including the blocks that cn_blocks_next_hole() swept. */
bool cn_blocks_sweep_some(size_t most);

/* The bytes of lines with objects, when all blocks have been swept. */
size_t cn_blocks_line_bytes(void);

/* Discards the memory of free blocks from block *from on, at most `bytes`, and sets *from to the block where the next
 * call continues. Returns false when all blocks have been visited. A step of the background thread. */
bool cn_blocks_discard_free_memory(size_t *from, size_t bytes);

/* Releases free memory beyond `bytes`, about `most` bytes at a time. Returns true if there is more to release. */
bool cn_blocks_release_free(size_t bytes, size_t most);

/* ---- unmapped.c: a log of the memory that collections left, which explains a fault at an address ---- */

/* STOP. Notes that collection `number` has moved all objects away from [start, end). */
void cn_unmapped_note_range(uintptr_t start, uintptr_t end, uint64_t number);

/* The last collection that moved objects away from `address`, or 0 if the log lacks the address. Async-signal-safe. */
uint64_t cn_unmapped_find_collection(uintptr_t address);

#endif
