/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives mutators their allocation buffers, and bounds the memory of the nursery. The file owns the nursery's bounds
 * (`cn_nursery`), the distance of noted block starts, and `nursery_lock`, which also guards other changes of the heap
 * in phase MUTATE. In phase MUTATE, under the lock, mutators get buffers, and idle steps of the background thread
 * discard memory. In phase STOP, without the lock, the thread that stopped the others takes all buffers and sets the
 * bounds. A single mutator gets one buffer after the other. If there are several mutators, each gets a buffer twice as
 * large as its last one, up to a share of the free space. Compiled code and the runtime's slow paths clear memory
 * object by object, in the cache.
 */
#include "collectors/generational/space/nursery.h"

#include <pthread.h>
#include "base/check.h"
#include "collectors/heap_sizer.h"
#include "collectors/generational/space/tables.h"
#include "collectors/idle.h"
#include "collectors/crossing_map.h"
#include "runtime/os/os.h"

enum {
  MAX_IDLE_BYTES = 4 << 20,           /* bytes of unused memory that the nursery may keep */
  RELEASE_STEP_BYTES = MAX_IDLE_BYTES /* bytes that one call releases */
};

struct cn_nursery cn_nursery;
static bool has_grown;              /* a handler has needed more than the buffers */
static bool expects_start_lookups;  /* the next collection is expected to look up object starts */
static size_t block_start_distance; /* bytes of a single mutator's buffers, and between noted block starts */
static pthread_mutex_t nursery_lock = PTHREAD_MUTEX_INITIALIZER;

void cn_nursery_lock(void)
{
  pthread_mutex_lock(&nursery_lock);
}

void cn_nursery_unlock(void)
{
  pthread_mutex_unlock(&nursery_lock);
}

void cn_nursery_reset_lock_in_child(void)
{
  nursery_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void cn_nursery_expect_lookups(bool expected)
{
  expects_start_lookups = expected;
}

void cn_nursery_set_addresses(uintptr_t start, uintptr_t memory, uintptr_t end)
{
  CN_CHECK(start % 8 == 0 && start <= memory && memory <= end);
  cn_nursery = (struct cn_nursery){start, start, start, end, memory, 0};
  block_start_distance = expects_start_lookups ? CN_CROSSING_NEAR : CN_CROSSING_APART;
  cn_crossing_set_heap_start(start, block_start_distance);
}

static bool commit_memory(uintptr_t to)
{
  if (to > cn_nursery.end)
    return false;
  to = (to + CN_BLOCK_BYTES - 1) & ~(uintptr_t)(CN_BLOCK_BYTES - 1);
  if (to > cn_nursery.memory) {
    if (!cn_tables_commit_for_range(cn_nursery.memory, to) ||
        !cn_os_commit_memory(cn_nursery.memory, to - cn_nursery.memory))
      return false;
    cn_nursery.memory = to;
  }
  return true;
}

/* Releases a part of the memory that cn_nursery_grow_limit() added; to release everything at once would take long. */
static void release_unneeded_memory(size_t bytes)
{
  uintptr_t kept = cn_nursery.start + ((bytes + MAX_IDLE_BYTES) & ~(size_t)(MAX_IDLE_BYTES - 1));

  if (cn_nursery.memory > kept + MAX_IDLE_BYTES) {
    if (cn_nursery.memory - kept > RELEASE_STEP_BYTES)
      kept = cn_nursery.memory - RELEASE_STEP_BYTES;
    cn_os_release_memory(kept, cn_nursery.memory - kept);
    cn_nursery.memory = kept;
  }
}

bool cn_nursery_discard_unused(uintptr_t *from)
{
  cn_nursery_lock();
  bool more = cn_discard_idle_memory(from, cn_nursery.free, cn_nursery.memory);
  cn_nursery_unlock();
  return more;
}

bool cn_nursery_open_buffers(size_t bytes)
{
  CN_CHECK(bytes % 8 == 0 && cn_nursery.free == cn_nursery.start);
  release_unneeded_memory(bytes);
  bool done = commit_memory(cn_nursery.start + bytes);
  cn_nursery.limit = done ? cn_nursery.start + bytes : cn_nursery.memory;
  return done;
}

/* ---- buffers ---- */

/* Takes the mutator's buffer back. Returns false if the mutator had no buffer. */
static bool take_mutator_buffer(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  if (end == cn_nursery.free && end != 0) {
    cn_nursery.free = free;
    cn_crossing_forget_starts_after(free);
  } else {
    cairn_fill(free, end);
  }
  CN_ASSERT(cn_nursery.free <= cn_nursery.limit);
  return end != 0;
}

static size_t nursery_bytes_left(void)
{
  CN_CHECK(cn_nursery.free <= cn_nursery.limit);
  return cn_nursery.limit - cn_nursery.free;
}

static void give_mutator_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  size_t size = cn_heap_sizer_buffer_bytes(mutator, nursery_bytes_left(), bytes), step = block_start_distance;

  if (step < bytes)
    step = bytes;
  if (cairn_mutator_count() <= 1 && step < size / 2)
    size = step;
  CN_CHECK(size <= nursery_bytes_left() && cn_nursery.limit <= cn_nursery.memory);
  cn_crossing_note_block_start(cn_nursery.free);
  cairn_buffer_give(mutator, cn_nursery.free, cn_nursery.free + size);
  cn_nursery.free += size;
}

bool cn_nursery_refill_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  cn_nursery_lock();
  bool done = bytes <= nursery_bytes_left();
  if (done) {
    cn_nursery.users += !take_mutator_buffer(mutator);
    give_mutator_buffer(mutator, bytes);
  }
  cn_nursery_unlock();
  return done;
}

bool cn_nursery_grow_limit(struct cairn_mutator *mutator, size_t bytes, size_t most)
{
  cn_nursery_lock();
  take_mutator_buffer(mutator);
  size_t used = cn_nursery.free - cn_nursery.start, wanted = 2 * used + bytes;
  bool done = bytes <= most && used <= most - bytes;

  if (wanted > most)
    wanted = most;
  if (done)
    done = commit_memory(cn_nursery.start + wanted);
  if (done && cn_nursery.start + wanted > cn_nursery.limit)
    cn_nursery.limit = cn_nursery.start + wanted;
  give_mutator_buffer(mutator, bytes);
  has_grown = true;
  cn_nursery_unlock();
  return done;
}

bool cn_nursery_has_grown(void)
{
  return has_grown;
}

uintptr_t cn_nursery_allocate_block(struct cairn_mutator *mutator, size_t bytes)
{
  uintptr_t block = 0;

  cn_nursery_lock();
  bool alone = cairn_mutator_count() <= 1;
  if (alone)
    take_mutator_buffer(mutator);
  if (bytes <= nursery_bytes_left()) {
    block = cn_nursery.free;
    cn_nursery.free += bytes;
  }
  if (alone)
    give_mutator_buffer(mutator, 0);
  cn_nursery_unlock();
  return block;
}

void cn_nursery_take_all_buffers(void)
{
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    take_mutator_buffer(m);
  CN_ASSERT(cn_nursery.start <= cn_nursery.free);
}

void cn_nursery_give_single_buffer(void)
{
  struct cairn_mutator *first = cairn_mutator_next(NULL);

  if (first && cairn_mutator_next(first) == NULL)
    give_mutator_buffer(first, 0);
}
