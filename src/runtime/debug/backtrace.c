/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes, records and prints backtraces (pillar-stack-iterator-2011, "get string for frame"). The platform's unwinder
 * leads, because it sees native and interrupted activations. The walk of managed activations advances in step with the
 * unwinder, finds activations of other code managers, and continues alone if native code lacks call-frame information.
 * A first pass counts activations and a second prints, so that both ends of a deep stack are shown. Runs on any thread,
 * in any phase, also in signal handlers; the walk and the names take locks of images, and release them after a failure.
 * The state of this file is for a backtrace that ends the program: the first thread claims it atomically, and other
 * threads wait for the exit.
 */
#include "runtime/debug/backtrace.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include <cairn/stack.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/handlers/action.h"
#include "runtime/os/os.h"
#include "runtime/walk/walk.h"

enum {
  SHOWN_FIRST_PLACES = 100, /* places shown at the young end of a deep stack */
  SHOWN_LAST_PLACES = 20,   /* places shown at the old end */
  MAX_ACTIVATIONS = 1 << 24,
};

struct backtrace_state {
  int file;
  uintptr_t above; /* the backtrace starts above this address; 0: it starts at `from` */
  uintptr_t from;  /* the backtrace starts at the first activation with this pc */
  bool counting, started, signalled;
  bool walking; /* the walk is at an activation that the unwinder has not reached */
  struct cn_walk walk;
  uintptr_t pc;           /* of the last activation */
  uint64_t same;          /* number of directly following activations with this pc */
  uint64_t number;        /* activations so far */
  uint64_t place, places; /* runs of activations with one pc: so far, and in total */
  uint64_t left_out;
  uint64_t limit;             /* the greatest number of activations to take from the unwinder */
  struct cn_backtrace *keeps; /* the destination of the shown lines; null: print them */
  uintptr_t sp, after;        /* of the unwinder's last activation; the pc of the last activation, shown or hidden */
};

/* ---- the parallel walk ---- */

/* If the stack cannot be parsed, the walk ends. */
static void step_walk(struct backtrace_state *trace, bool begin)
{
  struct cn_report_guard guard = {.outer = cn_report_guard};
  unsigned depth = cn_code_regions_nesting_depth(), locks = cn_locks_held_by_thread();
  bool reads = cn_image_is_reading();

  cn_report_guard = &guard;
  if (sigsetjmp(guard.back, 0) == 0) {
    trace->walking =
        begin ? cn_walk_begin(&trace->walk, &cairn_mutator, cairn_mutator.stopped) : cn_walk_next(&trace->walk);
  } else {
    trace->walking = false;
    cn_locks_release_others(locks);
    cn_image_restore_reading(reads);
    while (cn_code_regions_nesting_depth() > depth)
      cn_code_regions_leave_region();
  }
  cn_report_guard = guard.outer;
}

/* Begin the walk, except in a signal handler that may have interrupted a change of the walk's tables. */
static void begin_walk(struct backtrace_state *trace)
{
  trace->walking = false;
  if (cairn_mutator.attached && !(trace->signalled && cairn_mutator.busy))
    step_walk(trace, true);
}

/* ---- activations ---- */

static void print_activation(int file, const struct cn_backtrace_activation *activation, const struct cn_walk *walk)
{
  if (activation->left_out > 0)
    cn_backtrace_print_note(file, "%lu activations left out", activation->left_out);
  cn_backtrace_print_activation(file, activation->number, activation->pc, activation->interrupted, walk);
}

static void print_repetitions(int file, uint64_t same)
{
  if (same > 0)
    cn_backtrace_print_note(file, "the same, %lu times more", same);
}

static bool is_place_shown(const struct backtrace_state *trace)
{
  return trace->place < SHOWN_FIRST_PLACES || trace->place + SHOWN_LAST_PLACES >= trace->places;
}

static void emit_activation(struct backtrace_state *trace, const struct cn_backtrace_activation *activation,
                            bool is_walks)
{
  struct cn_backtrace *keeps = trace->keeps;

  if (keeps == NULL)
    print_activation(trace->file, activation, is_walks ? &trace->walk : NULL);
  else if (keeps->count < CN_BACKTRACE_MAX_ACTIVATIONS)
    keeps->at[keeps->count++] = *activation;
}

static void finish_place(struct backtrace_state *trace)
{
  if (trace->number == 0)
    return;
  if (!trace->counting && is_place_shown(trace) && trace->keeps)
    trace->keeps->at[trace->keeps->count - 1].same = trace->same;
  else if (!trace->counting && is_place_shown(trace))
    print_repetitions(trace->file, trace->same);
  else if (!is_place_shown(trace))
    trace->left_out += trace->same + 1;
  trace->place++;
}

