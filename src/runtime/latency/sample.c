/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples the place of a running thread. The signal is a real-time one that the thread does not block and that has
 * no handler; the action stays, since the signal may come late. The handler prints nothing: names of files and lines
 * need memory, and it may have interrupted malloc().
 *
 *       caller         handler        handler
 *   SAMPLE_NONE -----> SAMPLE_ASKED --------> SAMPLE_TAKEN --------> SAMPLE_NONE
 *                 |  the caller gives up
 *                 +---------> SAMPLE_NONE
 */
#include "runtime/latency/sample.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include "runtime/core/mutator.h"
#include "runtime/handlers/action.h"
#include "runtime/os/os.h"

enum { SAMPLE_NONE, SAMPLE_ASKED, SAMPLE_TAKEN };
enum { PATIENCE_NANOSECONDS = 1000000000 }; /* nanoseconds */

static _Atomic uint32_t state;
static _Atomic int asked; /* the thread */
static struct cn_sample sample;

/* ---- the thread itself ---- */

/* At a safepoint the thread waits in the runtime; its managed code is of interest. The unwinder sees the stub's
 * caller one byte before (backtrace.c). */
static void take_sample(const struct cn_regs *stopped, uintptr_t pc)
{
  sample.pc = stopped ? stopped->pc : pc;
  cn_backtrace_keep(stopped ? stopped->pc - 1 : pc, &sample.backtrace);
}

static void handle_signal(int signal, siginfo_t *info, void *context)
{
  uint32_t expected = SAMPLE_ASKED;
  int error = errno;

  (void)signal;
  (void)info;
  if (asked == cn_os_thread() && atomic_compare_exchange_strong(&state, &expected, SAMPLE_TAKEN)) {
    take_sample(cairn_mutator.stopped, cn_arch_fault_pc(context));
    atomic_store(&state, SAMPLE_NONE);
    cn_os_wake(&state);
  }
  errno = error;
}

/* ---- the caller ---- */

static bool is_free(int signal)
{
  struct sigaction action;

  return cn_os_action(signal, NULL, &action) == 0 &&
         (action.sa_handler == SIG_DFL || action.sa_sigaction == handle_signal);
}

/* Returns 0 on failure. */
static int choose_signal(int thread)
{
  struct sigaction action = {.sa_sigaction = handle_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  uint64_t blocked = cn_os_thread_blocks(thread);
  int signal = SIGRTMAX;

  while (signal >= SIGRTMIN && ((blocked >> (signal - 1) & 1) != 0 || !is_free(signal)))
    signal--;
  sigfillset(&action.sa_mask);
  return signal >= SIGRTMIN && cn_os_action(signal, &action, NULL) == 0 ? signal : 0;
}

/* False: the caller gives up. */
static bool await_sample(void)
{
  uint64_t deadline = cn_os_nanoseconds() + PATIENCE_NANOSECONDS;
  uint32_t now, expected = SAMPLE_ASKED;

  while ((now = atomic_load(&state)) != SAMPLE_NONE)
    if (!cn_os_wait(&state, now, now == SAMPLE_ASKED ? deadline : UINT64_MAX) &&
        atomic_compare_exchange_strong(&state, &expected, SAMPLE_NONE))
      return false;
    else
      expected = SAMPLE_ASKED;
  return true;
}

const char *cn_sample_take(int thread, const struct cn_sample **result)
{
  int signal = choose_signal(thread);

  if (signal == 0)
    return "it blocks all signals that have no handler";
  asked = thread;
  atomic_store(&state, SAMPLE_ASKED);
  cn_os_thread_signal(thread, signal);
  *result = &sample;
  return await_sample() ? NULL : "it takes no signal";
}
