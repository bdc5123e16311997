/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints backtraces of programs that end to the standard error stream (docs/stack.md, "Backtraces"). <cairn/stack.h>
 * declares cairn_backtrace().
 */
#ifndef CN_RUNTIME_DEBUG_BACKTRACE_H
#define CN_RUNTIME_DEBUG_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Print a backtrace of a program that is about to abort, maybe because its stack is broken. The backtrace starts at the
 * caller of the function whose frame ends above `frame`. The call always returns: a fault, a failure or an endless loop
 * only ends the backtrace. Changes signal handlers. Only the first call prints. */
void cn_backtrace_print_fatal(uintptr_t frame);

/* Print a backtrace that starts at the activation at `pc`. The first function may load the unwinder; the second is for
 * signal handlers, and uses an unwinder that is loaded already. */
void cn_backtrace_print_from(uintptr_t pc);
void cn_backtrace_print_from_fault(uintptr_t pc);

/* A backtrace that is printed later, or by another thread. */
enum { CN_BACKTRACE_MAX_ACTIVATIONS = 120 };
struct cn_backtrace {
  struct cn_backtrace_activation {
    uintptr_t pc;
    uint64_t number;
    uint64_t same;     /* number of directly following activations with this pc */
    uint64_t left_out; /* number of activations left out before this one */
    bool interrupted;  /* true: pc is the next instruction; false: pc is a return address */
  } at[CN_BACKTRACE_MAX_ACTIVATIONS];
  size_t count;
};

/* Record a backtrace that starts at the activation at `pc`, in a signal handler. Async-signal-safe. */
void cn_backtrace_record(uintptr_t pc, struct cn_backtrace *backtrace);
void cn_backtrace_print_recorded(const struct cn_backtrace *backtrace);

#endif
