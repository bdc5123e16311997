/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that run managed code, and requests to such threads.
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

/* Attach the calling thread to the runtime, and detach it. Calls are optional: a thread attaches when it first enters
 * managed code, and detaches when it ends. After an explicit attach, the thread's first managed code neither waits for
 * a collection nor finds memory exhausted. A detach frees the thread's data in the runtime; the thread may enter
 * managed code again later. A detach with managed frames on the stack ends the program. Any thread, outside signal
 * handlers; repeated calls have no effect. */
void cairn_thread_attach(void);
void cairn_thread_detach(void);

/* ---- handshakes ---- */

/* An operation on a thread that is at a safepoint or in native code, and that runs no managed code during the
 * operation. Either that thread or the requester runs the operation; gettid() distinguishes the two. The operation may
 * walk only this thread's stack, by cairn_stack_of_thread() of <cairn/stack.h>, and may write to its slots. Collections
 * wait during the operation. The operation must not allocate managed objects, call managed code, wait for another
 * thread, call any function of this header, fork, unload a shared object, end the thread or leave by a jump. A call
 * that would wait for the operation itself ends the program. Signals of the thread that runs the operation are
 * deferred. */
typedef void cairn_handshake_operation(int thread, void *env);

#define CAIRN_ASK_FOREVER UINT64_MAX

/* Runs the operation once for the thread with this number (gettid()), or for the main thread if the number is 0, and
 * returns after the operation. The thread that forked is the main thread of the child. The operation runs at once for
 * the calling thread, and for a thread that is in native code or waits for a collection. For other threads it runs when
 * the thread reaches a poll, an allocation or native code. Other threads go on.
 *
 * Any thread may call, attached or not, from the executable's first constructors on. The call is forbidden in
 * collectors, and in signal handlers that may have interrupted managed code. Requesters wait for each other and for
 * collections. Collections, and threads that begin or end, wait for requesters. The timeout is in nanoseconds from the
 * call.
 *
 * TIMEOUT: the thread came too late; the operation will not run. UNKNOWN: the thread with this number has ended, or has
 * yet to run managed code. ENDED: the program's exit handlers have run, or, for number 0, the main thread has ended.
 * BUSY: the caller is an operation, a collector, a signal handler that may have interrupted managed code, or a function
 * that managed code called as a leaf. */
enum cairn_status cairn_handshake(int thread, cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* Like cairn_handshake(), for each thread that has run managed code, including the calling thread. Several threads may
 * run the operation at the same time, in any order. After TIMEOUT or ENDED the operation ran for only some of the
 * threads. */
enum cairn_status cairn_handshake_all(cairn_handshake_operation *operation, void *env, uint64_t timeout);

/* ---- the time to safepoint ---- */

/* The arrival of a thread at a safepoint. Times are in nanoseconds, by clocks of the kernel. */
struct cairn_arrival {
  /* The time by the clock from just before the request to the thread's first action at the safepoint, or 0 if the
   * thread was in native code or waited for a collection. */
  uint64_t nanoseconds;
  /* The thread's processor time, over the time of `nanoseconds` and slightly more. For the rest of `nanoseconds` the
   * thread was off the processor. Managed code never sleeps: either the thread was preempted, by other threads or by
   * the host of a virtual machine, or it waited for a page. */
  uint64_t ran;
  /* Involuntary context switches of the thread since its last arrival, a longer time than `nanoseconds`. The number is
   * 0 if the thread was in native code, because the requester cannot count switches of another thread. */
  uint64_t switches;
  /* The time for posting the request. If posting takes long, the requester itself was preempted, and `nanoseconds` may
   * be too large by the time of posting. */
  uint64_t asking;
  /* The address where the thread resumes, after the call of the poll's slow path. For a thread in native code, the
   * return address of the native code, or 0 if managed code did not call it. */
  uintptr_t pc;
  int thread; /* the thread's number, as by gettid() */
  /* True if the thread was in the runtime at the request, for example in an allocation. `nanoseconds` then counts the
   * rest of the runtime's work and the code up to the next safepoint. */
  bool safepoint;
  /* True if the thread was in native code, returned from native code, or ran a signal handler after the request. The
   * native code or the handler may have taken the time of `nanoseconds`. */
  bool native;
};

/* Measures the time that a thread takes to reach a safepoint, by a handshake. `thread` is the thread's number, or 0 for
 * the main thread. A thread in native code counts as arrived.
 *
 * Statuses are as for cairn_handshake(), and SELF: the calling thread cannot wait for itself. The function writes
 * *arrival, unless `arrival` is null; after a failure *arrival is unchanged. */
enum cairn_status cairn_safepoint_ask(int thread, struct cairn_arrival *arrival, uint64_t timeout);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
