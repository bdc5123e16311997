/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes barriers for a collector while the program runs, thread by thread. The requester, in native code.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/barrier_log.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"

/* The word is the runtime's by then; this is where the thread sees it. */
static void give_barrier_words(int thread, void *env)
{
  (void)thread;
  (void)env;
  CN_CHECK(cn_handshake_examined() != NULL);
  cn_mutator_give_barrier_words(cn_handshake_examined());
}

struct visitor {
  cairn_log_visitor *visit;
  void *env;
};

static void take_store_log(int thread, void *env)
{
  struct visitor *visitor = env;

  (void)thread;
  CN_CHECK(cn_handshake_examined() != NULL);
  cn_log_take(cn_handshake_examined(), visitor->visit, visitor->env);
}

/* Hold the registry, with signals: a handler that attaches this thread would wait for it. */
static enum cairn_status hold_registry(void)
{
  const struct cairn_mutator *self = &cairn_mutator;

  if (cn_stop_is_own() || self->busy || self->interruptions % 2 != 0 || self->state == CAIRN_ABI_MANAGED)
    return CAIRN_E_BUSY;
  cn_defer_signals();
  cn_stop_exclude();
  return CAIRN_OK;
}

static void release_registry(void)
{
  cn_stop_include();
  cn_defer_let_signals();
}

/* Threads that come between the two have it already. */
enum cairn_status cairn_barrier_word_handshake(uint64_t word, uint64_t timeout)
{
  enum cairn_status status = hold_registry();

  if (status != CAIRN_OK)
    return status;
  cn_mutator_set_barrier(word);
  release_registry();
  return cairn_handshake_all(give_barrier_words, NULL, timeout);
}

/* A thread that ends between the two has its log taken by the second. */
enum cairn_status cairn_logs_handshake(cairn_log_visitor *visit, void *env, uint64_t timeout)
{
  struct visitor visitor = {visit, env};
  enum cairn_status shaken = cairn_handshake_all(take_store_log, &visitor, timeout);
  enum cairn_status status = shaken == CAIRN_E_BUSY ? shaken : hold_registry();

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  cn_log_take(NULL, visit, env);
  release_registry();
  return shaken;
}
