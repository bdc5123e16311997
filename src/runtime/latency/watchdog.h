/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_WATCHDOG=N: a thread of the runtime requests a safepoint of some thread at random times, every N microseconds
 * on average, and records the time that it takes.
 */
#ifndef CN_RUNTIME_LATENCY_WATCHDOG_H
#define CN_RUNTIME_LATENCY_WATCHDOG_H

#include <cairn/thread.h>
#include "runtime/latency/value_histogram.h"

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
