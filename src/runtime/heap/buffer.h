/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutator's allocation buffer, and the handlers' part: a small buffer for signal handlers that interrupted managed
 * code (signals.h).
 *
 *     start                alloc                       end    start        alloc             end
 *      |  objects           |  blocks may be under      |      |  objects   |                 |
 *      |                    |  way from here on         |      |            |                 |
 *      buffer                                                  handlers
 *
 * In-line allocation is load, compare, store: an interrupted thread may take CAIRN_ABI_INLINE_ALLOC_MAX bytes from
 * `alloc` on as soon as it continues, so these bytes are closed to handlers. Both parts lie in memory that the
 * collector gave. Before the collector takes it back, fillers are put into the gaps between objects, so that it can
 * walk from block to block.
 */
#ifndef CN_RUNTIME_HEAP_BUFFER_H
#define CN_RUNTIME_HEAP_BUFFER_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Allocate a block in the buffer, which may contain anything. Null: the buffer has too little room. */
void *cn_buffer_allocate_block(struct cairn_mutator *mutator, size_t bytes);

/* Clear the parts of such a block that may differ from zero. */
void cn_buffer_clear_block(const struct cairn_mutator *mutator, void *block, size_t bytes);

/* Make the block [block, end) longer by `bytes`, if it is the last one of the buffer and there is room. The new bytes
 * may contain anything. Only while managed code is uninterrupted: interrupted code may have a block under way. */
bool cn_buffer_extend_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end, size_t bytes);

/* Like cn_buffer_allocate_block(), while managed code is interrupted. */
void *cn_buffer_allocate_for_handler(struct cairn_mutator *mutator, size_t bytes);

/* While `extend` is true, memory that the collector gives is for cn_buffer_allocate_for_handler(), and memory that it
 * takes back counts as full. */
void cn_buffer_set_handlers_only(struct cairn_mutator *mutator, bool extend);

/* True if handlers have so little memory left that a collection is due. */
bool cn_buffer_is_handler_part_low(const struct cairn_mutator *mutator);

/* The object in [block, end) is dead. If it is the last one of the buffer, the next block gets its place, and memory
 * that came as zero is zero again. Returns whether it is the last one. */
bool cn_buffer_free_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end);

/* Give the program the memory that handlers have left unused. Called after a collection that freed too little. */
void cn_buffer_merge_handler_part(struct cairn_mutator *mutator);

/* From here on every allocation comes to the slow path, until cn_poll_word_open_alloc_limit(). */
void cn_buffer_close_to_inline(struct cairn_mutator *mutator);

/* The interrupted code is abandoned (a handler jumped over it). Give headers to the blocks that it allocated last and
 * left without one, and note these blocks as ones that may never have been filled (uncleared.h). */
void cn_buffer_fill_unfinished(struct cairn_mutator *mutator);

/* Bytes allocated so far in allocation buffers, headers included. */
uint64_t cn_buffer_allocated_bytes(const struct cairn_mutator *mutator);

/*  The invariant of both parts, and of the mutator (mutator.h), that is broken; null: all hold. The invariants say:
 *   - the blocks of handlers lie in the handlers' part
 *   - blocks that were walked over lie in the buffer
 * The mutator's own thread, in a slow path. */
const char *cn_buffer_wrong(const struct cairn_mutator *mutator);

/* The mutator ends: fill the rest of both parts. Called while no stop is under way. */
void cn_buffer_retire_mutator(struct cairn_mutator *mutator);

#endif
