/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes backtraces (pillar-stack-iterator-2011, "get string for frame"). The platform's unwinder leads, because it
 * sees native activations and those that a signal interrupted. The walk of managed activations keeps step with it,
 * knows those of other code managers, and goes on alone where native code lacks call-frame information. Both pass
 * through the stack twice, first to count, so that both ends of a deep stack are shown.
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
#include "runtime/debug/backtrace_print.h"
#include "runtime/handlers/action.h"
#include "runtime/os/os.h"
#include "runtime/walk/walk.h"

enum {
  SHOWN_FIRST = 100, /* places shown of a deep stack */
  SHOWN_LAST = 20,   /* places shown at its end */
  MAX_FRAMES = 1 << 24,
};

struct trace {
  int file;
  uintptr_t above; /* only activations above this address are shown; 0: see `from` */
  uintptr_t from;  /* only activations from the one at this pc on are shown */
  bool counting, started, signalled;
  bool walking; /* the walk is at an activation that is yet to be met */
  struct cn_walk walk;
  uintptr_t pc;           /* of the last activation */
  uint64_t same;          /* number of further activations of it */
  uint64_t number;        /* activations so far */
  uint64_t place, places; /* runs of the same pc so far, and in all */
  uint64_t left_out;
  uint64_t limit;             /* the unwinder may give so many activations */
  struct cn_backtrace *keeps; /* the destination of the shown lines; null: print them */
  uintptr_t sp, after;        /* of its last one; the pc of the last one, shown or not */
};

/* ---- the parallel walk ---- */

/* A stack that cannot be parsed only ends the walk. */
static void step(struct trace *trace, bool begin)
{
  struct cn_report_guard guard = {.outer = cn_report_guard};
  unsigned depth = cn_code_regions_depth(), locks = cn_locks_held();
  bool reads = cn_image_reads();

  cn_report_guard = &guard;
  if (sigsetjmp(guard.back, 0) == 0) {
    trace->walking =
        begin ? cn_walk_begin(&trace->walk, &cairn_mutator, cairn_mutator.stopped) : cn_walk_next(&trace->walk);
  } else {
    trace->walking = false;
    cn_locks_restore(locks);
    cn_image_restore(reads);
    while (cn_code_regions_depth() > depth)
      cn_code_regions_leave();
  }
  cn_report_guard = guard.outer;
}

/* In a signal handler that may have interrupted a change of the walk's tables, do not begin a walk. */
static void begin_walk(struct trace *trace)
{
  trace->walking = false;
  if (cairn_mutator.attached && !(trace->signalled && cairn_mutator.busy))
    step(trace, true);
}

/* ---- activations ---- */

static void print_activation(int file, const struct cn_activation *activation, const struct cn_walk *walk)
{
  if (activation->left_out > 0)
    cn_backtrace_print_note(file, "%lu activations left out", activation->left_out);
  cn_backtrace_print_activation(file, activation->number, activation->pc, activation->interrupted, walk);
}

static void print_same(int file, uint64_t same)
{
  if (same > 0)
    cn_backtrace_print_note(file, "the same, %lu times more", same);
}

static bool is_shown(const struct trace *trace)
{
  return trace->place < SHOWN_FIRST || trace->place + SHOWN_LAST >= trace->places;
}

static void show(struct trace *trace, const struct cn_activation *activation, bool is_walks)
{
  struct cn_backtrace *keeps = trace->keeps;

  if (keeps == NULL)
    print_activation(trace->file, activation, is_walks ? &trace->walk : NULL);
  else if (keeps->count < CN_BACKTRACE_MOST)
    keeps->at[keeps->count++] = *activation;
}

static void end_place(struct trace *trace)
{
  if (trace->number == 0)
    return;
  if (!trace->counting && is_shown(trace) && trace->keeps)
    trace->keeps->at[trace->keeps->count - 1].same = trace->same;
  else if (!trace->counting && is_shown(trace))
    print_same(trace->file, trace->same);
  else if (!is_shown(trace))
    trace->left_out += trace->same + 1;
  trace->place++;
}

/* Recursions repeat themselves: only count an activation that has the pc of the one before. */
static void activation(struct trace *trace, uintptr_t pc, bool interrupted, bool is_walks)
{
  if (trace->number > 0 && pc == trace->pc) {
    trace->same++;
  } else {
    end_place(trace);
    CN_ASSERT(trace->place <= trace->number);
    trace->pc = pc;
    trace->same = 0;
    struct cn_activation one = {pc, trace->number, 0, trace->left_out, interrupted};
    if (!trace->counting && is_shown(trace)) {
      show(trace, &one, is_walks);
      trace->left_out = 0;
    }
  }
  trace->number++;
}

static bool has_started(struct trace *trace, const struct cn_os_frame *frame)
{
  if (!trace->started)
    trace->started = trace->above != 0 ? frame->sp > trace->above : frame->pc == trace->from;
  return trace->started;
}

/* Stubs are hidden, unless a fault is in one. */
static bool unwound(void *env, const struct cn_os_frame *frame)
{
  struct trace *trace = env;
  uintptr_t pc = frame->pc, after = trace->after;

  /* An activation that is its own caller: the call-frame information is wrong. */
  if (frame->sp == trace->sp && pc == trace->pc)
    return false;
  trace->after = pc;
  trace->signalled |= frame->interrupted;
  if (!has_started(trace, frame) || (cn_arch_in_stubs(pc) && pc != trace->from))
    return true;
  if (pc == 0) /* libc marks the beginning of the thread so */
    return false;
  bool is_walks =
      trace->walking && trace->walk.frame.pc == pc && cn_arch_same_sp(frame->sp, trace->walk.frame.sp, after);
  activation(trace, pc, frame->interrupted, is_walks);
  trace->sp = frame->sp;
  if (is_walks)
    step(trace, false);
  return trace->number < trace->limit;
}

