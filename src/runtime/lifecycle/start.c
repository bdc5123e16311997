/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts the runtime, attaches threads by cn_hooks, and handles fork(). The main thread reads options and is attached
 * in .preinit_array, before any constructor of the program or of its shared objects. In a shared object
 * (CN_SHARED_RUNTIME) the first constructor starts the runtime, on the thread that loads it. Each other thread's first
 * managed code attaches the thread in phase MUTATE, and starts the runtime if it has not started. The start runs once,
 * in phase INIT, under `lock` of start_runtime_once(). The thread that forks stops the world, in phase MUTATE; in a
 * handler that interrupted managed code, it only holds the background thread's steps. Both then hold the lock of
 * patches. The child resets locks, mutators and threads of the runtime.
 */
#include <stdlib.h>
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap.h>
#include <cairn/thread.h>
#include "base/check.h"
#include "deopt/mark_again.h"
#include "deopt/report.h"
#include "deopt/throw.h"
#include "patch/alias.h"
#include "runtime/lifecycle/attach.h"
#include "runtime/core/defer.h"
#include "runtime/code/names.h"
#include "runtime/core/hooks.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/safepoints/safepoint.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/libc/libc.h"
#include "runtime/os/os.h"
#include "runtime/signals/signals.h"
#include "runtime/latency/latency.h"
#include "runtime/threads/workers.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/return_barriers.h"

/* ---- fork() ---- */

static struct cairn_mutator *attached_mutator(void)
{
  return cairn_mutator.attached ? &cairn_mutator : NULL;
}

/* False for a handler that interrupted managed code, because another thread may wait for the handler's end. */
static bool may_stop_world(void)
{
  return cairn_mutator.interruptions % 2 == 0;
}

/* Holds signals, because a handler could start a collection while this thread has stopped all other threads. */
static void prepare_fork(void)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);

  cn_stop_refuse_own(pc);
  cn_defer_signals();
  if (!may_stop_world()) {
    cn_background_hold_steps();
    cn_background_await_step(0);
    cn_heap_prepare_fork();
    cn_code_alias_prepare_fork();
    return;
  }
  if (attached_mutator() && cairn_mutator.state == CAIRN_ABI_MANAGED)
    cn_report_fatal(pc, "fork() was called as a leaf function, without an anchor");
  if (!cn_stop_begin_fork(attached_mutator()))
    cn_report_fatal(pc, "a signal handler calls fork() while another thread does");
  cn_heap_prepare_fork();
  cn_code_alias_prepare_fork();
}

static void finish_fork_in_parent(void)
{
  CN_ASSERT(attached_mutator() == NULL || attached_mutator()->state != CAIRN_ABI_MANAGED || !may_stop_world());
  cn_code_alias_finish_fork();
  cn_heap_finish_fork();
  if (may_stop_world())
    cn_stop_end(attached_mutator());
  else
    cn_background_release_steps();
  cn_undefer_signals();
}

/* Keep the objects of a thread that is missing in the child. Only the last block of the thread's buffer may be
 * incomplete. */
static void abandon_mutator(struct cairn_mutator *mutator)
{
  cn_buffer_fill_unfinished(mutator);
  cn_buffer_retire_mutator(mutator);
  cn_barrier_log_retire(mutator);
  cn_uncleared_note_mutator_end(mutator);
  cn_return_barriers_return_set(mutator->own.barriers);
  mutator->own.barriers = NULL;
  mutator->attached = 0;
  CN_ASSERT(mutator != &cairn_mutator);
}

static void reset_child_after_fork(void)
{
  cn_locks_reset_in_child();
  cn_heap_reset_in_child();
  cn_coroutine_stacks_reset_in_child();
  cn_code_alias_reset_in_child();
  cn_events_reset_in_child();
  cn_exhaustion_reset_after_fork();
  cn_throw_reset_after_fork();
  cn_stop_reset_after_fork(attached_mutator(), abandon_mutator);
  cn_workers_reset_after_fork();
  cn_background_reset_after_fork();
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  if (attached_mutator())
    attached_mutator()->thread = cn_os_thread();
  cn_os_prepare_thread_fence(cn_arch_protection_interrupts);
  cn_undefer_signals();
}

/* ---- the start ---- */

/* the program may define this variable */
#pragma weak cairn_heap_limits

/* Two copies would each move objects without the roots that the other one knows. */
static void refuse_second_runtime(void)
{
  char other[CN_REPORT_PC] = "another file", own[CN_REPORT_PC] = "this file";
  uintptr_t own_place, other_place = cn_os_find_other_runtime(&own_place);

  if (other_place == 0)
    return;
  cn_os_find_module_file(other_place, other, sizeof other);
  cn_os_find_module_file(own_place, own, sizeof own);
  cairn_fatal("the process has two copies of Cairn's runtime, in %s and in %s: link all of its parts with one of them "
              "(docs/build-systems.md)",
              own, other);
}