/* An activation with the same pc as the previous one, as in recursion, is only counted. */
static void add_activation(struct backtrace_state *trace, uintptr_t pc, bool interrupted, bool is_walks)
{
  if (trace->number > 0 && pc == trace->pc) {
    trace->same++;
  } else {
    finish_place(trace);
    CN_ASSERT(trace->place <= trace->number);
    trace->pc = pc;
    trace->same = 0;
    struct cn_backtrace_activation one = {pc, trace->number, 0, trace->left_out, interrupted};
    if (!trace->counting && is_place_shown(trace)) {
      emit_activation(trace, &one, is_walks);
      trace->left_out = 0;
    }
  }
  trace->number++;
}

static bool has_reached_start(struct backtrace_state *trace, const struct cn_os_frame *frame)
{
  if (!trace->started)
    trace->started = trace->above != 0 ? frame->sp > trace->above : frame->pc == trace->from;
  return trace->started;
}

/* Stubs are hidden, except a stub that faulted. */
static bool visit_unwound_frame(void *env, const struct cn_os_frame *frame)
{
  struct backtrace_state *trace = env;
  uintptr_t pc = frame->pc, after = trace->after;

  /* Wrong call-frame information made an activation its own caller. */
  if (frame->sp == trace->sp && pc == trace->pc)
    return false;
  trace->after = pc;
  trace->signalled |= frame->interrupted;
  if (!has_reached_start(trace, frame) || (cn_arch_is_in_stubs(pc) && pc != trace->from))
    return true;
  if (pc == 0) /* libc marks the thread's oldest activation by pc 0 */
    return false;
  bool is_walks =
      trace->walking && trace->walk.frame.pc == pc && cn_arch_is_same_sp(frame->sp, trace->walk.frame.sp, after);
  add_activation(trace, pc, frame->interrupted, is_walks);
  trace->sp = frame->sp;
  if (is_walks)
    step_walk(trace, false);
  return trace->number < trace->limit;
}

static void walk_stack_once(struct backtrace_state *trace, bool unwinder)
{
  trace->started = false;
  trace->after = 0;
  trace->number = trace->place = trace->left_out = trace->sp = 0;
  begin_walk(trace);
  if (unwinder)
    cn_os_unwind_stack(visit_unwound_frame, trace);
  if (trace->walking && !trace->counting && !trace->keeps) {
    if (trace->number > 0 && is_place_shown(trace)) {
      print_repetitions(trace->file, trace->same);
      trace->same = 0;
    }
    cn_backtrace_print_note(trace->file, "native code that cannot be unwound");
  }
  CN_ASSERT(trace->number <= trace->limit);
  uint64_t most = trace->keeps != NULL ? trace->limit : MAX_ACTIVATIONS;
  for (; trace->walking && trace->number < most; step_walk(trace, false))
    add_activation(trace, trace->walk.frame.pc, false, true);
  finish_place(trace);
  trace->places = trace->place;
}

/* Signal handlers must not load the unwinder, because loading allocates. */
static bool find_unwinder(struct backtrace_state *trace, bool may_load)
{
  if (cn_os_has_unwinder(false))
    return true;
  trace->signalled = cn_os_may_be_in_handler();
  return cn_os_has_unwinder(may_load && !trace->signalled);
}

static void make_backtrace(struct backtrace_state *trace, bool may_load)
{
  int error = errno;
  bool unwinder = find_unwinder(trace, may_load);

  trace->counting = true;
  trace->places = UINT64_MAX;
  walk_stack_once(trace, unwinder);
  trace->counting = false;
  walk_stack_once(trace, unwinder);
  errno = error;
}

void cairn_backtrace(int fd)
{
  struct backtrace_state trace = {.file = fd, .limit = MAX_ACTIVATIONS, .above = (uintptr_t)__builtin_frame_address(0)};

  make_backtrace(&trace, true);
}

void cn_backtrace_print_from(uintptr_t pc)
{
  struct backtrace_state trace = {.file = STDERR_FILENO, .limit = MAX_ACTIVATIONS, .from = pc};

  make_backtrace(&trace, true);
}

void cn_backtrace_print_from_fault(uintptr_t pc)
{
  struct backtrace_state trace = {.file = STDERR_FILENO, .limit = MAX_ACTIVATIONS, .from = pc};

  make_backtrace(&trace, false);
}

