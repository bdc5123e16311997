/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the program's callback when memory is exhausted, detects full collections that make almost no room, and ends
 * the program with a message. The callback runs like a signal handler that interrupted managed code: the waiting
 * allocation may have references in any register, so objects must keep their places during the callback. Owns the
 * callback, which the mutex `callback_lock` guards, in phase MUTATE on any thread. Also owns the size of live objects
 * and the counts of such collections, which change in phase STOP, on the collecting thread; messages read them in phase
 * MUTATE, too.
 */
#include "runtime/safepoints/safepoint.h"

#include <stdio.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/signals/signals.h"

enum {
  MAX_CALLBACK_TRIES = 8,
  SIZE_TEXT_BYTES = 40,
  LOW_ROOM_DIVISOR = 64,    /* less than this fraction of the maximum is almost no room */
  MAX_VAIN_COLLECTIONS = 16 /* maximum of full collections in a row that make almost no room */
};

static struct {
  cairn_exhausted *call; /* may be null */
  void *env;
} exhaustion_callback;
static struct cn_mutex callback_lock;
static uint64_t last_live_bytes =
    CAIRN_LIVE_UNKNOWN;                 /* size of live objects after the last collection that made too little room */
static unsigned vain_collections;       /* number of last full collections in a row that made almost no room */
static uint64_t allocated_at_last_full; /* bytes that the program had allocated at the last full collection */

void cairn_on_exhaustion(cairn_exhausted *call, void *env)
{
  cn_mutex_take(&callback_lock, UINT64_MAX);
  exhaustion_callback.call = call;
  exhaustion_callback.env = env;
  cn_mutex_release(&callback_lock);
}

void cn_exhaustion_reset_after_fork(void)
{
  atomic_store(&callback_lock.word, 0);
  allocated_at_last_full = 0; /* the allocations of other threads are not counted in the child */
}

void cn_exhaustion_record_live(void)
{
  last_live_bytes = cn_heap_used_bytes();
}

static bool is_vain_collection(uint64_t since)
{
  uint64_t used = cn_heap_used_bytes(), little = cn_options.heap_max / LOW_ROOM_DIVISOR;

  return used != UINT64_MAX && used > cn_options.heap_max - little && since < little;
}

void cn_exhaustion_record_full(enum cairn_cause cause)
{
  uint64_t now = cn_stats_allocated_bytes();
  bool counts = cause == CAIRN_CAUSE_ALLOCATION || cause == CAIRN_CAUSE_EMERGENCY;

  CN_ASSERT(cairn_mutator.stopped != NULL && now >= allocated_at_last_full);
  vain_collections = counts && is_vain_collection(now - allocated_at_last_full) ? vain_collections + 1 : 0;
  allocated_at_last_full = now;
}

bool cn_exhaustion_is_thrashing(void)
{
  return vain_collections >= MAX_VAIN_COLLECTIONS && cn_options.stress == 0;
}

bool cn_exhaustion_prepare_call(struct cn_exhaustion_call *call, size_t wanted, unsigned tries)
{
  CN_CHECK(cairn_mutator.busy && !cn_signals_is_interrupting());
  *call = (struct cn_exhaustion_call){.what = {.wanted = wanted,
                                               .limit = cn_options.heap_max,
                                               .live = last_live_bytes,
                                               .external = cn_external_byte_count(),
                                               .tries = tries}};
  cn_mutex_take(&callback_lock, UINT64_MAX);
  call->call = exhaustion_callback.call;
  call->env = exhaustion_callback.env;
  cn_mutex_release(&callback_lock);
  return call->call != NULL && tries < MAX_CALLBACK_TRIES;
}

struct callback_answer {
  const struct cn_exhaustion_call *call;
  bool again;
};

static void ask_callback(int signal, siginfo_t *info, void *env)
{
  struct callback_answer *answer = env;

  (void)signal;
  (void)info;
  answer->again = answer->call->call(answer->call->env, &answer->call->what);
}

bool cn_exhaustion_call(struct cn_exhaustion_call *call)
{
  struct callback_answer answer = {.call = call};

  CN_CHECK(!cairn_mutator.busy && call->call != NULL);
  cn_signals_run_as_interruption(ask_callback, &answer);
  return answer.again;
}

_Noreturn void cn_exhaustion_end_program(size_t wanted)
{
  char objects[SIZE_TEXT_BYTES] = "";

  CN_CHECK(!cairn_mutator.busy);
  if (last_live_bytes != CAIRN_LIVE_UNKNOWN)
    snprintf(objects, sizeof objects, ", live %llu", (unsigned long long)last_live_bytes);
  cn_report_exit("out of memory: cannot allocate %zu bytes (heap maximum %zu%s, external %llu)%s", wanted,
                 cn_options.heap_max, objects, (unsigned long long)cn_external_byte_count(),
                 cn_exhaustion_is_thrashing() ? ": full collections in a row make next to no room" : "");
}
