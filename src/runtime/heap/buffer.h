/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutator's allocation buffer. Its handlers' part is a small buffer for signal handlers that interrupted managed code
 * (signals.h).
 *
 *     start                alloc                       end    start        alloc             end
 *      |  objects           |  blocks may be under      |      |  objects   |                 |
 *      |                    |  way from here on         |      |            |                 |
 *      buffer                                                  handlers
 *
 * In-line allocation loads `alloc`, compares it with the limit, and stores it. An interrupted thread may therefore
 * allocate up to CAIRN_ABI_INLINE_ALLOC_MAX bytes at `alloc` when it continues, and handlers must not use these bytes.
 * Both parts lie in memory that the collector gave. Before the collector takes this memory back, fillers close the gaps
 * between objects, so that the collector can walk from block to block.
 */
#ifndef CN_RUNTIME_HEAP_BUFFER_H
#define CN_RUNTIME_HEAP_BUFFER_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Allocate an uncleared block in the buffer. Null: the buffer has too little room. */
void *cn_buffer_allocate_block(struct cairn_mutator *mutator, size_t bytes);

/* Clear the parts of an allocated block that may differ from zero. */
void cn_buffer_clear_block(const struct cairn_mutator *mutator, void *block, size_t bytes);

/* Make the block [block, end) longer by `bytes`, if it is the buffer's last block and there is room. The new bytes are
 * uncleared. Signal handlers must not call this function, because the interrupted code may be allocating a block. */
bool cn_buffer_extend_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end, size_t bytes);

/* Like cn_buffer_allocate_block(), for a signal handler that interrupted managed code. */
void *cn_buffer_allocate_for_handler(struct cairn_mutator *mutator, size_t bytes);

/* While `extend` is true, only cn_buffer_allocate_for_handler() uses memory that the collector gives, and buffers that
 * the collector takes back count as full. */
void cn_buffer_set_handlers_only(struct cairn_mutator *mutator, bool extend);

/* True if the handlers' part is almost full, so that a collection is due. */
bool cn_buffer_is_handler_part_low(const struct cairn_mutator *mutator);

/* Free the block [block, end) of a dead object if it is the buffer's last block. The next block reuses the memory,
 * which is zero again if the collector gave it as zero. True if the block was the last. */
bool cn_buffer_free_last_block(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end);

/* Give the unused memory of the handlers' part to the program. Called after a collection that freed too little. */
void cn_buffer_merge_handler_part(struct cairn_mutator *mutator);

/* Send every allocation to the slow path until the next cn_poll_word_open_alloc_limit(). */
void cn_buffer_close_to_inline(struct cairn_mutator *mutator);

/* Called after a handler's jump has abandoned the interrupted code: give headers to the blocks that this code allocated
 * last and left without headers, and note that these blocks may be unfilled (uncleared.c). */
void cn_buffer_fill_unfinished(struct cairn_mutator *mutator);

/* The number of bytes that the mutator has allocated in buffers, including headers. */
uint64_t cn_buffer_allocated_bytes(const struct cairn_mutator *mutator);

/*  Check the invariants of the mutator (mutator.h) and of both parts. Returns the error, or null. The parts'
 *  invariants:
 *   - the blocks of handlers lie in the handlers' part
 *   - `walkable` lies in the used memory of the buffer
 * Called by the mutator's own thread, in a slow path. */
const char *cn_buffer_wrong(const struct cairn_mutator *mutator);

/* Put fillers into the free memory of both parts at the mutator's end. Called while no stop is in progress. */
void cn_buffer_retire_mutator(struct cairn_mutator *mutator);

#endif
