/* SPDX-License-Identifier: Apache-2.0
 *
 * Defers signals and cancellation while work is half done, so that a handler that jumps, or the thread's end, finds it
 * whole. Two thread-local records belong to this file: `held` (depth, the program's mask) and `uncancelled` (depth, the
 * program's cancellation state). A handler of the same thread may run between any two stores, and leaves both depths as
 * it found them; after a jump cn_defer_cut() restores `uncancelled`. Each thread, for itself; async-signal-safe; takes
 * no lock.
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
  sigset_t mask; /* of the program, if `masked` */
} held;

static _Thread_local struct {
  unsigned depth;
  bool enable;   /* at the end: the program has cancellation enabled */
  bool disabled; /* the program had it disabled when it was last held */
  bool begins;   /* it may be disabled, and `enable` does not say so yet */
} uncancelled;

/* The program's choice is known after the call. A handler may come at any time: one that holds and releases as well
 * finds cancellation disabled, and leaves all of this as it was. */
static void disable_cancellation(void)
{
  bool begins = uncancelled.begins;
  int before;

  uncancelled.begins = true;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  uncancelled.depth++;
  atomic_signal_fence(memory_order_seq_cst);
  if (before == PTHREAD_CANCEL_ENABLE)
    uncancelled.enable = true;
  if (!begins)
    uncancelled.disabled = before == PTHREAD_CANCEL_DISABLE;
  atomic_signal_fence(memory_order_seq_cst);
  uncancelled.begins = begins;
}

/* An asynchronous cancellation may come at any instruction before the first call returns. */
void cn_defer_cancellation(void)
{
  if (uncancelled.depth == 0)
    disable_cancellation();
  else
    uncancelled.depth++;
  CN_CHECK(uncancelled.depth != 0);
}

/* An asynchronous cancellation that came meanwhile is delivered when the type is set: when the state is, glibc 2.36
 * ends the thread without the result PTHREAD_CANCELED. A handler that comes after the last depth does all of this,
 * and the thread then repeats it. */
void cn_defer_let_cancellation(void)
{
  int type;

  CN_CHECK(uncancelled.depth != 0); /* a lower depth would defer cancellation for ever */
  --uncancelled.depth;
  atomic_signal_fence(memory_order_seq_cst);
  if (uncancelled.depth != 0 || !uncancelled.enable)
    return;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  atomic_signal_fence(memory_order_seq_cst);
  uncancelled.enable = false;
  pthread_setcanceltype(type, NULL);
}

/* A jump out of disable_cancellation() loses the program's choice: keep the last known one. */
void cn_defer_cut(void)
{
  uncancelled.depth = held.depth + 1;
  uncancelled.enable |= uncancelled.begins && !uncancelled.disabled;
  uncancelled.begins = false;
  cn_defer_let_cancellation();
}

/* In a slow path signals are deferred already. */
void cn_defer_signals(void)
{
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t set, mask;

  cn_defer_cancellation();
  bool masked = !cairn_mutator.busy;
  if (held.depth != 0) {
    held.depth++;
    CN_CHECK(held.depth != 0);
    return;
  }
  if (masked) {
    sigfillset(&set);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
      sigdelset(&set, raised[i]);
    sigprocmask(SIG_BLOCK, &set, &mask);
    held.mask = mask;
  }
  held.masked = masked;
  held.depth = 1;
}

void cn_defer_let_signals(void)
{
  sigset_t mask = held.mask;
  int error = errno;

  CN_ASSERT(uncancelled.depth >= held.depth);
  CN_CHECK(held.depth != 0); /* a lower depth would defer signals for ever */
  --held.depth;
  cn_defer_let_cancellation();
  if (held.depth == 0 && held.masked)
    sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = error;
}
