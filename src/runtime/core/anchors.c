/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates chunks of anchors, makes room for deeper calls, and checks the anchors of a stack. One mapping has several
 * chunks, so that thousands of stacks need few mappings; untouched pages take no memory. A stack that ends returns its
 * chunks for new stacks.
 *
 * Any thread, in any phase. The file owns the spare chunks (`spare_chunks`) and the size of the next mapping
 * (`slab_chunks`), under CN_LOCK_ANCHORS. The anchors of a stack belong to the thread that runs on the stack;
 * collections read anchors in phase STOP.
 */
#include "runtime/core/anchors.h"

#include <unistd.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

enum { MAX_SLAB_CHUNKS = 64 };

/* Spare chunks, linked by `next`. `number` unused chunks follow each spare chunk in memory. Each change is one store,
 * so that the child of a fork() finds a consistent list. */
static struct cn_anchor_chunk *spare_chunks;
static size_t slab_chunks = 1; /* number of chunks in the next mapping */

/* ---- memory ---- */

static uintptr_t allocate_chunks(size_t count)
{
  size_t chunk = CAIRN_ABI_ANCHOR_CHUNK, bytes = count * chunk;
  uintptr_t at = (uintptr_t)cn_os_resize_mapping(NULL, 0, bytes + chunk);
  uintptr_t start = (at + chunk - 1) & ~(uintptr_t)(chunk - 1);

  if (at == 0)
    return 0;
  if (start != at)
    cn_os_free_mapping((void *)at, start - at);
  cn_os_free_mapping((void *)(start + bytes), at + chunk - start);
  return start;
}

static struct cn_anchor_chunk *allocate_slab(void)
{
  uintptr_t at = allocate_chunks(slab_chunks);

  if (at == 0)
    at = allocate_chunks(slab_chunks = 1); /* try one chunk, because memory may be short */
  if (at == 0)
    return NULL;
  ((struct cn_anchor_chunk *)at)->number = slab_chunks - 1;
  if (slab_chunks < MAX_SLAB_CHUNKS)
    slab_chunks *= 2;
  return (struct cn_anchor_chunk *)at;
}

/* Take a spare chunk or map new ones. The caller holds CN_LOCK_ANCHORS. */
static struct cn_anchor_chunk *take_spare_chunk(void)
{
  CN_ASSERT_VALID(cn_anchors_spare_wrong());
  struct cn_anchor_chunk *chunk = spare_chunks != NULL ? spare_chunks : allocate_slab();

  if (chunk == NULL)
    return NULL;
  struct cn_anchor_chunk *rest = chunk->next;
  if (chunk->number != 0) {
    rest = (struct cn_anchor_chunk *)((uintptr_t)chunk + CAIRN_ABI_ANCHOR_CHUNK);
    *rest = (struct cn_anchor_chunk){.next = chunk->next, .number = chunk->number - 1};
  }
  spare_chunks = rest;
  CN_ASSERT_VALID(cn_anchors_spare_wrong());
  return chunk;
}

static struct cn_anchor_chunk *add_chunk_to_stack(struct cn_anchor_chunk *previous)
{
  struct cn_anchor_chunk *chunk = NULL;

  if (!cn_lock_take(CN_LOCK_ANCHORS))
    return NULL; /* a fault's handler interrupted the holder of the lock */
  chunk = take_spare_chunk();
  cn_lock_release(CN_LOCK_ANCHORS);
  if (chunk == NULL)
    return NULL;
  *chunk = (struct cn_anchor_chunk){.previous = previous, .oldest = cn_anchors_first_of_chunk(chunk)};
  if (previous != NULL) {
    chunk->oldest = previous->oldest;
    chunk->number = previous->number + 1;
    previous->next = chunk;
  }
  return chunk;
}

/* ---- of a stack ---- */

struct cn_anchor *cn_anchors_allocate(void)
{
  struct cn_anchor_chunk *chunk = add_chunk_to_stack(NULL);

  return chunk != NULL ? cn_anchors_first_of_chunk(chunk) : NULL;
}

