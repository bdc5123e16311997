/* SPDX-License-Identifier: Apache-2.0
 *
 * Lets failures of the runtime throw exceptions of a language: the exception that the program has set for exhausted
 * memory, or for a stack overflow. Runs on the thread that fails, in its slow path, in phase MUTATE. Owns the
 * exceptions, which the mutex `failures_lock` guards.
 */
#include "deopt/throw.h"

#include <cairn/abi.h>
#include <cairn/exceptions.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/core/mutator.h"
#include "runtime/roots/roots.h"
#include "runtime/signals/signals.h"

enum { FAILURES = CAIRN_FAILURE_STACK + 1 };

static struct failure_exception {
  uint64_t key;
  struct cairn_handle *handle; /* null: the failure ends the program */
} failures[FAILURES];
static struct cn_mutex failures_lock;

void cairn_throw_on(enum cairn_failure failure, uint64_t key, struct cairn_handle *exception)
{
  if ((unsigned)failure >= FAILURES)
    cairn_fatal("cairn_throw_on(): %d is not a failure", (int)failure);
  cn_mutex_take(&failures_lock, UINT64_MAX);
  failures[failure] = (struct failure_exception){.key = key, .handle = exception};
  cn_mutex_release(&failures_lock);
}

void cn_throw_reset_after_fork(void)
{
  atomic_store(&failures_lock.word, 0);
}

/* The reference is read under the lock, because a handle may be freed once it has been replaced. */
static bool find_exception(int failure, uint64_t *key, uintptr_t *exception)
{
  cn_mutex_take(&failures_lock, UINT64_MAX);
  const struct failure_exception set = failures[failure];
  if (set.handle != NULL)
    *exception = cairn_handle_get(set.handle);
  cn_mutex_release(&failures_lock);
  *key = set.key;
  return set.handle != NULL;
}

void cn_throw_on_failure(int failure, const struct cn_saved_regs *regs)
{
  uintptr_t exception;
  uint64_t key;

  CN_CHECK(failure >= 0 && failure < FAILURES && cairn_mutator.busy);
  if (cairn_mutator.stopped != NULL || !find_exception(failure, &key, &exception))
    return;
  if (cn_signals_is_interrupting()) {
    cn_report_print_text("cairn: no exception is thrown: a signal handler has interrupted managed code\n");
    return;
  }
  cn_throw_from_slow_path(key, exception, regs);
  cn_report_print_text("cairn: no exception is thrown: %s\n", cairn_throw_failure());
}
