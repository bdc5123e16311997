/* SPDX-License-Identifier: Apache-2.0
 *
 * Defers signals and cancellation during work that a handler's jump or the thread's end must not interrupt. Owns two
 * thread-local records: `deferred_signals` (depth, the program's mask) and `deferred_cancellation` (depth, the
 * program's cancellation state). A handler of the same thread may run between any two stores, and restores both depths;
 * after a jump, cn_defer_cut_after_jump() restores `deferred_cancellation`. Each thread, for itself, in any phase;
 * async-signal-safe; takes no lock.
 */
#include "runtime/core/defer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/check.h"
#include "runtime/core/mutator.h"

static _Thread_local struct {
  unsigned depth;
  bool masked;
  sigset_t mask; /* the program's signal mask, if `masked` */
} deferred_signals;

static _Thread_local struct {
  unsigned depth;
  bool enable;   /* the program had cancellation enabled, so it is enabled again at the end */
  bool disabled; /* the program had cancellation disabled at the last deferral */
  bool begins;   /* cancellation may be disabled, but `enable` is not set yet */
} deferred_cancellation;

/* Disable cancellation and record the program's state. A handler may run at any instruction of this function. If the
 * handler also calls cn_defer_cancellation() and cn_undefer_cancellation(), these calls find cancellation disabled and
 * keep `deferred_cancellation` unchanged. */
static void disable_cancellation(void)
{
  bool begins = deferred_cancellation.begins;
  int before;

  deferred_cancellation.begins = true;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  deferred_cancellation.depth++;
  atomic_signal_fence(memory_order_seq_cst);
  if (before == PTHREAD_CANCEL_ENABLE)
    deferred_cancellation.enable = true;
  if (!begins)
    deferred_cancellation.disabled = before == PTHREAD_CANCEL_DISABLE;
  atomic_signal_fence(memory_order_seq_cst);
  deferred_cancellation.begins = begins;
}

/* An asynchronous cancellation may happen at any instruction before the first call returns. */
void cn_defer_cancellation(void)
{
  if (deferred_cancellation.depth == 0)
    disable_cancellation();
  else
    deferred_cancellation.depth++;
  CN_CHECK(deferred_cancellation.depth != 0);
}

/* The second change of the cancellation type delivers a pending asynchronous cancellation. The type is deferred while
 * the state becomes enabled, because glibc 2.36 would otherwise end the thread without the result PTHREAD_CANCELED. A
 * handler that runs after the depth becomes 0 may do all of these steps; the thread then repeats them. */
void cn_undefer_cancellation(void)
{
  int type;

  CN_CHECK(deferred_cancellation.depth != 0); /* a lower depth would defer cancellation for ever */
  --deferred_cancellation.depth;
  atomic_signal_fence(memory_order_seq_cst);
  if (deferred_cancellation.depth != 0 || !deferred_cancellation.enable)
    return;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  atomic_signal_fence(memory_order_seq_cst);
  deferred_cancellation.enable = false;
  pthread_setcanceltype(type, NULL);
}

/* A jump out of disable_cancellation() loses the program's state, so this function uses the last recorded state. */
void cn_defer_cut_after_jump(void)
{
  deferred_cancellation.depth = deferred_signals.depth + 1;
  deferred_cancellation.enable |= deferred_cancellation.begins && !deferred_cancellation.disabled;
  deferred_cancellation.begins = false;
  cn_undefer_cancellation();
}

void cn_defer_signals(void)
{
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t set, mask;

  cn_defer_cancellation();
  bool masked = !cairn_mutator.busy;
  if (deferred_signals.depth != 0) {
    deferred_signals.depth++;
    CN_CHECK(deferred_signals.depth != 0);
    return;
  }
  if (masked) {
    sigfillset(&set);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
      sigdelset(&set, raised[i]);
    sigprocmask(SIG_BLOCK, &set, &mask);
    deferred_signals.mask = mask;
  }
  deferred_signals.masked = masked;
  deferred_signals.depth = 1;
}

void cn_undefer_signals(void)
{
  sigset_t mask = deferred_signals.mask;
  int error = errno;

  CN_ASSERT(deferred_cancellation.depth >= deferred_signals.depth);
  CN_CHECK(deferred_signals.depth != 0); /* a lower depth would defer signals for ever */
  --deferred_signals.depth;
  cn_undefer_cancellation();
  if (deferred_signals.depth == 0 && deferred_signals.masked)
    sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = error;
}
