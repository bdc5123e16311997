/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks: events of the lower rooms of the runtime that rooms above them handle. lifecycle/start.c fills the table.
 */
#ifndef CN_RUNTIME_CORE_HOOKS_H
#define CN_RUNTIME_CORE_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

/* The linker fills the table and it is constant: it is whole before the first thread, image and signal handler. Each
 * hook runs under the rules of its caller: thread, phase, signals. `pc`: the address that messages name. */
struct cn_hooks {
  struct cairn_mutator *(*attach)(uintptr_t pc); /* first managed code of the calling thread: attach it */
  void (*begin_heap)(void);                      /* first managed code: set up the heap; the thread is native */
  void (*release_signals)(void);                 /* deliver the signals that came while the mutator was busy */
  void (*deliver)(int signal, siginfo_t *info, void *context); /* the kernel's handler of the program's signals */
  void (*handler_ends)(uintptr_t pc); /* the signal handler is over that attached the calling thread */
  void (*stop_waits)(int thread,
                     uint64_t since);   /* the stop requested at `since` waits for the thread, or has waited */
  void (*print_stack)(uintptr_t frame); /* the program ends with a message: print the stack from this frame on */
  bool (*source)(uintptr_t pc, char *buffer, size_t size); /* "function at file:line" of a safepoint; false: unknown */
};
extern const struct cn_hooks cn_hooks;

/* The calling thread's mutator; attaches the thread if need be. `pc`: the address that messages name if that fails. */
static inline struct cairn_mutator *cn_mutator_get_attached(uintptr_t pc)
{
  return cairn_mutator.attached ? &cairn_mutator : cn_hooks.attach(pc);
}

/* The mutator has ended its busy time: deliver the signals that came meanwhile. Their handlers may jump out. */
static inline void cn_deliver_postponed_signals(void)
{
  if (cn_thread.postponed != 0)
    cn_hooks.release_signals();
}

#endif