void cn_backtrace_record(uintptr_t pc, uint64_t limit, struct cn_backtrace *backtrace)
{
  struct backtrace_state trace = {
      .limit = limit < MAX_ACTIVATIONS ? limit : MAX_ACTIVATIONS, .from = pc, .signalled = true, .keeps = backtrace};

  backtrace->count = 0;
  make_backtrace(&trace, false);
}

void cn_backtrace_print_recorded(const struct cn_backtrace *backtrace)
{
  for (size_t i = 0; i < backtrace->count; i++) {
    print_activation(STDERR_FILENO, &backtrace->at[i], NULL);
    print_repetitions(STDERR_FILENO, backtrace->at[i].same);
  }
}

/* ---- when the stack may be broken ---- */

static struct cn_report_guard fatal_guard;
static struct backtrace_state fatal_trace;
static _Atomic int ending_thread;       /* the thread that ends the program, if any */
static _Atomic uint64_t alarm_deadline; /* before this time SIGALRM is an alarm of the program; UINT64_MAX: always */

static void sleep_until_exit(void)
{
  _Atomic uint32_t never = 0;

  for (;;)
    cn_os_wait_on_word(&never, 0, UINT64_MAX); /* pause() would be a cancellation point */
}

/* The handler of faults during the backtrace, and of the alarm. Any thread may receive the alarm; timers of the program
 * may raise SIGALRM, too. A fault in another thread does not end the backtrace. After the backtrace the faulting
 * instruction runs again, with the default action. */
static void end_backtrace_on_fault(int signal, siginfo_t *info, void *context)
{
  bool here = cn_os_thread() == ending_thread;

  (void)context;
  if (signal == SIGALRM ? cn_os_clock_nanoseconds() < alarm_deadline : info->si_code <= 0)
    return;
  if (alarm_deadline == UINT64_MAX)
    cn_os_set_kernel_action(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  else if (here)
    siglongjmp(fatal_guard.back, 1);
  else if (signal == SIGALRM)
    cn_os_thread_send_signal(ending_thread, signal);
  else
    sleep_until_exit();
}

static void install_watchdog(void)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGALRM};
  struct sigaction action = {.sa_sigaction = end_backtrace_on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  enum { MAX_BACKTRACE_SECONDS = 10 };
  sigset_t set;

  alarm_deadline = cn_os_clock_nanoseconds() + MAX_BACKTRACE_SECONDS * UINT64_C(1000000000);
  sigemptyset(&action.sa_mask);
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    cn_os_set_kernel_action(faults[i], &action, NULL);
    sigaddset(&set, faults[i]);
  }
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN); /* the reader of the message may have closed the stream */
  alarm(MAX_BACKTRACE_SECONDS);
}

/* If the first thread fails again, during the backtrace or in a signal handler, the result is false, and the caller
 * aborts. */
bool cn_backtrace_claim_end(void)
{
  int none = 0;

  if (atomic_compare_exchange_strong(&ending_thread, &none, cn_os_thread()))
    return true;
  if (none != cn_os_thread())
    sleep_until_exit();
  return false;
}

/* Prints the backtrace of `fatal_trace`. */
static void print_guarded(void)
{
  static volatile int tries;

  (void)sigsetjmp(fatal_guard.back, 0);
  cn_report_guard = &fatal_guard;
  if (tries++ == 0) {
    install_watchdog();
    make_backtrace(&fatal_trace, true);
  } else {
    /* If the backtrace is still empty, try again up to the last activation that the unwinder reached. */
    fatal_trace.limit = fatal_trace.number;
    if (tries == 2 && fatal_trace.counting)
      make_backtrace(&fatal_trace, false);
    cn_report_print_text("     ... the stack cannot be read any further\n");
  }
  cn_report_guard = NULL;
  alarm_deadline = UINT64_MAX;
  alarm(0);
}

void cn_backtrace_print_fatal(uintptr_t frame)
{
  if (!cn_backtrace_claim_end())
    return;
  fatal_trace = (struct backtrace_state){.file = STDERR_FILENO, .limit = MAX_ACTIVATIONS, .above = frame};
  print_guarded();
}

void cn_backtrace_print_crash(uintptr_t pc)
{
  CN_CHECK(ending_thread == cn_os_thread());
  fatal_trace =
      (struct backtrace_state){.file = STDERR_FILENO, .limit = MAX_ACTIVATIONS, .from = pc, .signalled = true};
  print_guarded();
}