static void go_through(struct trace *trace, bool unwinder)
{
  trace->started = false;
  trace->after = 0;
  trace->number = trace->place = trace->left_out = trace->sp = 0;
  begin_walk(trace);
  if (unwinder)
    cn_os_unwind(unwound, trace);
  if (trace->walking && !trace->counting && !trace->keeps) {
    if (trace->number > 0 && is_shown(trace)) {
      print_same(trace->file, trace->same);
      trace->same = 0;
    }
    cn_backtrace_print_note(trace->file, "native code that cannot be unwound");
  }
  CN_ASSERT(trace->number <= trace->limit);
  for (; trace->walking && trace->number < MAX_FRAMES; step(trace, false))
    activation(trace, trace->walk.frame.pc, false, true);
  end_place(trace);
  trace->places = trace->place;
}

/* Loading the unwinder allocates, and a signal handler may have interrupted an allocation. */
static bool find_unwinder(struct trace *trace, bool may_load)
{
  if (cn_os_unwinder(false))
    return true;
  trace->signalled = cn_os_may_be_handler();
  return cn_os_unwinder(may_load && !trace->signalled);
}

static void print(struct trace *trace, bool may_load)
{
  int error = errno;
  bool unwinder = find_unwinder(trace, may_load);

  trace->counting = true;
  trace->places = UINT64_MAX;
  go_through(trace, unwinder);
  trace->counting = false;
  go_through(trace, unwinder);
  errno = error;
}

void cairn_backtrace(int fd)
{
  struct trace trace = {.file = fd, .limit = MAX_FRAMES, .above = (uintptr_t)__builtin_frame_address(0)};

  print(&trace, true);
}

void cn_backtrace_from(uintptr_t pc)
{
  struct trace trace = {.file = STDERR_FILENO, .limit = MAX_FRAMES, .from = pc};

  print(&trace, true);
}

void cn_backtrace_fault(uintptr_t pc)
{
  struct trace trace = {.file = STDERR_FILENO, .limit = MAX_FRAMES, .from = pc};

  print(&trace, false);
}

void cn_backtrace_keep(uintptr_t pc, struct cn_backtrace *backtrace)
{
  struct trace trace = {.limit = MAX_FRAMES, .from = pc, .signalled = true, .keeps = backtrace};

  backtrace->count = 0;
  print(&trace, false);
}

void cn_backtrace_print(const struct cn_backtrace *backtrace)
{
  for (size_t i = 0; i < backtrace->count; i++) {
    print_activation(STDERR_FILENO, &backtrace->at[i], NULL);
    print_same(STDERR_FILENO, backtrace->at[i].same);
  }
}

/* ---- when the stack may be broken ---- */

static struct cn_report_guard last;
static struct trace last_trace;
static _Atomic int last_thread;   /* the one that ends the program; may be 0 */
static _Atomic uint64_t patience; /* up to then the alarm is the program's; UINT64_MAX: always */

static void wait_for_end(void)
{
  _Atomic uint32_t never = 0;

  for (;;)
    cn_os_wait(&never, 0, UINT64_MAX); /* pause() would be a cancellation point */
}

/* The handler of faults on the way, and of the alarm. The alarm may come to any thread, and timers of the program
 * may raise SIGALRM, too. A fault in another thread does not end the backtrace. After the backtrace the faulting
 * instruction is repeated, with the default action. */
static void give_up(int signal, siginfo_t *info, void *context)
{
  bool here = cn_os_thread() == last_thread;

  (void)context;
  if (signal == SIGALRM ? cn_os_nanoseconds() < patience : info->si_code <= 0)
    return;
  if (patience == UINT64_MAX)
    cn_os_action(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  else if (here)
    siglongjmp(last.back, 1);
  else if (signal == SIGALRM)
    cn_os_thread_signal(last_thread, signal);
  else
    wait_for_end();
}

static void watch(void)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGALRM};
  struct sigaction action = {.sa_sigaction = give_up, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  enum { PATIENCE_SECONDS = 10 };
  sigset_t set;

  patience = cn_os_nanoseconds() + PATIENCE_SECONDS * UINT64_C(1000000000);
  sigemptyset(&action.sa_mask);
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    cn_os_action(faults[i], &action, NULL);
    sigaddset(&set, faults[i]);
  }
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN); /* the reader of the message may have closed it */
  alarm(PATIENCE_SECONDS);
}

/* The first thread prints. A message on the way, or of a handler that came before signals were held, returns to its
 * caller, which aborts. */
static bool is_first(void)
{
  int none = 0;

  if (atomic_compare_exchange_strong(&last_thread, &none, cn_os_thread()))
    return true;
  if (none != cn_os_thread())
    wait_for_end();
  return false;
}

void cn_backtrace_abort(uintptr_t frame)
{
  static volatile int tries;

  if (!is_first())
    return;
  last_trace = (struct trace){.file = STDERR_FILENO, .limit = MAX_FRAMES, .above = frame};
  (void)sigsetjmp(last.back, 0);
  cn_report_guard = &last;
  if (tries++ == 0) {
    watch();
    print(&last_trace, true);
  } else {
    /* If the backtrace is still empty, once more as far as the unwinder came. */
    last_trace.limit = last_trace.number;
    if (tries == 2 && last_trace.counting)
      print(&last_trace, false);
    cn_report_text("     ... the stack cannot be read any further\n");
  }
  cn_report_guard = NULL;
  patience = UINT64_MAX;
  alarm(0);
}
