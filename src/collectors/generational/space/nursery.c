/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives mutators their allocation buffers, under the lock in phase MUTATE. A single mutator gets one buffer after the
 * other. One of several gets a buffer twice as large as its last, up to a share of the free space. Compiled code and
 * the runtime's slow paths clear memory, object by object, in the cache.
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
  IDLE_BYTES = 4 << 20,      /* bytes of unused memory that it may keep */
  RELEASE_BYTES = IDLE_BYTES /* bytes at a time */
};

struct cn_nursery cn_nursery;
static bool lookups; /* the next collection is expected to look up object starts */
static size_t apart; /* bytes of a single mutator's buffers, and between noted block starts */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cn_nursery_lock(void)
{
  pthread_mutex_lock(&lock);
}

void cn_nursery_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

void cn_nursery_forked(void)
{
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void cn_nursery_expect_lookups(bool expected)
{
  lookups = expected;
}

void cn_nursery_place(uintptr_t start, uintptr_t memory, uintptr_t end)
{
  CN_CHECK(start % 8 == 0 && start <= memory && memory <= end);
  cn_nursery = (struct cn_nursery){start, start, start, end, memory, 0};
  apart = lookups ? CN_CROSSING_NEAR : CN_CROSSING_APART;
  cn_crossing_from(start, apart);
}

/* Memory up to `to`, in whole blocks. */
static bool commit_memory(uintptr_t to)
{
  if (to > cn_nursery.end)
    return false;
  to = (to + CN_BLOCK - 1) & ~(uintptr_t)(CN_BLOCK - 1);
  if (to > cn_nursery.memory) {
    if (!cn_tables_reach(cn_nursery.memory, to) || !cn_os_commit(cn_nursery.memory, to - cn_nursery.memory))
      return false;
    cn_nursery.memory = to;
  }
  return true;
}

/* Release memory that grow() has given, a part at a time, since that takes long. */
static void trim_memory(size_t bytes)
{
  uintptr_t kept = cn_nursery.start + ((bytes + IDLE_BYTES) & ~(size_t)(IDLE_BYTES - 1));

  if (cn_nursery.memory > kept + IDLE_BYTES) {
    if (cn_nursery.memory - kept > RELEASE_BYTES)
      kept = cn_nursery.memory - RELEASE_BYTES;
    cn_os_release(kept, cn_nursery.memory - kept);
    cn_nursery.memory = kept;
  }
}

bool cn_nursery_discard(uintptr_t *from)
{
  cn_nursery_lock();
  bool more = cn_idle_discard(from, cn_nursery.free, cn_nursery.memory);
  cn_nursery_unlock();
  return more;
}

bool cn_nursery_open(size_t bytes)
{
  CN_CHECK(bytes % 8 == 0 && cn_nursery.free == cn_nursery.start);
  trim_memory(bytes);
  bool done = commit_memory(cn_nursery.start + bytes);
  cn_nursery.limit = done ? cn_nursery.start + bytes : cn_nursery.memory;
  return done;
}

/* ---- buffers ---- */

/* False: the mutator had no buffer. */
static bool take_buffer(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  if (end == cn_nursery.free && end != 0) {
    cn_nursery.free = free;
    cn_crossing_forget(free);
  } else {
    cairn_fill(free, end);
  }
  CN_ASSERT(cn_nursery.free <= cn_nursery.limit);
  return end != 0;
}

static size_t bytes_left(void)
{
  CN_CHECK(cn_nursery.free <= cn_nursery.limit);
  return cn_nursery.limit - cn_nursery.free;
}

static void give_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  size_t size = cn_heap_sizer_of_buffer(mutator, bytes_left(), bytes), step = apart;

  if (step < bytes)
    step = bytes;
  if (cairn_mutator_count() <= 1 && step < size / 2)
    size = step;
  CN_CHECK(size <= bytes_left() && cn_nursery.limit <= cn_nursery.memory);
  cn_crossing_note(cn_nursery.free);
  cairn_buffer_give(mutator, cn_nursery.free, cn_nursery.free + size);
  cn_nursery.free += size;
}

bool cn_nursery_refill(struct cairn_mutator *mutator, size_t bytes)
{
  cn_nursery_lock();
  bool done = bytes <= bytes_left();
  if (done) {
    cn_nursery.users += !take_buffer(mutator);
    give_buffer(mutator, bytes);
  }
  cn_nursery_unlock();
  return done;
}

bool cn_nursery_grow(struct cairn_mutator *mutator, size_t bytes, size_t most)
{
  cn_nursery_lock();
  take_buffer(mutator);
  size_t used = cn_nursery.free - cn_nursery.start, wanted = 2 * used + bytes;
  bool done = bytes <= most && used <= most - bytes;

  if (wanted > most)
    wanted = most;
  if (done)
    done = commit_memory(cn_nursery.start + wanted);
  if (done && cn_nursery.start + wanted > cn_nursery.limit)
    cn_nursery.limit = cn_nursery.start + wanted;
  give_buffer(mutator, bytes);
  cn_nursery_unlock();
  return done;
}

uintptr_t cn_nursery_block(struct cairn_mutator *mutator, size_t bytes)
{
  uintptr_t block = 0;

  cn_nursery_lock();
  bool alone = cairn_mutator_count() <= 1;
  if (alone)
    take_buffer(mutator);
  if (bytes <= bytes_left()) {
    block = cn_nursery.free;
    cn_nursery.free += bytes;
  }
  if (alone)
    give_buffer(mutator, 0);
  cn_nursery_unlock();
  return block;
}

void cn_nursery_take_all(void)
{
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    take_buffer(m);
  CN_ASSERT(cn_nursery.start <= cn_nursery.free);
}

void cn_nursery_give_one(void)
{
  struct cairn_mutator *first = cairn_mutator_next(NULL);

  if (first && cairn_mutator_next(first) == NULL)
    give_buffer(first, 0);
}
