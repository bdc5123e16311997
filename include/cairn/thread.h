/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that run managed code, and requests that other threads may make of them.
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
 *
 * `number` then grows by the number of activations on the thread's stack.
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

/* Attach the calling thread to the runtime, and detach it. Calls are optional: the first managed code of a thread
 * attaches it, and its end detaches it. After an attach, the thread's first managed code neither waits for a collection
 * nor finds memory short. A detach frees the thread's data in the runtime; the thread may enter managed code again
 * later. Detach in native code that no managed code has called: with managed frames on the stack the program ends. Any
 * thread, outside signal handlers; both functions may be called twice. */
void cairn_thread_attach(void);
void cairn_thread_detach(void);

/* ---- handshakes ---- */

/* An operation on a thread that is at a safepoint, or in native code that stays there meanwhile. Either that thread or
 * the requester runs the operation; gettid() tells the two apart. cairn_stack_of_thread() of <cairn/stack.h> shows the
 * operation the stack of that thread only, and the operation may write to its slots. Collections wait meanwhile. The
 * operation must not allocate managed objects, call managed code, wait for another thread, call any function of this
 * header, fork, unload a shared object, end the thread or leave by a jump: a call that would wait for its own end ends
 * the program. Signals of the thread that runs the operation wait. */
typedef void cairn_handshake_operation(int thread, void *env);

#define CAIRN_ASK_FOREVER UINT64_MAX

/* Runs the operation once for the thread with this number (gettid()), or for the main thread if the number is 0, and
 * returns after it. The operation runs at once for the calling thread, and for a thread that is in native code or waits
 * for a collection; otherwise when the thread comes to a poll, to an allocation, or to native code. Other threads go
 * on.
 *
 * Any thread may call, attached or not, from the executable's first constructors on, except a signal handler that may
 * have interrupted managed code, and a collector. Requesters wait for each other and for collections; collections, and
 * threads that begin or end, wait for requesters. The timeout is in nanoseconds from the call.
 *
 * TIMEOUT: the thread came too late; the operation will not run. UNKNOWN: the thread with this number has ended, or has
 * yet to run managed code. ENDED: the program is over, and its exit handlers have run; or, for number 0, the main
 * thread has ended, or another thread started the runtime. BUSY: the caller is an operation, a collector, such a
 * handler, or a function that managed code called as a leaf. */
enum cairn_status cairn_handshake(int thread, cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* Like cairn_handshake(), for each thread that has run managed code, the calling one included. Several threads may run
 * the operation at the same time, in any order. TIMEOUT or ENDED: the operation ran for only some of them. */
enum cairn_status cairn_handshake_all(cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* ---- the time to safepoint ---- */

/* The arrival of a thread at a safepoint. Times are in nanoseconds, by clocks of the kernel. */
struct cairn_arrival {
  /* By the clock, from just before the request to the thread's first action at the safepoint. 0 if the thread was in
   * native code or waited for a collection. */
  uint64_t nanoseconds;
  /* By the thread's own clock, over the same time and slightly more. For the rest of `nanoseconds` the thread was off
   * the processor. Managed code never sleeps, so the thread was preempted there, by other threads or by the host of a
   * virtual machine; or it waited for a page. */
  uint64_t ran;
  /* Involuntary context switches of the thread since its last arrival, a longer time than that of this arrival. 0 if
   * the thread was in native code: the requester cannot count them. */
  uint64_t switches;
  /* The time for posting the request. A long time means that the requester itself was preempted, and `nanoseconds` may
   * be too large by as much. */
  uint64_t asking;
  /* The address where the thread resumes: after the call of the poll's slow path. For a thread in native code: the
   * return address of that code, or 0 if managed code did not call it. */
  uintptr_t pc;
  int thread; /* the thread's number, as by gettid() */
  /* True if the thread was in the runtime at the request, for example in an allocation: the time is that of the rest,
   * and of the code up to the next safepoint. */
  bool safepoint;
  /* True if the thread was in native code, came back from there, or was interrupted by a signal handler after the
   * request: the time may be that code's. */
  bool native;
};

/* Requests a safepoint of a thread (its number; 0: the main thread), with a handshake that measures the arrival. A
 * thread in native code counts as arrived.
 *
 * The statuses are those of cairn_handshake(), and SELF: the caller is that thread, and cannot wait for itself. If OK,
 * writes *arrival unless `arrival` is null; otherwise leaves it unchanged. */
enum cairn_status cairn_safepoint_ask(int thread, struct cairn_arrival *arrival, uint64_t timeout);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
