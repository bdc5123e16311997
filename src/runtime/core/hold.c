/* SPDX-License-Identifier: Apache-2.0
 *
 * Holding signals back.
 */
#include "runtime/core/hold.h"

#include <errno.h>
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

/* In a slow path signals wait already. */
void cn_hold_signals(void)
{
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  bool masked = !cairn_mutator.busy;
  sigset_t set, mask;

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

  CN_CHECK(held.depth != 0); /* else signals would be held for good */
  if (--held.depth == 0 && held.masked)
    sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = error;
}
