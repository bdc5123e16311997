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

struct cn_frame_map;

/* The table is constant and filled at link time, so it is complete before the first thread, image and signal handler. A
 * hook runs on its caller's thread, in its caller's phase and with its caller's signal mask. `pc` is the address that
 * messages name. */
struct cn_hooks {
  struct cairn_mutator *(*attach)(uintptr_t pc); /* attach the calling thread before its first managed code */
  void (*begin_heap)(void);      /* set up the heap before the first managed code; the thread is native */
  void (*release_signals)(void); /* deliver the signals postponed while the mutator was busy */
  void (*deliver)(int signal, siginfo_t *info, void *context); /* the kernel's handler of the program's signals */
  void (*handler_ends)(uintptr_t pc); /* the signal handler that attached the calling thread has ended */
  void (*stop_waits)(int thread,
                     uint64_t since);   /* the stop requested at `since` waits, or has waited, for the thread */
  void (*print_stack)(uintptr_t frame); /* the program ends: print the stack from this frame on */
  bool (*source)(uintptr_t pc, char *buffer,
                 size_t size); /* writes "function at file:line" or "function+0x12"; false: unknown */
  /* Writes the language's description of frame `index` of an activation with this map; 0 is the innermost frame. False:
   * there is no such frame. */
  bool (*language_frame)(const struct cn_frame_map *map, uint32_t index, char *buffer, size_t size);
  /* The language's text of the reason of a mark on an activation with this map; may be null. */
  const char *(*mark_reason)(const struct cn_frame_map *map, uint64_t reason);
  /* Mark the activations again whose marks exceptions have bypassed, in a slow path that entered with these registers;
   * null: native code called it. */
  void (*mark_again)(const struct cn_saved_regs *regs);
  /* Throw the exception for this failure (enum cairn_failure), out of a slow path that managed code entered with these
   * registers. Returns if no exception is set, or can be thrown. */
  void (*throw_on_failure)(int failure, const struct cn_saved_regs *regs);
};
extern const struct cn_hooks cn_hooks;

/* The calling thread's mutator; attaches the thread unless it is attached. Messages of a failure name `pc`. */
static inline struct cairn_mutator *cn_mutator_get_attached(uintptr_t pc)
{
  return cairn_mutator.attached ? &cairn_mutator : cn_hooks.attach(pc);
}

/* Deliver the signals that came while the mutator was busy. Their handlers may jump out. */
static inline void cn_deliver_postponed_signals(void)
{
  if (cn_thread.postponed != 0)
    cn_hooks.release_signals();
}

#endif
