/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that run managed code, and what other threads may request of the main one.
 *
 *   struct cairn_arrival arrival;
 *   if (cairn_safepoint_ask(&arrival, CAIRN_ASK_FOREVER) == CAIRN_OK)
 *     printf("%lu ns\n", (unsigned long)arrival.nanoseconds);
 *
 * The thread is not stopped: it writes down when it reached a safepoint, and goes on. So this
 * measures the time to safepoint, and wakes the runtime up; it is not yet a way to look at the
 * thread's references.
 */
#ifndef CAIRN_THREAD_H
#define CAIRN_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A thread is attached by the first managed code that it enters, and detached when it ends; so no
 * program has to call these. Attach: the calling thread's first managed code will not wait for a
 * collection, nor find memory short. Detach, in native code that no managed code has called: what
 * the thread keeps is given back, and it may enter managed code again later; with managed frames on
 * its stack the program ends. Any thread, but not a signal handler; both may be called twice. */
void cairn_thread_attach(void);
void cairn_thread_detach(void);

/* How the main thread came to a safepoint. Times are in nanoseconds, of clocks that the kernel
 * keeps. */
struct cairn_arrival {
  /* By the clock, from just before the request to the first thing that the thread does at the
   * safepoint. 0 if it was at one already. */
  uint64_t nanoseconds;
  /* By the thread's own clock, over the same time and somewhat more: the thread spent what is
   * missing to `nanoseconds` without a processor. It does not sleep in managed code, so there it
   * was preempted, by other threads or by the host of a virtual machine; or it waited for a page.
   */
  uint64_t ran;
  /* Involuntary context switches of the thread since its last arrival, that is, over a longer
   * time than this arrival's. */
  uint64_t switches;
  /* How long it took to post the request. If that is long, the requester was preempted itself, and
   * `nanoseconds` may be too large by that. */
  uint64_t asking;
  uintptr_t pc;   /* where the thread goes on: after the call of the poll's slow path */
  int thread;     /* its number, as gettid() has it */
  bool safepoint; /* it was at a safepoint at the request, in a collection for instance */
  /* Since the request it came back from a call of native code that had begun before, or began one:
   * the time may be that code's. Not noticed: a function that native code called arrives before it
   * returns there. */
  bool native;
};

#define CAIRN_ASK_FOREVER UINT64_MAX

/* Request a safepoint of the main thread and wait until it is there: at a poll, at an allocation
 * that takes the slow path, or in cairn_collect(). A thread in native code arrives when it is back
 * and polls, which delays nobody but the caller.
 *
 * Any other thread may call, at any time from the first constructors of the executable on, but not
 * from a signal handler. Callers wait for each other: one request is open at a time, and the
 * timeout (nanoseconds) counts from the call. `arrival` is the caller's; it may be null. In the
 * child of a fork() by a thread that is not the main one, nobody arrives.
 *
 * TIMEOUT: it did not arrive in time; the request is withdrawn. ENDED: the program is over, its
 * exit handlers have run, or the main thread has ended. SELF: the caller is the main thread, which
 * cannot wait for itself. *arrival is left alone in all three cases. */
enum cairn_status cairn_safepoint_ask(struct cairn_arrival *arrival, uint64_t timeout);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
