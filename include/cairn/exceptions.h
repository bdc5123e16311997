/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions of a language: cairn_throw() leaves activations by their frame maps, without an unwinder, and goes on at
 * the landing pad of an activation that a span names (docs/frontends.md, "Exceptions"). Managed code calls it; front
 * ends declare the functions in IR:
 *
 *   declare i32 @cairn_throw(i64, ptr addrspace(1))
 *   declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
 *
 *     call void @cairn.span.begin(i64 KEY, ptr null)
 *     invoke void @callee() to label %on unwind label %pad
 *   pad:
 *     %l = landingpad { ptr, i32 } catch ptr null
 *     %exception = call ptr addrspace(1) @cairn_thrown()
 *     call void @cairn.span.end(i64 KEY)
 */
#ifndef CAIRN_EXCEPTIONS_H
#define CAIRN_EXCEPTIONS_H

#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CAIRN_CAIRN_H /* managed code includes <cairn/cairn.h> first */

/* Throws the exception, which may be null: the thread goes on at the landing pad of the youngest activation whose call
 * lies in a span with this key (<cairn/span.h>) and has a pad that an exception without a type enters: its clauses
 * include `cleanup` or a `catch` of null. The caller's own call of cairn_throw() counts, too. The pad gets a null
 * pointer, and as selector the number of the `catch` of null, or 0. Other managed activations between end as if a
 * longjmp() left them. If native code lies between, or code with its own manager, or a call with a landing pad outside
 * of all spans with this key, then the program's unwinder runs all cleanups on the way, as at the end of a thread: a
 * `catch (...)` of C++ may keep the exception or throw it again. Native code on the way without call-frame information
 * ends the program. Returns only after a failure, which leaves the stack unchanged; cairn_throw_failure() then has a
 * sentence. A safepoint.
 *
 * UNKNOWN: no activation of the thread has such a call. NATIVE, FOREIGN: cleanups may lie between, and the program has
 * no unwinder. PINNED: an activation that would end has an open scope of a pin. REFUSED: the thread has a shadow stack,
 * or native code calls. */
enum cairn_status cairn_throw(uint64_t key, void cairn_managed *exception);

/* Returns the exception that the calling thread has thrown last, and forgets it. A landing pad calls it before anything
 * else that may throw. Null: the exception was null, or an unwinder has entered the pad. */
cairn_leaf void cairn_managed *cairn_thrown(void);

#endif

#pragma GCC visibility push(default)

struct cairn_handle;

/* Like cairn_throw(), for native code that managed code called, outside of signal handlers that interrupted managed
 * code. An unwinder runs the cleanups of the native callers. The exception is null or the object of the handle, which
 * the call frees unless it fails. BUSY: the caller is a collector, the operation of a handshake, a leaf, or such a
 * signal handler. */
enum cairn_status cairn_throw_handle(uint64_t key, struct cairn_handle *exception);

/* Failures of the runtime, which end the program unless they throw. */
enum cairn_failure {
  CAIRN_FAILURE_MEMORY, /* an allocation fails, and cairn_on_exhaustion() has no callback or it returned false */
  CAIRN_FAILURE_STACK   /* a poll finds the stack used up (-fcairn-poll=stack) */
};

/* Lets this failure throw the handle's object with the key, on any thread, as if the call that failed were a call of
 * cairn_throw() without a landing pad. Null: the failure ends the program again, as at the start. The object may be
 * thrown many times, and on several threads at a time. The handle stays the caller's, and valid until the next call for
 * this failure returns. Any thread; not in signal handlers.
 *
 * The failure ends the program, with a line about the reason, if cairn_throw() would fail, if native code called, in a
 * signal handler that interrupted managed code, and in a take-over (<cairn/deopt.h>). Also if a call on the way lies in
 * a span of the key and has no landing pad: LLVM has inlined the callee, or made a call of the invoke, because the
 * callee only fails in this way (docs/frontends.md, "Failures"). */
void cairn_throw_on(enum cairn_failure failure, uint64_t key, struct cairn_handle *exception);

/* The reason of the calling thread's last failure of a throw, a sentence without its full stop that names the
 * activation. Valid until the thread's next throw. Any thread. */
const char *cairn_throw_failure(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
