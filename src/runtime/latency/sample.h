/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a thread is that runs: it says so itself, in the handler of a signal that the runtime
 * borrows.
 */
#ifndef CN_RUNTIME_LATENCY_SAMPLE_H
#define CN_RUNTIME_LATENCY_SAMPLE_H

#include "runtime/debug/backtrace.h"

struct cn_sample {
  uintptr_t pc; /* of a thread at a safepoint, the safepoint's */
  struct cn_backtrace backtrace;
};

/* Have the thread say where it is. Returns what is wrong: it blocks all signals, say; null:
 * nothing, and `*sample` stays until the next call. Waits for the thread, a second at most if it
 * has no processor. One thread of the runtime calls. Before: cn_os_unwinder(true). */
const char *cn_sample_take(int thread, const struct cn_sample **sample);

#endif
