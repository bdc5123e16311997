/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the anchors of a stack, which lie in aligned chunks. The low bits of the next anchor's address tell the
 * stubs that a chunk is full. Anchors stay in place, because native frames and unwinders have their addresses. A stack
 * keeps all chunks that it has used.
 *
 *    | chunk, anchor, anchor, ... anchor |      | chunk, anchor, (free) ...        |
 *              ^ the oldest          ^ previous <-        ^ `next`: the end of the youngest
 *
 * `next` is the address after the youngest anchor. After a full chunk, `next` is the chunk's end or, equivalently, the
 * first anchor of the next chunk. For a stack without anchors, `next` is null.
 */
#ifndef CN_RUNTIME_CORE_ANCHORS_H
#define CN_RUNTIME_CORE_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/arch/arch.h"

/* A chunk's header, in the place of its first anchor. */
struct cn_anchor_chunk {
  struct cn_anchor_chunk *next, *previous; /* of this stack */
  struct cn_anchor *oldest;                /* of this stack */
  size_t number;                           /* number of the stack's chunks before this chunk */
};
_Static_assert(sizeof(struct cn_anchor_chunk) <= sizeof(struct cn_anchor), "one anchor's place");

enum {
  CN_ANCHORS_PER_CHUNK = CAIRN_ABI_ANCHOR_CHUNK / CAIRN_ABI_ANCHOR_SIZE - 1, /* anchors of a chunk */
  CN_ANCHORS_MAX_CHUNKS = 256, /* maximum per stack: about 2^18 calls of 64 bytes */
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

/* The number of anchors before `next`. */
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

/* Get memory for the anchors of a new stack or thread. Returns the place of the oldest anchor, or null if memory is
 * exhausted. Reuses returned chunks first. Any thread. */
struct cn_anchor *cn_anchors_allocate(void);
void cn_anchors_return_chunks(struct cn_anchor *oldest);

struct cairn_mutator;

/* Allocate the anchors of a thread during its attachment. If memory is exhausted, ends the program with a message and
 * without exit handlers, because the corresponding constructors may not have run yet. */
void cn_anchors_make_for_mutator(struct cairn_mutator *mutator);
void cn_anchors_free_of_mutator(struct cairn_mutator *mutator);

/* Make space for the next anchor. Called by the mutator's thread in a slow path. Returns null, or the reason of the
 * failure. */
const char *cn_anchors_make_room(struct cairn_mutator *mutator);

/* True if `anchor` is an anchor of the stack. `anchor` may be any address. */
bool cn_anchors_contain(const struct cn_anchor *oldest, const struct cn_anchor *next, const struct cn_anchor *anchor);

/* Check a stack's anchors. Returns an error or null. `next` may be any address. Linear in the number of chunks. */
const char *cn_anchors_wrong(const struct cn_anchor *oldest, const struct cn_anchor *next);

/* Check the spare chunks. Returns an error or null. Linear in the number of spare chunks. The caller holds
 * CN_LOCK_ANCHORS, or the process has only one thread. */
const char *cn_anchors_spare_wrong(void);

#endif
