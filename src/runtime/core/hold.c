/* SPDX-License-Identifier: Apache-2.0
 *
 * Holding signals and cancellation back.
 */
#include "runtime/core/hold.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
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
  int before; /* the program's choice, if `depth` is not 0 */
} uncancelled;

/* An asynchronous cancellation may come at any instruction before the first call returns. */
void cn_hold_cancellation(void)
{
  int before;

  if (uncancelled.depth == 0) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    uncancelled.before = before;
  }
  uncancelled.depth++;
  CN_CHECK(uncancelled.depth != 0);
}

/* An asynchronous cancellation that came meanwhile comes when the type is set: when the state is,
 * glibc 2.36 ends the thread without the result PTHREAD_CANCELED. */
void cn_hold_let_cancellation(void)
{
  int type;

  CN_CHECK(uncancelled.depth != 0); /* else cancellation would be held for good */
  if (--uncancelled.depth != 0)
    return;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(uncancelled.before, NULL);
  pthread_setcanceltype(type, NULL);
}

/* In a slow path signals wait already. */
void cn_hold_signals(void)
{
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t set, mask;

  cn_hold_cancellation();
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

void cn_hold_let_signals(void)
{
  sigset_t mask = held.mask;
  int error = errno;

  CN_ASSERT(uncancelled.depth >= held.depth);
  CN_CHECK(held.depth != 0); /* else signals would be held for good */
  --held.depth;
  cn_hold_let_cancellation();
  if (held.depth == 0 && held.masked)
    sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = error;
}
