/* SPDX-License-Identifier: Apache-2.0
 *
 * The anchors of a stack, in aligned chunks: the stubs see from the low bits of the next anchor's address that a
 * chunk is full. Anchors stay in place, because native frames and unwinders hold their addresses. A stack keeps each
 * chunk that it has reached.
 *
 *    | chunk, anchor, anchor, ... anchor |      | chunk, anchor, (free) ...        |
 *              ^ the oldest          ^ previous <-        ^ `next`: the end of the youngest
 *
 * `next` is the address after the youngest anchor: after the last one of a full chunk, or at the first one of the
 * chunk after it. Both mean the same. For a stack without anchors it is null.
 */
#ifndef CN_RUNTIME_CORE_ANCHORS_H
#define CN_RUNTIME_CORE_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/arch/arch.h"

/* Takes the place of a chunk's first anchor. */
struct cn_anchor_chunk {
  struct cn_anchor_chunk *next, *previous; /* of this stack */
  struct cn_anchor *oldest;                /* of this stack */
  size_t number;                           /* number of chunks before this one */
};
_Static_assert(sizeof(struct cn_anchor_chunk) <= sizeof(struct cn_anchor), "one anchor's place");

enum {
  CN_ANCHORS_PER_CHUNK = CAIRN_ABI_ANCHOR_CHUNK / CAIRN_ABI_ANCHOR_SIZE - 1, /* anchors of a chunk */
  CN_ANCHORS_MAX_CHUNKS = 256, /* per stack: about 2^18 calls, of 64 bytes */
};

static inline struct cn_anchor_chunk *cn_anchors_chunk_of(const struct cn_anchor *next)
{
  return (struct cn_anchor_chunk *)(((uintptr_t)next - 1) & ~(uintptr_t)(CAIRN_ABI_ANCHOR_CHUNK - 1));
}

static inline struct cn_anchor *cn_anchors_first_of_chunk(struct cn_anchor_chunk *chunk)
{
  return (struct cn_anchor *)chunk + 1;
}

/* The youngest anchor; its address is also the `next` of the older anchors. Null if the stack has no anchors. */
static inline struct cn_anchor *cn_anchors_youngest(const struct cn_anchor *next)
{
  if (next == NULL)
    return NULL;
  struct cn_anchor_chunk *chunk = cn_anchors_chunk_of(next);
  if (next != cn_anchors_first_of_chunk(chunk))
    return (struct cn_anchor *)(uintptr_t)next - 1;
  return chunk->previous ? cn_anchors_first_of_chunk(chunk->previous) + CN_ANCHORS_PER_CHUNK - 1 : NULL;
}

/* The number of anchors. */
static inline size_t cn_anchors_count(const struct cn_anchor *next)
{
  if (next == NULL)
    return 0;
  struct cn_anchor_chunk *chunk = cn_anchors_chunk_of(next);
  return chunk->number * CN_ANCHORS_PER_CHUNK + (size_t)(next - cn_anchors_first_of_chunk(chunk));
}

/* The youngest anchor if it is younger than `from`, an earlier value of `next`; otherwise null. */
static inline struct cn_anchor *cn_anchors_youngest_since(const struct cn_anchor *from, const struct cn_anchor *next)
{
  return cn_anchors_count(next) > cn_anchors_count(from) ? cn_anchors_youngest(next) : NULL;
}

/* Get memory for the anchors of a new stack or thread: the place of the oldest one. Null: out of memory. Chunks that
 * stacks returned come first. Any thread. */
struct cn_anchor *cn_anchors_allocate(void);
void cn_anchors_return_chunks(struct cn_anchor *oldest);

struct cairn_mutator;

/* For a thread that is being attached. If memory is exhausted, the call ends the program with a message and skips
 * exit handlers, since the constructors that they undo may still have to run. */
void cn_anchors_make_for_mutator(struct cairn_mutator *mutator);
void cn_anchors_free_of_mutator(struct cairn_mutator *mutator);

/* Make room for the next anchor. The mutator's own thread, in a slow path. Returns null, or the reason of the
 * failure. */
const char *cn_anchors_make_room(struct cairn_mutator *mutator);

/* True if it is an anchor of the stack. `anchor` may be any address. */
bool cn_anchors_contain(const struct cn_anchor *oldest, const struct cn_anchor *next, const struct cn_anchor *anchor);

/* Check a stack's anchors. Returns the error, or null. `next` may be any address. Linear in chunks. */
const char *cn_anchors_wrong(const struct cn_anchor *oldest, const struct cn_anchor *next);

/* Check the spare chunks. Returns the error, or null. Linear in them. The caller holds CN_LOCK_ANCHORS, or there is
 * one thread. */
const char *cn_anchors_spare_wrong(void);

#endif
