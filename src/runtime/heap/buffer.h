/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutator's allocation buffer, and beside it a small one for signal handlers that interrupted
 * managed code (signals.h):
 *
 *     start                alloc                       end    start        alloc             end
 *      |  objects           |  blocks may be under      |      |  objects   |                 |
 *      |                    |  way from here on         |      |            |                 |
 *      buffer                                                  beside
 *
 * In-line allocation is load, compare, store: an interrupted thread may take
 * CAIRN_ABI_INLINE_ALLOC_MAX bytes from `alloc` on as soon as it goes on, so no handler gets these.
 * Both lie in what the collector gave. Before the collector takes it back, fillers are put where no
 * object is, so that it can walk from block to block.
 */
#ifndef CN_RUNTIME_HEAP_BUFFER_H
#define CN_RUNTIME_HEAP_BUFFER_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Room in the buffer; null: too little. Not cleared. */
void *cn_buffer_allocate(struct cairn_mutator *mutator, size_t bytes);

/* Clear such a block where it may be other than zero. */
void cn_buffer_clear(const struct cairn_mutator *mutator, void *block, size_t bytes);

/* Make the block that begins at `block` and ends at `end` longer by `bytes`, if it is the last one
 * of the buffer and there is room. What is added is not cleared. Not while managed code is
 * interrupted: it may have a block under way. */
bool cn_buffer_extend(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end, size_t bytes);

/* As cn_buffer_allocate() while managed code is interrupted. */
void *cn_buffer_allocate_beside(struct cairn_mutator *mutator, size_t bytes);

/* True: what the collector gives now is for cn_buffer_allocate_beside(), and what it takes back
 * counts as full. */
void cn_buffer_extend_beside(struct cairn_mutator *mutator, bool extend);

/* Is so little left for handlers that a collection is due? */
bool cn_buffer_low(const struct cairn_mutator *mutator);

/* The object in [block, end) is dead: if it is the last of the buffer, what comes next is put in
 * its place, and memory that came as zero is zero again. Returns whether it is. */
bool cn_buffer_shorten(struct cairn_mutator *mutator, uintptr_t block, uintptr_t end);

/* After a collection that did not help: give the program what handlers have not used. */
void cn_buffer_merge(struct cairn_mutator *mutator);

/* From here on every allocation comes to the slow path, until cn_poll_word_open_buffer(). */
void cn_buffer_close(struct cairn_mutator *mutator);

/* The interrupted code never goes on (a handler jumped over it): give the blocks that it allocated
 * last headers if they have none yet, and note them as blocks that may never have been filled
 * (uncleared.h). */
void cn_buffer_mend(struct cairn_mutator *mutator);

/* Bytes allocated so far in allocation buffers, headers included. */
uint64_t cn_buffer_allocated(const struct cairn_mutator *mutator);

/* What does not hold of both, and of the mutator (mutator.h); null: all does. It holds that
 *   - what handlers were served of lies in their part
 *   - blocks that were looked at lie in the buffer
 * The mutator's own thread, in a slow path. */
const char *cn_buffer_wrong(const struct cairn_mutator *mutator);

/* The mutator ends: fill the rest of both. No stop is under way. */
void cn_buffer_retire(struct cairn_mutator *mutator);

#endif
