/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of the old space, and the holes in them: ranges of lines without an object. S. Blackburn, K. McKinley, "Immix:
 * a mark-region garbage collector" (2008).
 *
 * Phase STOP. Several tracers may call cn_blocks_next_hole() and cn_blocks_allocate_for_object() at once. Only the
 * collecting thread calls the other functions, or a step of the background thread between two stops.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cn_block_state {
  CN_BLOCK_WITHOUT_MEMORY, /* without memory */
  CN_BLOCK_FREE,           /* memory without objects */
  CN_BLOCK_HOLES,          /* objects, and holes that are to be filled */
  CN_BLOCK_USED,           /* objects, and holes that stay unfilled */
  CN_BLOCK_SOURCE,         /* objects that the collection is to copy, so that the block becomes free */
  CN_BLOCK_UNSWEPT,        /* objects, and holes that are unknown yet */
  CN_BLOCK_NURSERY,        /* part of a nursery that cn_blocks_make_extent() made */
  CN_BLOCK_IN_PRECOMMIT,   /* gets memory concurrently */
};

/* A hole: a tracer puts copies there. */
struct cn_copy_cursor {
  uintptr_t free, end;
};

void cn_blocks_init(void);

/* The bounds of all blocks that have objects. */
void cn_blocks_bounds(size_t *low, size_t *high);

/* True if the block has objects of the old space. */
bool cn_blocks_block_has_objects(size_t block);

/* Set *cursor to the next hole, or, if `fresh`, to a whole block. The rest of the former hole stays as it is. False:
 * there is no memory, and *cursor is unchanged. */
bool cn_blocks_next_hole(struct cn_copy_cursor *cursor, bool fresh);

/* True if the pause is to be short: memory that must be found within it comes in small pages. */
void cn_blocks_expect_short_pause(bool expected);

/* Ensure memory for copies of `bytes` in all, by as many tracers. False: there is too little. */
bool cn_blocks_ensure_free(size_t bytes, size_t tracers);

/* INIT, for short pauses: get memory, if there is any, so that the first collection need not wait for it. */
void cn_blocks_populate_initial(size_t bytes, size_t tracers);

/* After a collection: start to get memory for as many copies concurrently, since the first access to a large page takes
 * milliseconds. A collection that comes earlier gets it itself. */
void cn_blocks_start_precommit(size_t bytes, size_t tracers);
/* Before a collection: take the blocks that have got memory meanwhile; or stop getting it. */
void cn_blocks_take_precommitted(void);
void cn_blocks_cancel_precommit(void);

/* Blocks for one object of `bytes`; 0: there is no memory. */
uintptr_t cn_blocks_allocate_for_object(size_t bytes);

/* Blocks of `state` for `bytes`, at addresses that were unused for long. False: there are no addresses, or no
 * memory. */
struct cn_extent {
  uintptr_t start, end;
};
bool cn_blocks_make_extent(size_t bytes, enum cn_block_state state, struct cn_extent *extent);

/* Addresses for a nursery: `bytes`, or fewer if no range is as long, and at least `least`. Blocks in the first `least`
 * bytes keep the memory that they have. False: there is no such range. */
bool cn_blocks_place_nursery(size_t bytes, size_t least, struct cn_extent *extent);

/* A nursery that cn_blocks_make_extent() made ends at `end`: reserve the addresses behind it, up to `bytes`, and return
 * their end. cn_blocks_return_behind(): the nursery stays within `end`, and the other addresses are usable again. */
uintptr_t cn_blocks_reserve_behind(uintptr_t end, size_t bytes);
void cn_blocks_return_behind(uintptr_t end);

/* The nursery leaves these blocks, which have memory up to `memory`. Blocks with marked lines have objects that stayed,
 * and are old from here on; the others are free. Returns the bytes of the old ones. */
size_t cn_blocks_leave_nursery(struct cn_extent extent, uintptr_t memory);

/* Release the memory of all blocks, except these two ranges and blocks with marked lines: their marked objects stay.
 * The blocks of `kept` from `used` on are free. */
void cn_blocks_release_all_but(struct cn_extent kept, uintptr_t used, struct cn_extent nursery);

/* An object of the block must stay: the block is a source no longer. */
void cn_blocks_keep_source(size_t block);

/* cn_blocks_free_emptied_source(): a source has lost all objects, and is free. cn_blocks_reopen_holes(): the holes of a
 * block are to be filled again. */
void cn_blocks_free_emptied_source(size_t block);
void cn_blocks_reopen_holes(size_t block);

/* Before a full collection: forget all holes. Objects of at most `bytes` that lie in sparse blocks are to be copied; or
 * all objects, which take at most `bytes`. */
void cn_blocks_begin_full(size_t bytes, bool all);

/* When all reachable objects are marked: the marked objects are the block's objects from now on, and no block is swept.
 * `counted`: the marker has counted cn_tables.filled. */
void cn_blocks_swap_marks(bool counted);

/* Visit at most `most` blocks, and sweep them: their free memory is usable, and their marks are cleared. False: all
 * blocks are swept, those that cn_blocks_next_hole() swept included. */
bool cn_blocks_sweep_some(size_t most);

/* Bytes of lines with objects, when all blocks have been swept. */
size_t cn_blocks_line_bytes(void);

/* Discard the memory of free blocks from *from on, at most `bytes` of it, and set *from to where the next call
 * continues. False: all blocks were visited. A step of the background thread. */
bool cn_blocks_discard_free_memory(size_t *from, size_t bytes);

/* Release free memory beyond `bytes`, about `most` of it. True: there is more to release. */
bool cn_blocks_release_free(size_t bytes, size_t most);

#endif
