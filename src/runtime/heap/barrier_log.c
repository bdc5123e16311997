/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs the words of barriers, and passes them to the collector. In phase MUTATE each mutator logs into its chunks,
 * without a lock. The file owns the log of ended threads (`ended_threads_log`), which the registry lock guards
 * (threads/stop.c). Logs are drained in phase STOP, or in phase MUTATE by a handshake while the mutator is stopped;
 * threads that end move their log in any phase. A signal handler may interrupt cairn_log() at any instruction, log
 * words itself, and jump out. One instruction therefore reserves an entry, and a reserved entry is 0 until it is
 * written.
 */
#include "runtime/heap/managed_heap.h"

#include <errno.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { CHUNK_BYTES = 32 << 10, CHUNK_WORDS = CHUNK_BYTES / sizeof(uintptr_t) - 2 };

struct cn_barrier_log_chunk {
  struct cn_barrier_log_chunk *older;
  uint64_t reserved; /* exceeds CHUNK_WORDS after attempts to reserve in a full chunk */
  uintptr_t words[CHUNK_WORDS];
};
_Static_assert(sizeof(struct cn_barrier_log_chunk) == CHUNK_BYTES, "whole pages");

static struct cn_barrier_log_chunk *ended_threads_log;

/* Adds a chunk to the mutator's log, or frees the new chunk if a handler added a chunk first. */
static void add_log_chunk(struct cairn_mutator *mutator, struct cn_barrier_log_chunk *newest)
{
  CN_ASSERT(mutator == &cairn_mutator);
  int error = errno;
  struct cn_barrier_log_chunk *fresh = cn_os_resize_mapping(NULL, 0, CHUNK_BYTES);

  if (fresh == NULL)
    cairn_out_of_memory(false, "no memory for the barriers' log");
  fresh->older = newest;
  if (!__atomic_compare_exchange_n(&mutator->log, &newest, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    cn_os_free_mapping(fresh, CHUNK_BYTES);
  errno = error;
}

void cairn_log(struct cairn_mutator *mutator, uintptr_t word)
{
  CN_CHECK(mutator == &cairn_mutator && word != 0);
  for (;;) {
    struct cn_barrier_log_chunk *chunk = __atomic_load_n(&mutator->log, __ATOMIC_RELAXED);
    uint64_t at = chunk == NULL ? CHUNK_WORDS : __atomic_fetch_add(&chunk->reserved, 1, __ATOMIC_RELAXED);
    if (at < CHUNK_WORDS) {
      chunk->words[at] = word;
      return;
    }
    add_log_chunk(mutator, chunk);
  }
}

static void visit_logged_words(struct cn_barrier_log_chunk *chunk, cairn_log_visitor *visit, void *env)
{
  for (uint64_t i = chunk->reserved < CHUNK_WORDS ? chunk->reserved : CHUNK_WORDS; i-- > 0;)
    if (chunk->words[i] != 0)
      visit(env, chunk->words[i]);
}

void cn_barrier_log_drain(struct cairn_mutator *mutator, cairn_log_visitor *visit, void *env)
{
  struct cn_barrier_log_chunk **list = mutator != NULL ? &mutator->log : &ended_threads_log, *older;

  for (struct cn_barrier_log_chunk *chunk = *list; chunk != NULL; chunk = older) {
    older = chunk->older;
    visit_logged_words(chunk, visit, env);
    cn_os_free_mapping(chunk, CHUNK_BYTES);
  }
  *list = NULL;
}

void cairn_logs_take(cairn_log_visitor *visit, void *env)
{
  CN_CHECK(visit != NULL);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    cn_barrier_log_drain(m, visit, env);
  cn_barrier_log_drain(NULL, visit, env);
}

void cn_barrier_log_retire(struct cairn_mutator *mutator)
{
  struct cn_barrier_log_chunk *oldest = mutator->log;

  if (oldest == NULL)
    return;
  while (oldest->older != NULL)
    oldest = oldest->older;
  CN_CHECK(oldest != ended_threads_log); /* otherwise the list would be a cycle */
  oldest->older = ended_threads_log;
  ended_threads_log = mutator->log;
  mutator->log = NULL;
}
