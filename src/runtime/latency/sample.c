/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples a running thread: its pc and a backtrace. Owns the state of the request, the asked thread, the wanted
 * backtrace, the last sample, and `sample_lock`, which callers hold; the handler takes no lock. The handler runs on the
 * sampled thread, in any phase; the callers are threads of the runtime. The signal is a real-time signal that has no
 * handler and that the thread does not block. The action stays installed, since the signal may come late. The handler
 * does not print, because names of files and lines need memory and the signal may have interrupted malloc().
 *
 *       caller         handler        handler
 *   SAMPLE_NONE -----> SAMPLE_ASKED --------> SAMPLE_TAKEN --------> SAMPLE_NONE
 *                 |  the caller gives up
 *                 +---------> SAMPLE_NONE
 */
#include "runtime/latency/latency.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/handlers/action.h"
#include "runtime/os/os.h"

enum { SAMPLE_NONE, SAMPLE_ASKED, SAMPLE_TAKEN };
enum { MAX_SAMPLE_WAIT_NANOSECONDS = 1000000000 };

static _Atomic uint32_t sample_state;
static _Atomic int asked_thread;
static struct cn_sample_kind asked_kind;
static struct cn_sample last_sample;
static struct cn_mutex sample_lock;

/* ---- the thread itself ---- */

/* For the managed code of a safepoint, the unwinder shows the stub's caller with the return address minus 1
 * (backtrace.c). */
static void take_sample(const struct cn_saved_regs *stopped, uintptr_t pc)
{
  bool managed = stopped != NULL && asked_kind.from_safepoint;

  last_sample.pc = managed ? stopped->pc : pc;
  cn_backtrace_record(managed ? stopped->pc - 1 : pc, asked_kind.limit, &last_sample.backtrace);
}

static void answer_sample_signal(int signal, siginfo_t *info, void *context)
{
  uint32_t expected = SAMPLE_ASKED;
  int error = errno;

  (void)signal;
  (void)info;
  if (asked_thread == cn_os_thread() && atomic_compare_exchange_strong(&sample_state, &expected, SAMPLE_TAKEN)) {
    take_sample(cairn_mutator.stopped, cn_arch_context_pc(context));
    atomic_store(&sample_state, SAMPLE_NONE);
    cn_os_wake_all(&sample_state);
  }
  errno = error;
}

/* ---- the caller ---- */

static bool is_signal_free(int signal)
{
  struct sigaction action;

  return cn_os_set_kernel_action(signal, NULL, &action) == 0 &&
         (action.sa_handler == SIG_DFL || action.sa_sigaction == answer_sample_signal);
}

/* Returns 0 on failure. */
static int install_sample_signal(int thread)
{
  struct sigaction action = {.sa_sigaction = answer_sample_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  uint64_t blocked = cn_os_thread_blocked_signals(thread);
  int signal = SIGRTMAX;

  while (signal >= SIGRTMIN && ((blocked >> (signal - 1) & 1) != 0 || !is_signal_free(signal)))
    signal--;
  sigfillset(&action.sa_mask);
  return signal >= SIGRTMIN && cn_os_set_kernel_action(signal, &action, NULL) == 0 ? signal : 0;
}

/* False: the thread took no signal before the deadline. */
static bool await_sample(void)
{
  uint64_t deadline = cn_os_clock_nanoseconds() + MAX_SAMPLE_WAIT_NANOSECONDS;
  uint32_t now, expected = SAMPLE_ASKED;

  while ((now = atomic_load(&sample_state)) != SAMPLE_NONE)
    if (!cn_os_wait_on_word(&sample_state, now, now == SAMPLE_ASKED ? deadline : UINT64_MAX) &&
        atomic_compare_exchange_strong(&sample_state, &expected, SAMPLE_NONE))
      return false;
    else
      expected = SAMPLE_ASKED;
  return true;
}

static const char *sample_with_lock(int thread, struct cn_sample_kind kind)
{
  int signal = install_sample_signal(thread);

  if (signal == 0)
    return "it blocks all signals that have no handler";
  asked_thread = thread;
  asked_kind = kind;
  atomic_store(&sample_state, SAMPLE_ASKED);
  cn_os_thread_send_signal(thread, signal);
  return await_sample() ? NULL : "it takes no signal";
}

const char *cn_sample_thread(int thread, struct cn_sample_kind kind, struct cn_sample *sample)
{
  cn_mutex_take(&sample_lock, UINT64_MAX);
  const char *wrong = sample_with_lock(thread, kind);
  CN_ASSERT(wrong != NULL || last_sample.backtrace.count <= CN_BACKTRACE_MAX_ACTIVATIONS);
  if (wrong == NULL)
    *sample = last_sample;
  cn_mutex_release(&sample_lock);
  return wrong;
}
