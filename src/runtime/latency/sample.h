/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of running threads: the thread itself reports its place, in the handler of a signal that the runtime
 * borrows.
 */
#ifndef CN_RUNTIME_LATENCY_SAMPLE_H
#define CN_RUNTIME_LATENCY_SAMPLE_H

#include "runtime/debug/backtrace.h"

struct cn_sample {
  uintptr_t pc; /* of a thread at a safepoint, the safepoint's */
  struct cn_backtrace backtrace;
};

/* Have the thread report its place. Returns the error, for instance that it blocks all signals; or null, and
 * `*sample` stays until the next call. Waits for the thread, a second at most if it is without a processor. Only one
 * thread of the runtime calls. First call cn_os_has_unwinder(true). */
const char *cn_sample_thread(int thread, const struct cn_sample **sample);

#endif
