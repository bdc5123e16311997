/* SPDX-License-Identifier: Apache-2.0
 *
 * Attaches threads, and detaches them.
 *
 * A thread's first entry into managed code attaches the thread, and the thread's end or cairn_thread_detach() detaches
 * it (thread_end.c). If a signal handler attached the thread, the handler's end detaches it, because the thread's
 * destructors may have run already. The end of the last attached thread also ends the workers and the background
 * thread. Runs on each thread for its own mutator, the main thread in phase INIT, others in phase MUTATE, with signals
 * deferred. The mutator has all state; the data that outlives a thread is kept under the lock of stops.
 */
#include "runtime/lifecycle/attach.h"

#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "base/check.h"
#include "deopt/throw.h"
#include "runtime/core/anchors.h"
#include "runtime/core/bounds.h"
#include "runtime/core/counts.h"
#include "runtime/core/defer.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/messages.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"
#include "runtime/signals/signals.h"
#include "runtime/libc/libc.h"
#include "runtime/threads/workers.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/return_barriers.h"

/* ---- the end ---- */

/* Keep the data that outlives the thread: its counts, and its part of the heap. If the thread was cancelled within
 * managed code, its last block may lack a header. */
static void retire_mutator(struct cairn_mutator *mutator)
{
  CN_CHECK(mutator == &cairn_mutator && mutator->stopped == NULL);
  cn_global_roots_clear_thread(mutator);
  cn_return_barriers_return_set(mutator->own.barriers);
  mutator->own.barriers = NULL;
  cn_buffer_fill_unfinished(mutator);
  cn_buffer_retire_mutator(mutator);
  cn_barrier_log_retire(mutator);
  cn_uncleared_note_mutator_end(mutator);
  cn_stats.safepoints += mutator->safepoints;
  cn_stats.allocated += cn_buffer_allocated_bytes(mutator);
}

/* Store the activation's stack pointer. The unwinder stops at the first stub of a call between managed and native
 * code. */
static bool skip_native_frame(void *passed, const struct cn_os_frame *frame)
{
  *(uintptr_t *)passed = frame->sp;
  return !cn_arch_is_in_stubs(frame->pc);
}

/* Drop the anchors of calls that an unwinding has left (pthread_exit(), a cancellation). Anchors' stack pointers do not
 * tell which calls were left, since the unwinding calls cleanups of native code, whose frames may be deeper. The
 * unwinder finds the active calls. If there are no active calls, the thread is in native code. */
static void drop_unwound_anchors(struct cairn_mutator *mutator)
{
  uintptr_t passed = 1;

  if (mutator->anchor == mutator->anchors || mutator->stack != NULL || !cn_os_has_unwinder(true))
    return;
  cn_os_unwind_stack(skip_native_frame, &passed);
  cn_signals_drop_ended_anchors(mutator, passed - 1);
  if (mutator->anchor == mutator->anchors && mutator->state == CAIRN_ABI_MANAGED)
    cn_stop_become_native(mutator);
}

static void check_frames_left(const struct cairn_mutator *mutator, uintptr_t pc)
{
  if (mutator->anchor != mutator->anchors || mutator->state != CAIRN_ABI_NATIVE || mutator->stack != NULL)
    cn_report_fatal(pc, "the thread is detached with managed frames on its stack, or on another "
                        "stack than its own");
  CN_ASSERT_VALID(cn_mutator_wrong(mutator));
}

static void reset_mutator(struct cairn_mutator *mutator)
{
  cn_anchors_free_of_mutator(mutator);
  cn_fault_free_alternate_stack(mutator);
  cn_signals_free_interruptions(mutator);
  cn_bypassed_marks_free();
  cn_throw_free();
  CN_ASSERT(mutator->handshake == 0); /* requesters no longer access the mutator */
  *mutator = (struct cairn_mutator)CN_MUTATOR_INITIAL;
  CN_ASSERT_VALID(cn_mutator_wrong(mutator));
}

