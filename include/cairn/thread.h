/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that run managed code, and what other threads may request of them.
 *
 *   static void count(int thread, void *env)
 *   {
 *     struct cairn_stack_iterator frames;
 *     for (cairn_stack_of_thread(&frames, thread); !cairn_stack_past_end(&frames);
 *          cairn_stack_next(&frames))
 *       ++*(long *)env;
 *   }
 *   ...
 *   cairn_handshake(thread, count, &number, CAIRN_ASK_FOREVER);
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

/* The first managed code that a thread enters attaches it, and its end detaches it; so no program
 * has to call these. Attach: the calling thread's first managed code will not wait for a
 * collection, nor find memory short. Detach: gives back what the thread keeps; the thread may enter
 * managed code again later. Call it in native code that no managed code has called: with managed
 * frames on the stack it ends the program. Any thread, but no signal handler; both may be called
 * twice. */
void cairn_thread_attach(void);
void cairn_thread_detach(void);

/* ---- handshakes ---- */

/* An operation on a thread that is at a safepoint, or in native code from which it cannot return
 * meanwhile. Either that thread runs it or the requester; where gettid() is not `thread` they are
 * two threads. cairn_stack_of_thread() of <cairn/stack.h> shows it the thread's stack, and no
 * other's, and it may change what it finds there. No collection runs meanwhile. It must not
 * allocate managed objects, call managed code, wait for another thread, call any function of this
 * header, fork, unload a shared object, end the thread or leave by a jump: what would wait for its
 * own end ends the program. Signals of the thread that runs it wait. */
typedef void cairn_handshake_operation(int thread, void *env);

#define CAIRN_ASK_FOREVER UINT64_MAX

/* Have the operation run once for the thread of this number (gettid()), or for the main thread if
 * it is 0, and return after it. It runs at once for the calling thread, and for one that is in
 * native code or waits for a collection; otherwise when the thread comes to a poll, to an
 * allocation, or to native code. No other thread waits.
 *
 * Any thread may call, attached or not, from the first constructors of the executable on; but no
 * signal handler that may have interrupted managed code, and no collector. Requesters wait for each
 * other and for collections; collections, and threads that begin or end, wait for them. The timeout
 * is in nanoseconds from the call.
 *
 * TIMEOUT: the thread did not come in time; the operation will not run. UNKNOWN: no thread of this
 * number has run managed code, or it has ended. ENDED: the program is over, and its exit handlers
 * have run; or the main thread has ended. BUSY: the caller is an operation, a collector or such a
 * handler. */
enum cairn_status cairn_handshake(int thread, cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* The same for each thread that has run managed code, also the calling one if it has. Several
 * threads may run the operation at the same time, in any order. TIMEOUT or ENDED: it did not run
 * for all. */
enum cairn_status cairn_handshake_all(cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* ---- the time to safepoint ---- */

/* How a thread came to a safepoint. Times are in nanoseconds, of clocks that the kernel
 * keeps. */
struct cairn_arrival {
  /* By the clock, from just before the request to the thread's first action at the safepoint. 0 if
   * it was in native code, or waited for a collection. */
  uint64_t nanoseconds;
  /* By the thread's own clock, over the same time and somewhat more. For the rest of `nanoseconds`
   * it had no processor. It does not sleep in managed code, so there it was preempted, by other
   * threads or by the host of a virtual machine; or it waited for a page. */
  uint64_t ran;
  /* Involuntary context switches of the thread since its last arrival, which is longer than the
   * time of this one. 0 if it was in native code: the requester cannot tell. */
  uint64_t switches;
  /* The time that posting the request took. If it is long, the requester was preempted itself, and
   * `nanoseconds` may be too large by so much. */
  uint64_t asking;
  /* The place where the thread goes on: after the call of the poll's slow path. For a thread in
   * native code: where that code returns to. */
  uintptr_t pc;
  int thread; /* its number, as gettid() has it */
  /* It was in the runtime at the request, in an allocation for instance: the time is that of the
   * rest, and of the code up to the next safepoint. */
  bool safepoint;
  /* It was in native code, or came back from there, or a signal handler interrupted it after the
   * request: the time may be that code's. */
  bool native;
};

/* Request a safepoint of a thread (its number; 0: the main thread), with a handshake that measures
 * the arrival. A thread in native code counts as there.
 *
 * Statuses are those of cairn_handshake(), and SELF: the caller is that thread, which cannot wait
 * for itself. Writes *arrival, unless it is null, if the status is OK, and leaves it alone
 * otherwise. */
enum cairn_status cairn_safepoint_ask(int thread, struct cairn_arrival *arrival, uint64_t timeout);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
