/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of the old space, and the holes in them: runs of lines without an object. S. Blackburn,
 * K. McKinley, "Immix: a mark-region garbage collector" (2008).
 *
 * Phase STOP. Several tracers may ask for room at once; what else there is, the collecting thread
 * calls alone.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cn_block_state {
  CN_BLOCK_NONE,    /* it has no memory */
  CN_BLOCK_FREE,    /* it has memory, without objects */
  CN_BLOCK_HOLES,   /* objects, and holes that nobody has */
  CN_BLOCK_USED,    /* objects, and holes that are not to be filled */
  CN_BLOCK_SOURCE,  /* objects that a full collection is to copy, so that the block is free */
  CN_BLOCK_UNSWEPT, /* objects, and it is not known what holes */
  CN_BLOCK_NURSERY, /* it is part of a nursery that cn_blocks_extent() made */
  CN_BLOCK_ASIDE,   /* it gets memory beside the program */
};

/* Where one tracer puts copies: a hole. */
struct cn_copy_cursor {
  uintptr_t free, end;
};

/* INIT. */
void cn_blocks_init(void);

/* The bounds of the blocks that have objects: no others lie outside. */
void cn_blocks_bounds(size_t *low, size_t *high);

/* Does the block have objects of the old space? */
bool cn_blocks_has_objects(size_t block);

/* Make *room the next hole, or, if `fresh`, a whole block. What was left of it stays as it is.
 * False: no memory; the room is as it was. */
bool cn_blocks_next(struct cn_copy_cursor *room, bool fresh);

/* Is the pause to be short? Then memory that must be found in it comes in small pages. */
void cn_blocks_hurry(bool hurry);

/* See that there is memory for copies of `bytes` in all, by as many tracers. False: there is none.
 */
bool cn_blocks_ensure(size_t bytes, size_t tracers);

/* INIT, for short pauses: have some, if there is any, so that the first does not wait for it. */
void cn_blocks_begin(size_t bytes, size_t tracers);

/* After a collection: see beside the program that there is memory for as many copies, for the first
 * access to a large page takes milliseconds. A collection that comes earlier finds it itself. */
void cn_blocks_supply(size_t bytes, size_t tracers);
/* Before one: what has been found meanwhile is free. Or end that. */
void cn_blocks_take_supply(void);
void cn_blocks_end_supply(void);

/* Blocks for one object of `bytes`; 0: no memory. */
uintptr_t cn_blocks_run(size_t bytes);

/* Blocks of `state` for `bytes` where nothing was for long. False: no addresses, or no memory. */
struct cn_extent {
  uintptr_t start, end;
};
bool cn_blocks_extent(size_t bytes, enum cn_block_state state, struct cn_extent *extent);

/* Addresses for a nursery: of `bytes`, or of fewer where not so many are left in a row, but of
 * `least`. Up to there memory may be found, and stays. False: there are none. */
bool cn_blocks_place(size_t bytes, size_t least, struct cn_extent *extent);

/* A nursery that cn_blocks_extent() made ends at `end`: have nobody else get addresses behind it,
 * up to `bytes`. Returns where these end. Later: it does not grow beyond `end`. */
uintptr_t cn_blocks_behind(uintptr_t end, size_t bytes);
void cn_blocks_end_behind(uintptr_t end);

/* The nursery leaves these blocks, which have memory up to `memory`. Those with objects that
 * stayed, in lines that are marked, are old from here on, the others free. Returns the bytes of the
 * former.
 */
size_t cn_blocks_end_nursery(struct cn_extent extent, uintptr_t memory);

/* Take the memory of all blocks away but that of these two extents, and of blocks with lines that
 * are marked: of these the objects that are marked stay. From `used` on, the blocks of `kept` are
 * free. */
void cn_blocks_leave(struct cn_extent kept, uintptr_t used, struct cn_extent nursery);

/* An object of the block is not to move: it is no source any more. */
void cn_blocks_keep(size_t block);

/* Nothing is left in a source: it is free. Or holes in a block that nobody was to fill are to be.
 */
void cn_blocks_empty(size_t block);
void cn_blocks_fill(size_t block);

/* Before a full collection: no hole is known. Objects of at most `bytes` that lie in
 * blocks with much room are to be copied; or all, which take no more. */
void cn_blocks_unmark(size_t bytes, bool all);

/* When all is marked: the objects that there are, are those that are marked. No block is swept. */
void cn_blocks_turn(bool counted);

/* Sweep blocks, as many of which are at most looked at: what is free in them can be used, and their
 * marks are none. False: all have been swept; those that holes are looked for in have, too. */
bool cn_blocks_sweep(size_t most);

/* Bytes of lines with objects, when all blocks have been swept. */
size_t cn_blocks_line_bytes(void);

/* Discard the memory of free blocks from *from on, up to `bytes` of it, which is to go on from
 * *from. False: that is all. A step beside the program. */
bool cn_blocks_discard(size_t *from, size_t bytes);

/* Give memory back beyond that of blocks with objects and `bytes` more, but only about `most`.
 * True: there is more to give. */
bool cn_blocks_trim(size_t bytes, size_t most);

#endif
