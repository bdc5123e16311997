/* SPDX-License-Identifier: Apache-2.0
 *
 * Interposes siglongjmp(), longjmp(), _longjmp() and __longjmp_chk(), for Linux with glibc, and drops the anchors of
 * the frames that a jump leaves, also for contexts.c. Runs on the jumping thread, for its own mutator, in phase MUTATE,
 * possibly in a signal handler; a native thread first waits for the end of a stop. Signals and cancellation are
 * deferred during a change. The only state is the C library's jump, which the start finds.
 */
#undef _FORTIFY_SOURCE /* this macro would rename longjmp() to __longjmp_chk */
#include "runtime/libc/libc.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anchors.h"
#include "runtime/core/defer.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/coroutine_stacks.h"

/* ---- left frames ---- */

/* The stack's end is included, because it may be the SP of the oldest frame's anchor. */
static bool is_on_stack(const struct cairn_mutator *mutator, uintptr_t sp)
{
  return sp > mutator->stack_bottom && sp <= mutator->stack_end;
}

/* Addresses are comparable only on one stack. Any other stack is an alternate signal stack, whose handlers are younger
 * than the frames of the thread's stack, or has no managed frames. */
static bool is_anchor_left(const struct cairn_mutator *mutator, const struct cn_anchor *anchor, uintptr_t target)
{
  uintptr_t sp = cn_anchor_sp(anchor);

  if (is_on_stack(mutator, sp))
    return is_on_stack(mutator, target) && sp <= target;
  return is_on_stack(mutator, target) || sp <= target;
}

/* Drop the anchors of frames that the jump leaves, and anchors with an unset SP. If the target is in a handler, keep
 * anchors that are older than the handler: the handler may have interrupted a stub or an unwinder that fills or reads
 * an anchor without SP. */
static void drop_left_anchors(struct cairn_mutator *mutator, uintptr_t target)
{
  const struct cn_anchor *from = cn_signals_anchor_limit();
  struct cn_anchor *anchor = mutator->anchor;
  size_t before = cn_signals_leave_by_jump(target);

  while ((anchor = cn_anchors_youngest_since(from, anchor)) != NULL &&
         (anchor->sp == 0 || is_anchor_left(mutator, anchor, target))) {
    if (anchor->sp == 0 && cn_anchors_count(anchor) < before)
      continue;
    anchor->sp = 0;
    mutator->anchor = anchor;
  }
}

/* The state at the target: the state after the youngest transition, or the state of the code that the handler
 * interrupted, if there was no transition since. Native code that managed code calls without an anchor counts as
 * managed. */
static uint8_t state_at_target(const struct cairn_mutator *mutator)
{
  const struct cn_anchor *anchor = cn_anchors_youngest_since(cn_signals_anchor_limit(), mutator->anchor);

  if (anchor == NULL)
    return cn_signals_interrupted_state();
  return cn_anchor_is_entry(anchor) ? CAIRN_ABI_MANAGED : CAIRN_ABI_NATIVE;
}

/* Abandons the frames, with signals deferred. If a fault's handler jumps out of a slow path, the thread stays busy, and
 * the next safepoint reports the error. */
static void abandon_frames_below(struct cairn_mutator *mutator, uintptr_t target)
{
  uint64_t busy = mutator->busy;
  int error = errno;

  CN_CHECK(mutator == &cairn_mutator && mutator->attached);
  if (busy == 0)
    cn_defer_cut_after_jump();
  cn_defer_cancellation();
  mutator->busy = 1;
  if (busy == 0 && mutator->state == CAIRN_ABI_NATIVE)
    cn_stop_become_managed(mutator);
  cn_signals_end_left_handlers(target);
  drop_left_anchors(mutator, target);
  CN_ASSERT_VALID(cn_anchors_wrong(mutator->anchors, mutator->anchor));
  if (busy == 0) {
    __atomic_store_n(&mutator->state, state_at_target(mutator), __ATOMIC_SEQ_CST);
    mutator->busy = 0;
  }
  cn_undefer_cancellation();
  if (busy == 0)
    cn_signals_release_postponed();
  errno = error;
}

void cn_jumps_abandon_frames(uintptr_t target)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  const struct cn_anchor *anchor = cn_anchors_youngest(mutator->anchor);
  bool newer = anchor != NULL && cn_anchor_sp(anchor) <= target;

  if (mutator->attached && (newer || cn_signals_is_interrupting() || cn_thread_is_in_handler()) &&
      !cn_coroutine_stacks_is_on_other(mutator, target))
    abandon_frames_below(mutator, target);
}

