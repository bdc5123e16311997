/* SPDX-License-Identifier: Apache-2.0
 *
 * The time to safepoint: measurement, limits and samples.
 */
#ifndef CN_RUNTIME_LATENCY_LATENCY_H
#define CN_RUNTIME_LATENCY_LATENCY_H

#include <stdint.h>
#include <cairn/thread.h>
#include "runtime/debug/backtrace.h"

/* ---- arrival.c: the time to safepoint, measured by handshakes ---- */

/* Like cairn_safepoint_ask(), for a thread that `random` chooses. UNKNOWN: all threads have ended. */
enum cairn_status cn_arrival_measure_any(uint64_t random, struct cairn_arrival *arrival, uint64_t timeout);

/* ---- sample.c ---- */

/* Samples running threads: a thread records its pc and a backtrace, in the handler of a signal that the program does
 * not use. */

struct cn_sample {
  uintptr_t pc;
  struct cn_backtrace backtrace;
};

struct cn_sample_kind {
  bool from_safepoint; /* begin at the managed code of a thread that is at a safepoint, and so in the runtime */
  uint64_t limit;      /* the greatest number of activations */
};

/* Fills *sample; returns the error, for instance that the thread blocks all signals, or null. Waits for the thread's
 * signal handler, at most a second for its start. Threads of the runtime call this, after cn_os_has_unwinder(true). */
const char *cn_sample_thread(int thread, struct cn_sample_kind kind, struct cn_sample *sample);

/* ---- pause.c ---- */

/* Sleep for a random time from 0 to 2 * `mean` nanoseconds; `*random` is the state of the random numbers. False:
 * another thread has set `*stop` and woken its waiters. For threads of the runtime. */
bool cn_pause_at_random(_Atomic uint32_t *stop, uint64_t mean, uint64_t *random);

/* ---- stop_limit.c ---- */

/* CAIRN_STOP_LIMIT=N: a thread of the runtime, the reporter, reports each thread that delays a stop for more than N
 * microseconds, once for each stop. The reporter may allocate memory for names of files and lines; the requester of the
 * stop must not, because a stopped thread may be in malloc(). */

/* Like cn_hooks.stop_waits(). */
void cn_stop_limit_note_wait(int thread, uint64_t since);

/* End the reporter at the program's end, after the report that it is printing. */
void cn_stop_limit_end_reporter(void);

/* ---- value_histogram.c ---- */

/* Counts values in little memory: 16 buckets for each power of two, so that the error of a quantile is at most 6 %. A
 * zero-initialised histogram is empty. */

enum { CN_HISTOGRAM_STEPS_PER_POWER = 16, CN_HISTOGRAM_BUCKETS = 64 * CN_HISTOGRAM_STEPS_PER_POWER };

struct cn_histogram {
  uint64_t total, maximum;
  uint64_t counts[CN_HISTOGRAM_BUCKETS];
};

void cn_histogram_add_value(struct cn_histogram *histogram, uint64_t value);

/* The quantile for `thousandths` per mille of the values, rounded down to a bucket's start; 0 if there are no values.
 * The quantile for 500 is the median. */
uint64_t cn_histogram_quantile(const struct cn_histogram *histogram, unsigned thousandths);

/* ---- watchdog.c ---- */

/* CAIRN_WATCHDOG=N: a thread of the runtime requests a safepoint of some thread at random times, every N microseconds
 * on average, and records the time that it takes. */

/* The party to charge for an arrival's time. */
enum cn_blame {
  CN_BLAME_MANAGED_CODE, /* managed code, which had its processor all the time */
  CN_BLAME_NATIVE_CODE,  /* the thread called native code, or returned from it */
  CN_BLAME_SAFEPOINT,    /* uncharged: the thread was at a safepoint at the request */
  CN_BLAME_PREEMPTED,    /* the kernel, which ran other threads */
  CN_BLAME_HOST,         /* the thread lost its processor without a preemption: the host of a virtual machine ran
                          * another task, or the thread waited for a page */
  CN_BLAME_REQUESTER,    /* unknown: the requester was delayed while it posted the request */
  CN_BLAME_COUNT
};
enum cn_blame cn_watchdog_blame_of(const struct cairn_arrival *arrival);

/* At the program's end: release all requesters (threads/handshake.h), and wait until the watchdog has ended. */
void cn_watchdog_stop(void);

/* Print the results with the statistics, after the watchdog has stopped. Prints nothing if the watchdog was off. */
void cn_watchdog_print_results(void);

#endif
