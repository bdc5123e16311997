/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples running threads: a thread records its pc and a backtrace, in the handler of a signal that the program does
 * not use.
 */
#ifndef CN_RUNTIME_LATENCY_SAMPLE_H
#define CN_RUNTIME_LATENCY_SAMPLE_H

#include "runtime/debug/backtrace.h"

struct cn_sample {
  uintptr_t pc; /* the safepoint's pc, if the thread is at a safepoint */
  struct cn_backtrace backtrace;
};

/* Returns the error, for instance that the thread blocks all signals, or null; `*sample` is then valid until the next
 * call. Waits for the thread's signal handler, at most a second for its start. Only one thread of the runtime may call
 * this, after cn_os_has_unwinder(true). */
const char *cn_sample_thread(int thread, const struct cn_sample **sample);

#endif
