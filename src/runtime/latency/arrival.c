/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the time to safepoint of one thread, or of a random thread, in the operation of a handshake. Any thread may
 * ask, in phase MUTATE and in native code. The operation runs on the measured thread at a safepoint, or on the
 * requester while the measured thread is native or at a safepoint. The state is the data of the request, on the
 * requester's stack, and the measured mutator's last number of preemptions.
 */
#include "runtime/latency/latency.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/anchors.h"
#include "runtime/os/os.h"
#include "runtime/threads/handshake.h"

/* The data of a request. `requested` and `ran` are clocks at the request; the other members are the mutator's state at
 * that time. */
struct arrival_question {
  uint64_t requested, ran, interruptions;
  bool managed, busy;
  struct cairn_arrival arrival;
};

/* Read the processor time of the thread, then the clock. Read both again after a preemption in between, because the
 * preemption would count as time after the request. */
static void read_request_clocks(struct arrival_question *question, int thread)
{
  for (int attempt = 0; attempt < 8; attempt++) {
    uint64_t before = cn_os_clock_nanoseconds();
    question->ran = cn_os_thread_processor_time(thread);
    question->requested = cn_os_clock_nanoseconds();
    if (question->requested - before < 5000)
      break;
  }
}

static void prepare_question(struct cairn_mutator *mutator, void *env)
{
  struct arrival_question *question = env;

  question->interruptions = __atomic_load_n(&mutator->interruptions, __ATOMIC_RELAXED);
  question->busy = __atomic_load_n(&mutator->busy, __ATOMIC_RELAXED) != 0;
  question->managed = __atomic_load_n(&mutator->state, __ATOMIC_RELAXED) == CAIRN_ABI_MANAGED;
  read_request_clocks(question, mutator->thread);
}

static uint64_t count_new_switches(struct cairn_mutator *mutator)
{
  uint64_t before = mutator->switches;

  mutator->switches = cn_os_involuntary_switches();
  return mutator->switches - before;
}

static uintptr_t managed_pc_of(const struct cairn_mutator *mutator)
{
  const struct cn_anchor *youngest = cn_anchors_youngest(mutator->anchor);

  if (mutator->stopped != NULL)
    return mutator->stopped->pc;
  return youngest != NULL ? youngest->pc : 0;
}

static void answer_question(int thread, void *env)
{
  uint64_t now = cn_os_clock_nanoseconds();
  struct arrival_question *question = env;
  struct cairn_mutator *mutator = cn_handshake_examined_mutator();
  bool own = mutator == &cairn_mutator;

  CN_ASSERT(mutator != NULL && mutator->thread == thread);
  question->arrival = (struct cairn_arrival){
      .nanoseconds = question->managed && now > question->requested ? now - question->requested : 0,
      .ran = cn_os_thread_processor_time(thread) - question->ran,
      .switches = own ? count_new_switches(mutator) : 0,
      .pc = managed_pc_of(mutator),
      .thread = thread,
      .safepoint = question->managed && question->busy,
      .native = !own || mutator->stopped == NULL || mutator->interruptions != question->interruptions};
}

static enum cairn_status measure_arrival(struct cn_handshake *request, struct cairn_arrival *arrival, uint64_t timeout)
{
  uint64_t now = cn_os_clock_nanoseconds();
  struct arrival_question question = {0};

  request->deadline = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
  request->operation = answer_question;
  request->env = &question;
  request->prepare = prepare_question;
  enum cairn_status status = cn_handshake(request);
  if (status == CAIRN_OK && arrival) {
    *arrival = question.arrival;
    arrival->asking = request->armed - question.requested;
  }
  return status;
}

enum cairn_status cn_arrival_measure_any(uint64_t random, struct cairn_arrival *arrival, uint64_t timeout)
{
  struct cn_handshake request = {.thread = CN_HANDSHAKE_ANY_THREAD, .random = random};

  return measure_arrival(&request, arrival, timeout);
}

enum cairn_status cairn_safepoint_ask(int thread, struct cairn_arrival *arrival, uint64_t timeout)
{
  const struct cairn_mutator *self = &cairn_mutator;
  struct cn_handshake request = {.thread = thread};

  if (self->attached && (thread == 0 ? self == cn_mutator_of_main_thread() : self->thread == thread))
    return CAIRN_E_SELF;
  return thread < 0 ? CAIRN_E_UNKNOWN : measure_arrival(&request, arrival, timeout);
}
