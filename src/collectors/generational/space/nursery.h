/* SPDX-License-Identifier: Apache-2.0
 *
 * The nursery: a range of blocks of objects, where mutators get their allocation buffers. After each collection it is
 * empty, and the same memory is used again, so that it stays in the cache.
 *
 *    start            free             limit                        end
 *     |  objects       |  for buffers    |  for grow()  (addresses)   |
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H

#include <cairn/collector.h>

struct cn_nursery {
  uintptr_t start, free, limit, end;
  uintptr_t memory; /* where its memory ends */
  size_t users;     /* mutators that got a first buffer since it was empty; a single mutator counts as 0 */
};
extern struct cn_nursery cn_nursery;

/* STOP or INIT: it is empty, and has these addresses, with memory up to `memory`. */
void cn_nursery_set_addresses(uintptr_t start, uintptr_t memory, uintptr_t end);
/* STOP, before cn_nursery_set_addresses(). True if the next collection is expected to look up object starts, as this
 * one has: then more block starts are noted. */
void cn_nursery_expect_lookups(bool expected);

/* STOP or INIT, when it is empty. Let buffers take `bytes` together. False: there is less memory, and they take
 * that. */
bool cn_nursery_open_buffers(size_t bytes);

/* Discard memory outside of all buffers from *from on, as cn_blocks_discard_free_memory() does. */
bool cn_nursery_discard_unused(uintptr_t *from);

/* Any mutator: `refill` and `grow` of struct cairn_collector; `most` bounds the nursery's bytes. */
bool cn_nursery_refill_buffer(struct cairn_mutator *mutator, size_t bytes);
bool cn_nursery_grow_limit(struct cairn_mutator *mutator, size_t bytes, size_t most);
/* A block outside of the buffers; 0: there is no space. */
uintptr_t cn_nursery_allocate_block(struct cairn_mutator *mutator, size_t bytes);

/* STOP. Take all buffers, so that the nursery has blocks one after another up to `free`. Then give the mutator a buffer
 * if it is the only one; several mutators ask for theirs. */
void cn_nursery_take_all_buffers(void);
void cn_nursery_give_single_buffer(void);

/* The lock of threads that change the collector's data in phase MUTATE. A fork's child calls
 * cn_nursery_reset_lock_in_child(). */
void cn_nursery_lock(void);
void cn_nursery_unlock(void);
void cn_nursery_reset_lock_in_child(void);

#endif
