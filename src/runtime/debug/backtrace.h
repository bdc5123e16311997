/* SPDX-License-Identifier: Apache-2.0
 *
 * Backtraces of programs that end (docs/stack.md, "Backtraces"); cairn_backtrace() is in <cairn/stack.h>. All print
 * to the standard error stream.
 */
#ifndef CN_RUNTIME_DEBUG_BACKTRACE_H
#define CN_RUNTIME_DEBUG_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program is about to abort, maybe because its stack is broken: from the caller of the function whose frame ends
 * above `frame`. Always comes back: a fault, a failure or an endless loop on the way ends the backtrace. Changes
 * signal handlers. Once; later calls do nothing. */
void cn_backtrace_print_fatal(uintptr_t frame);

/* From the activation at `pc`. The first may load the unwinder; the second, for signal handlers, uses one that is
 * there. */
void cn_backtrace_print_from(uintptr_t pc);
void cn_backtrace_print_from_fault(uintptr_t pc);

/* A backtrace to be printed later, or by another thread. */
enum { CN_BACKTRACE_MAX_ACTIVATIONS = 120 };
struct cn_backtrace {
  struct cn_backtrace_activation {
    uintptr_t pc;
    uint64_t number;
    uint64_t same;     /* number of further activations of it */
    uint64_t left_out; /* number of other activations left out before it */
    bool interrupted;  /* pc is the next instruction; else it is after a call */
  } at[CN_BACKTRACE_MAX_ACTIVATIONS];
  size_t count;
};

/* For a signal handler: from the activation at `pc`. Async-signal-safe. */
void cn_backtrace_record(uintptr_t pc, struct cn_backtrace *backtrace);
void cn_backtrace_print_recorded(const struct cn_backtrace *backtrace);

#endif
