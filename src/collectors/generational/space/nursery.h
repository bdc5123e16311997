/* SPDX-License-Identifier: Apache-2.0
 *
 * The nursery: a range of blocks of objects, where mutators get their allocation buffers. Each collection empties the
 * nursery, whose memory is reused and so stays in the cache.
 *
 *    start            free             limit                        end
 *     |  objects       |  for buffers    |  for grow()  (addresses)   |
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H

#include <cairn/collector.h>

struct cn_nursery {
  uintptr_t start, free, limit, end;
  uintptr_t memory; /* end of the nursery's memory */
  size_t users;     /* mutators that got a first buffer since the nursery was empty; a single mutator counts as 0 */
};
extern struct cn_nursery cn_nursery;

/* STOP or INIT. Makes the nursery empty, at these addresses, with memory up to `memory`. */
void cn_nursery_set_addresses(uintptr_t start, uintptr_t memory, uintptr_t end);
/* STOP, before cn_nursery_set_addresses(). `expected` is true if this collection has looked up object starts: the next
 * collection probably will, too, and more block starts are noted for it. */
void cn_nursery_expect_lookups(bool expected);

/* STOP or INIT, when the nursery is empty. Sets the bytes that all buffers may take. Returns false if there is less
 * memory, which then is the limit. */
bool cn_nursery_open_buffers(size_t bytes);

/* Discards memory outside of all buffers from address *from on, like cn_blocks_discard_free_memory(). */
bool cn_nursery_discard_unused(uintptr_t *from);

/* `refill` and `grow` of struct cairn_collector, for any mutator; `most` bounds the nursery's bytes. */
bool cn_nursery_refill_buffer(struct cairn_mutator *mutator, size_t bytes);
bool cn_nursery_grow_limit(struct cairn_mutator *mutator, size_t bytes, size_t most);
/* STOP. True if cn_nursery_grow_limit() has been called: the nursery then needs many addresses. */
bool cn_nursery_has_grown(void);
/* Allocates a block outside of the buffers. Returns 0 if there is no space. */
uintptr_t cn_nursery_allocate_block(struct cairn_mutator *mutator, size_t bytes);

/* STOP. cn_nursery_take_all_buffers() takes all buffers, so that the nursery consists of blocks, one after another, up
 * to `free`. cn_nursery_give_single_buffer() gives a single mutator a buffer; of several mutators each requests its own
 * buffer. */
void cn_nursery_take_all_buffers(void);
void cn_nursery_give_single_buffer(void);

/* The lock for changes of the collector's data in phase MUTATE. A fork()'s child calls
 * cn_nursery_reset_lock_in_child(). */
void cn_nursery_lock(void);
void cn_nursery_unlock(void);
void cn_nursery_reset_lock_in_child(void);

#endif
