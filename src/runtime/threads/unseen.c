/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles child processes that were made without the handlers of fork(). Other threads of the parent were running, and
 * are missing in the child. The child therefore continues only if the parent had one mutator, outside stops and steps
 * of the background thread; otherwise the child ends with a message. Runs on any thread of the child, in phase MUTATE:
 * one thread claims the repair, others wait. os/fork.c has the state.
 */
#include "runtime/threads/stop.h"

#include <sched.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/threads/workers.h"

/* Signals are deferred first, because the child's handlers of fork() end the deferral. */
void cn_unseen_repair_child(void)
{
  if (!cn_os_claim_new_process()) {
    while (cn_os_is_new_process()) /* another thread of the child repairs it */
      sched_yield();
    return;
  }
  CN_ASSERT(cn_os_is_new_process());
  const char *wrong = !cn_stop_is_only_mutator()   ? "other threads ran managed code or stopped it"
                      : cn_background_is_in_step() ? "the collector worked concurrently"
                                                   : NULL;
  if (wrong != NULL) {
    cn_os_finish_new_process(false);
    cairn_fatal("this process was made by _Fork() or clone() while %s: use fork(), or start another "
                "program",
                wrong);
  }
  cn_defer_signals();
  cn_os_finish_new_process(true);
}