static void detach_mutator(struct cairn_mutator *mutator, uintptr_t pc)
{
  cn_stop_refuse_own(pc);
  cn_defer_signals();
  cn_signals_drop_ended_anchors(mutator, (uintptr_t)__builtin_frame_address(0));
  drop_unwound_anchors(mutator);
  check_frames_left(mutator, pc);
  cn_stop_remove_mutator(mutator, retire_mutator);
  if (cairn_mutator_count() == 0) {
    cn_workers_end_all();
    cn_background_end_thread();
  }
  reset_mutator(mutator);
  cn_undefer_signals();
}

/* Leaves the workers running, because joining them frees memory and the handler may have interrupted malloc(). */
void cn_detach_at_handler_end(uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  cn_defer_signals();
  cn_signals_drop_ended_anchors(mutator, (uintptr_t)__builtin_frame_address(0));
  check_frames_left(mutator, pc);
  if (cn_stop_remove_unless_fork(mutator, retire_mutator))
    reset_mutator(mutator);
  cn_undefer_signals();
}

/* The C library ends a thread in the frame that called the start routine. The unwinding of pthread_exit() or a
 * cancellation ends at this frame, without a return through the stub between this frame and a managed start routine. */
static void leave_all_frames(struct cairn_mutator *mutator)
{
  cn_signals_drop_ended_anchors(mutator, UINTPTR_MAX);
  if (mutator->state == CAIRN_ABI_MANAGED)
    cn_stop_become_native(mutator);
}

void cn_detach_at_thread_end(bool last, uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (!mutator->attached)
    return;
  leave_all_frames(mutator);
  if (last)
    detach_mutator(mutator, pc);
}

/* ---- the beginning ---- */

/* A constructor, because libc is not initialised in .preinit_array. */
__attribute__((constructor)) static void watch_main_thread_end(void)
{
  if (cairn_mutator.attached)
    cn_thread_end_watch((uintptr_t)__builtin_return_address(0));
}

static void find_stack_bounds(struct cairn_mutator *mutator, uintptr_t pc)
{
  uintptr_t bottom, end;

  if (mutator == cn_mutator_of_main_thread()) {
    mutator->stack_end = cn_os_main_stack_end();
    cn_bounds_find_stack(mutator);
    return;
  }
  /* In a signal handler, avoid the C library's query: it calls malloc(), which the signal may have interrupted. */
  uintptr_t sp = cn_signals_interrupted_sp(), here = (uintptr_t)__builtin_frame_address(0);
  if ((sp != 0 || !cn_os_find_stack_bounds(&bottom, &end)) &&
      !cn_os_find_memory_around(sp != 0 ? sp : here, &bottom, &end))
    cn_report_fatal(pc, "the bounds of the thread's stack cannot be found: the system denies "
                        "sched_getaffinity() or memory, and /proc/self/maps");
  mutator->stack_bottom = bottom;
  mutator->stack_end = end & ~(sizeof end - 1);
  mutator->stack_floor = cn_bounds_stack_floor(bottom, mutator->stack_end);
}

static void attach_mutator(struct cairn_mutator *mutator, uintptr_t pc)
{
  CN_ASSERT_VALID(cn_mutator_wrong(mutator));
  cn_anchors_make_for_mutator(mutator);
  find_stack_bounds(mutator, pc);
  if (cn_options.stress == 0)
    cn_poll_word_disarm(mutator, CN_POLL_REASON_STRESS);
  if (!cn_heap_is_ready())
    cn_poll_word_arm(mutator, CN_POLL_REASON_HEAP);
  mutator->thread = cn_os_thread();
  mutator->attached = 1;
  mutator->state = CAIRN_ABI_NATIVE;
  cn_stop_add_mutator(mutator);
  CN_ASSERT_VALID(cn_mutator_wrong(mutator));
}

void cn_attach_main_thread(void)
{
  cn_mutator_set_main(&cairn_mutator);
  attach_mutator(&cairn_mutator, (uintptr_t)__builtin_return_address(0));
}

void cn_attach_thread(uintptr_t pc)
{
  cn_thread_end_watch(pc);
  attach_mutator(&cairn_mutator, pc);
  cn_fault_give_alternate_stack(&cairn_mutator);
}

void cairn_thread_detach(void)
{
  if (cairn_mutator.attached)
    detach_mutator(&cairn_mutator, (uintptr_t)__builtin_return_address(0));
}