#ifndef CN_SHARED_RUNTIME
/* The stack that the start and a collection need at most. */
enum { MIN_STACK_BYTES = 8 << 10 };

/* Ends the program with a message if the stack's limit is too small; otherwise the program would end with a
 * segmentation fault. */
static void check_stack_limit(void)
{
  static const char text[] = "cairn: the limit of the stack (ulimit -s) is too small: less than 8 "
                             "KB are left for the program\n";

  uintptr_t here = (uintptr_t)__builtin_frame_address(0), bottom = cn_os_main_stack_bottom();
  if (!cn_os_is_main_thread() || bottom == 0 || (here > bottom && here - bottom >= MIN_STACK_BYTES))
    return;
  cn_os_write_message(text, sizeof text - 1);
  _exit(1);
}
#endif

/* With raised privileges, drop the CAIRN_* variables of the environment, for this program and for programs that it
 * starts, as the C library drops LD_PRELOAD. */
static void start_runtime(char **environment)
{
  char message[200];

  cn_os_main_stack_init(environment);
#ifndef CN_SHARED_RUNTIME /* a host may load a shared object on any stack */
  check_stack_limit();
#endif
  refuse_second_runtime();
  if (cn_os_has_raised_privileges())
    cn_options_drop_variables(environment);
  if (!cn_options_parse(&cn_options, &cairn_heap_limits, environment, message, sizeof message)) {
    cn_report_print_text("cairn: %s\n", message);
    _exit(1);
  }
  if (cn_options.help) {
    cn_options_print_help();
    _exit(0);
  }
  if (!cn_events_begin())
    _exit(1);
  cn_arch_detect_features();
  cn_jumps_init();
  cn_contexts_init();
  cn_thread_end_init(cn_detach_at_thread_end);
  cn_os_prepare_thread_fence(cn_arch_protection_interrupts);
  cn_os_watch_new_processes();
  cn_os_register_fork_handlers(prepare_fork, finish_fork_in_parent, reset_child_after_fork);
  if (cn_options.stress != 0 || cn_options.backtrace != 0)
    cn_fault_watch_signals();
  if (cn_os_is_main_thread())
    cn_attach_main_thread();
  cn_heap_choose_collector();
}

static void start_runtime_once(char **environment)
{
  static struct cn_mutex lock;
  static bool started;

  if (__atomic_load_n(&started, __ATOMIC_ACQUIRE))
    return;
  cn_mutex_take(&lock, UINT64_MAX);
  if (!started)
    start_runtime(environment);
  __atomic_store_n(&started, true, __ATOMIC_RELEASE);
  cn_mutex_release(&lock);
}

#ifdef CN_SHARED_RUNTIME
__attribute__((constructor(101)))
#endif
static void start_before_main(int argc, char **argv, char **environment)
{
  (void)argc;
  (void)argv;
  start_runtime_once(environment);
#ifdef CN_SHARED_RUNTIME
  cn_images_watch_exit_of_thread();
#endif
}

#ifndef CN_SHARED_RUNTIME
typedef void preinit_function(int, char **, char **);
__attribute__((section(".preinit_array"), used)) static preinit_function *const preinit_entry = start_before_main;
#endif

/* ---- attaching a thread ---- */

static struct cairn_mutator *attach_thread(uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  cn_stop_refuse_own(pc);
  cn_defer_signals();
  start_runtime_once(environ);
  if (cn_mutator_of_main_thread() == NULL && cn_os_is_main_thread())
    cn_mutator_set_main(mutator);
  if (!mutator->attached) {
#ifdef CN_SHARED_RUNTIME
    cn_images_watch_exit_of_thread();
#endif
    cn_attach_thread(pc);
  }
  cn_undefer_signals();
  return mutator;
}

/* Code that no file has may have a name from its loader. */
static bool describe_pc(uintptr_t pc, char *buffer, size_t size)
{
  return cn_safepoint_format_source(pc, buffer, size) || cn_code_describe(pc, buffer, size);
}

const struct cn_hooks cn_hooks = {
    .attach = attach_thread,
    .begin_heap = cn_heap_set_up_for_barriers,
    .release_signals = cn_signals_release_postponed,
    .deliver = cn_signals_deliver,
    .handler_ends = cn_detach_at_handler_end,
    .stop_waits = cn_stop_limit_note_wait,
    .print_stack = cn_backtrace_print_fatal,
    .source = describe_pc,
    .language_frame = cn_deopt_describe_activation,
    .mark_reason = cn_deopt_mark_reason,
    .mark_again = cn_deopt_mark_again,
    .throw_on_failure = cn_throw_on_failure,
};

void cairn_thread_attach(void)
{
  cn_mutator_get_attached((uintptr_t)__builtin_return_address(0));
}
