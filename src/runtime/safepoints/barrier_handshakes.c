/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes barriers for a collector while the program runs, thread by thread: gives mutators a new barrier word, and
 * collects their logs of stores and the log of ended threads. The requester calls this in phase MUTATE and in native
 * code. The operations run on each mutator's thread, or on the requester while the mutator rests; the runtime's barrier
 * word and the log of ended threads change under the lock of stops. Mutators have all other state.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"

/* Copies the new barrier word, which the runtime already has, to the thread's mutator. */
static void update_barrier_words(int thread, void *env)
{
  (void)thread;
  (void)env;
  CN_CHECK(cn_handshake_examined_mutator() != NULL);
  cn_mutator_copy_barrier_words(cn_handshake_examined_mutator());
}

struct log_visitor {
  cairn_log_visitor *visit;
  void *env;
};

static void take_store_log(int thread, void *env)
{
  struct log_visitor *visitor = env;

  (void)thread;
  CN_CHECK(cn_handshake_examined_mutator() != NULL);
  cn_barrier_log_drain(cn_handshake_examined_mutator(), visitor->visit, visitor->env);
}

/* Take the registry, and defer signals: a handler that attached this thread would wait for the registry. */
static enum cairn_status hold_registry(void)
{
  const struct cairn_mutator *self = &cairn_mutator;

  if (cn_stop_is_own_stop() || self->busy || self->interruptions % 2 != 0 || self->state == CAIRN_ABI_MANAGED)
    return CAIRN_E_BUSY;
  cn_defer_signals();
  cn_stop_exclude_stops();
  return CAIRN_OK;
}

static void release_registry(void)
{
  cn_stop_permit_stops();
  cn_undefer_signals();
}

/* A thread that attaches between the two steps gets the new word from the runtime. */
enum cairn_status cairn_barrier_word_handshake(uint64_t word, uint64_t timeout)
{
  enum cairn_status status = hold_registry();

  if (status != CAIRN_OK)
    return status;
  cn_mutator_set_barrier_word(word);
  release_registry();
  return cairn_handshake_all(update_barrier_words, NULL, timeout);
}

/* If a thread ends between the two steps, the second step takes its log. */
enum cairn_status cairn_logs_handshake(cairn_log_visitor *visit, void *env, uint64_t timeout)
{
  struct log_visitor visitor = {visit, env};
  enum cairn_status shaken = cairn_handshake_all(take_store_log, &visitor, timeout);
  enum cairn_status status = shaken == CAIRN_E_BUSY ? shaken : hold_registry();

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  cn_barrier_log_drain(NULL, visit, env);
  release_registry();
  return shaken;
}
