/* SPDX-License-Identifier: Apache-2.0
 *
 * The nursery: a run of blocks of objects, of which mutators have their allocation buffers. After
 * each collection it is empty, and the same memory is used again, so that it stays in the cache.
 *
 *    start            free             limit                        end
 *     |  objects       |  for buffers    |  for grow()  (addresses)   |
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_NURSERY_H

#include <cairn/collector.h>

struct cn_nursery {
  uintptr_t start, free, limit, end;
  uintptr_t memory; /* where that ends */
  size_t users;     /* mutators that have had a buffer since it was empty; one alone is none */
};
extern struct cn_nursery cn_nursery;

/* STOP or INIT: it is empty, and has these addresses, of which those up to `memory` have memory. */
void cn_nursery_place(uintptr_t start, uintptr_t memory, uintptr_t end);
/* STOP, before that. Will the next collection look up where objects start, as this one has? Then
 * more such places are noted. */
void cn_nursery_expect_lookups(bool expected);

/* STOP or INIT, when it is empty. Let buffers take `bytes` together. False: no memory for that, and
 * they take what there is. */
bool cn_nursery_open(size_t bytes);

/* Discard memory that no buffer has from *from on, as cn_blocks_discard(). */
bool cn_nursery_discard(uintptr_t *from);

/* Any mutator, as `refill` of struct cairn_collector and `grow`, which is told how far. */
bool cn_nursery_refill(struct cairn_mutator *mutator, size_t bytes);
bool cn_nursery_grow(struct cairn_mutator *mutator, size_t bytes, size_t most);
/* A block outside of the buffers; 0: no room. */
uintptr_t cn_nursery_block(struct cairn_mutator *mutator, size_t bytes);

/* STOP. Take all buffers: up to `free` there are blocks, one after another. And, after that: give
 * the mutator one if it is the only one; others come for theirs. */
void cn_nursery_take_all(void);
void cn_nursery_give_one(void);

/* Taken by who changes what the collector keeps, in phase MUTATE. Fork handlers know. */
void cn_nursery_lock(void);
void cn_nursery_unlock(void);
void cn_nursery_forked(void);

#endif