void cn_anchors_return_chunks(struct cn_anchor *oldest)
{
  struct cn_anchor_chunk *first = cn_anchors_chunk_of(oldest), *last = first;

  CN_CHECK(first->oldest == oldest);
  CN_ASSERT_VALID(cn_anchors_wrong(oldest, oldest));
  for (; last->next != NULL; last = last->next)
    last->number = 0;
  last->number = 0;
  bool taken = cn_lock_take(CN_LOCK_ANCHORS);
  CN_CHECK(taken);
  last->next = spare_chunks;
  spare_chunks = first;
  CN_ASSERT_VALID(cn_anchors_spare_wrong());
  cn_lock_release(CN_LOCK_ANCHORS);
}

void cn_anchors_make_for_mutator(struct cairn_mutator *mutator)
{
  struct cn_anchor *oldest = cn_anchors_allocate();

  if (oldest == NULL) {
    cn_report_print_text("cairn: out of memory: no room for the anchors of thread %d (%d KB)\n", cn_os_thread(),
                         CAIRN_ABI_ANCHOR_CHUNK >> 10);
    _exit(1);
  }
  mutator->anchors = mutator->anchor = oldest;
}

void cn_anchors_free_of_mutator(struct cairn_mutator *mutator)
{
  cn_anchors_return_chunks(mutator->anchors);
  mutator->anchors = mutator->anchor = NULL;
}

const char *cn_anchors_make_room(struct cairn_mutator *mutator)
{
  struct cn_anchor_chunk *chunk = cn_anchors_chunk_of(mutator->anchor);

  CN_ASSERT_VALID(cn_anchors_wrong(mutator->anchors, mutator->anchor));
  if ((uintptr_t)mutator->anchor % CAIRN_ABI_ANCHOR_CHUNK != 0)
    return NULL;
  if (chunk->next == NULL && chunk->number + 1 == CN_ANCHORS_MAX_CHUNKS)
    return "too many nested calls from managed to native code";
  if (chunk->next == NULL && add_chunk_to_stack(chunk) == NULL)
    return "no memory for another nested call from managed to native code";
  __atomic_store_n(&mutator->anchor, cn_anchors_first_of_chunk(chunk->next), __ATOMIC_RELEASE);
  CN_ASSERT_VALID(cn_anchors_wrong(mutator->anchors, mutator->anchor));
  return NULL;
}

/* ---- questions ---- */

static const struct cn_anchor_chunk *find_chunk_of_stack(const struct cn_anchor *oldest, const struct cn_anchor *next)
{
  const struct cn_anchor_chunk *chunk = oldest != NULL ? cn_anchors_chunk_of(oldest) : NULL;

  while (chunk != NULL && chunk != cn_anchors_chunk_of(next))
    chunk = chunk->next;
  return chunk;
}

bool cn_anchors_contain(const struct cn_anchor *oldest, const struct cn_anchor *next, const struct cn_anchor *anchor)
{
  return (uintptr_t)anchor % CAIRN_ABI_ANCHOR_CHUNK != 0 && (uintptr_t)anchor % CAIRN_ABI_ANCHOR_SIZE == 0 &&
         find_chunk_of_stack(oldest, anchor) != NULL && cn_anchors_count(anchor) < cn_anchors_count(next);
}

const char *cn_anchors_wrong(const struct cn_anchor *oldest, const struct cn_anchor *next)
{
  size_t number = 0;

  if (oldest == NULL)
    return "anchors: a stack has none of its own";
  if (find_chunk_of_stack(oldest, next) == NULL || (uintptr_t)next % CAIRN_ABI_ANCHOR_SIZE != 0)
    return "anchors: the next one is not in a chunk of its stack";
  for (const struct cn_anchor_chunk *chunk = cn_anchors_chunk_of(oldest); chunk; chunk = chunk->next)
    if (chunk->oldest != oldest || chunk->number != number++ || (chunk->next != NULL && chunk->next->previous != chunk))
      return "anchors: a stack's chunks are not in order";
  return NULL;
}

const char *cn_anchors_spare_wrong(void)
{
  for (const struct cn_anchor_chunk *chunk = spare_chunks; chunk; chunk = chunk->next)
    if ((uintptr_t)chunk % CAIRN_ABI_ANCHOR_CHUNK != 0 || chunk->number >= MAX_SLAB_CHUNKS)
      return "anchors: a chunk of no stack is not aligned, or is followed by too many";
  return NULL;
}