/* True if the anchor's frame has returned, or an unseen jump has left the frame. */
static bool is_anchor_gone(const struct cairn_mutator *mutator, const struct cn_anchor *anchor, uintptr_t sp)
{
  uintptr_t own = cn_anchor_sp(anchor);

  return anchor->sp == 0 || (is_on_stack(mutator, own) == is_on_stack(mutator, sp) && own < sp);
}

bool cn_jumps_would_leave_frames(uintptr_t target, uintptr_t sp)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
  const struct cn_anchor *from = cn_signals_anchor_limit(), *anchor = mutator->anchor;

  if (!mutator->attached || cn_coroutine_stacks_is_on_other(mutator, target))
    return false;
  while ((anchor = cn_anchors_youngest_since(from, anchor)) != NULL && is_anchor_gone(mutator, anchor, sp))
    continue;
  return anchor != NULL && is_anchor_left(mutator, anchor, target);
}

/* ---- the C library's jumps ---- */

/* glibc has one function for its three jumps; static programs have this name of the function. A sanitizer's runtime has
 * another function. */
typedef void jump_function(sigjmp_buf buffer, int value);
extern jump_function __libc_siglongjmp __attribute__((weak));
extern jump_function ___interceptor_siglongjmp __attribute__((weak));
static jump_function *libc_jump;

/* This reference links glibc's jump into a static program. */
__attribute__((used)) static void (*const libc_link_reference)(void *) = pthread_exit;

void cn_jumps_init(void)
{
  void *symbol = cn_os_find_next_symbol("siglongjmp");

  if (___interceptor_siglongjmp != NULL)
    libc_jump = ___interceptor_siglongjmp;
  else if (__libc_siglongjmp != NULL)
    libc_jump = __libc_siglongjmp;
  else
    memcpy(&libc_jump, &symbol, sizeof libc_jump);
}

#define PUBLIC __attribute__((visibility("default")))

PUBLIC __attribute__((weak)) void siglongjmp(sigjmp_buf buffer, int value)
{
  if (libc_jump == NULL)
    cairn_fatal("a jump, and the runtime does not find the C library's siglongjmp()");
  if (cn_handshake_is_left_by_jump(cn_arch_jump_buffer_sp(buffer)))
    cn_stop_refuse_own((uintptr_t)__builtin_return_address(0));
  cn_jumps_abandon_frames(cn_arch_jump_buffer_sp(buffer));
  libc_jump(buffer, value);
  __builtin_unreachable();
}

extern __typeof__(siglongjmp) longjmp PUBLIC __attribute__((weak, alias("siglongjmp")));
extern __typeof__(siglongjmp) _longjmp PUBLIC __attribute__((weak, alias("siglongjmp")));

/* Repeats glibc's check: a target below `sp` has returned, except in a jump from an alternate stack, which may go to a
 * lower address. glibc's function would compare with this file's frames, and is absent from static programs. */
static void check_jump_target(uintptr_t target, uintptr_t sp)
{
  stack_t stack;

  if (target >= sp || sigaltstack(NULL, &stack) != 0)
    return;
  if ((stack.ss_flags & SS_ONSTACK) == 0 || target - (uintptr_t)stack.ss_sp < stack.ss_size)
    cairn_fatal("longjmp causes uninitialized stack frame");
}

extern __typeof__(siglongjmp) __longjmp_chk;
PUBLIC __attribute__((weak)) void __longjmp_chk(sigjmp_buf buffer, int value)
{
  check_jump_target(cn_arch_jump_buffer_sp(buffer), (uintptr_t)__builtin_frame_address(0));
  siglongjmp(buffer, value);
}

/* LLVM's sanitizer runtimes define the jumps, too, as jumps to the following names (handlers/action.c). */
#define INTERCEPTOR_ALIAS(name) PUBLIC __attribute__((noreturn, nothrow, alias(name)))
extern __typeof__(siglongjmp) __interceptor_siglongjmp INTERCEPTOR_ALIAS("siglongjmp");
extern __typeof__(siglongjmp) __interceptor_longjmp INTERCEPTOR_ALIAS("siglongjmp");
extern __typeof__(siglongjmp) __interceptor__longjmp INTERCEPTOR_ALIAS("siglongjmp");
extern __typeof__(siglongjmp) __interceptor___longjmp_chk INTERCEPTOR_ALIAS("__longjmp_chk");
