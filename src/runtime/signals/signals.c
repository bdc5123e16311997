/* SPDX-License-Identifier: Apache-2.0
 *
 * Delivers signals: explains faults (fault.c), runs or postpones handlers, keeps the list of handlers that interrupted
 * managed code, ends the entries of handlers that a jump left, and detaches a thread that a handler attached. Also runs
 * the callback of exhausted memory like a handler. Runs on the mutator's own thread: in the handler of a signal, in any
 * phase, and in slow paths, jumps and the detach, which end left handlers. Takes no lock itself, but a handler that
 * interrupts native code may wait for a stop, and the detach takes the registry's lock. Owns the thread-local depth of
 * the list; the mutator has the entries, and `cn_thread` the postponed signals. Another signal may come at any
 * instruction of this file, and its handler may jump out. Each change is therefore one store, or readers handle the
 * half-done change.
 */
#include "runtime/signals/signals.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anchors.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/poll_word.h"
#include "runtime/heap/buffer.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

enum { MAX_NESTED_INTERRUPTIONS = 256 };

/* A running handler that interrupted managed code, or that interrupted such a handler. The frames of its callees lie in
 * [low, frame). `frame` is 0 until the entry is complete. */
struct interruption {
  volatile uintptr_t frame, low;
  struct cn_anchor *volatile anchor;
  volatile uint8_t state;
};
static _Thread_local volatile unsigned interruption_depth;

/* An entry of the calling thread. The entries are in mapped memory: thread-local storage is part of each thread's
 * stack, and few threads need entries. */
static struct interruption *interruption_at(unsigned index)
{
  CN_ASSERT(index < MAX_NESTED_INTERRUPTIONS);
  return (struct interruption *)cairn_mutator.interrupted + index;
}

static void make_interruptions(struct cairn_mutator *mutator)
{
  if (mutator->interrupted == NULL)
    mutator->interrupted = cn_os_resize_mapping(NULL, 0, MAX_NESTED_INTERRUPTIONS * sizeof(struct interruption));
  if (mutator->interrupted == NULL)
    cairn_fatal("thread %d: no memory for signal handlers that interrupt managed code", mutator->thread);
}

const char *cn_signals_wrong(void)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  if (interruption_depth > MAX_NESTED_INTERRUPTIONS || (interruption_depth != 0 && mutator->interrupted == NULL))
    return "signals: an interruption has no entry";
  for (unsigned i = 0; i < interruption_depth; i++)
    if (interruption_at(i)->frame != 0 && interruption_at(i)->frame < interruption_at(i)->low)
      return "signals: a handler's frame does not lie on its stack";
  if (interruption_depth != 0 && mutator->interruptions % 2 == 0)
    return "signals: requesters do not see that managed code is interrupted";
  return NULL;
}

void cn_signals_free_interruptions(struct cairn_mutator *mutator)
{
  if (mutator->interrupted != NULL)
    cn_os_free_mapping(mutator->interrupted, MAX_NESTED_INTERRUPTIONS * sizeof(struct interruption));
  mutator->interrupted = NULL;
  interruption_depth = 0;
}

bool cn_signals_is_interrupting(void)
{
  return interruption_depth != 0;
}

/* If a handler has switched to another stack, there are no anchors to drop on that stack. */
struct cn_anchor *cn_signals_anchor_limit(void)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
  struct cn_anchor *from = interruption_depth == 0 ? mutator->anchors : interruption_at(interruption_depth - 1)->anchor;
  bool here = from == NULL || cn_anchors_chunk_of(from)->oldest == mutator->anchors;

  return here && cn_anchors_count(from) <= cn_anchors_count(mutator->anchor) ? from : mutator->anchor;
}

uint8_t cn_signals_interrupted_state(void)
{
  return interruption_depth == 0 ? CAIRN_ABI_NATIVE : interruption_at(interruption_depth - 1)->state;
}

/* ---- signals that come during a slow path ---- */

/* True if an instruction or abort() raised the signal. The handler runs at once, because the instruction would raise a
 * queued signal again; a safepoint in the handler ends the program. */
static bool is_synchronous(int signal, const siginfo_t *info)
{
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGSYS:
    return info->si_code > 0;
  case SIGABRT:
    return info->si_code == SI_TKILL && info->si_pid == getpid();
  default:
    return false;
  }
}

/* Queue the signal with its data in the kernel again, and block signals of this number until the end of the slow path.
 * Further signals of this number then merge or queue by the kernel's rules. */
static void postpone_signal(int signal, siginfo_t *info, ucontext_t *context)
{
  int error = errno;
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, NULL); /* necessary for handlers with SA_NODEFER */
  sigaddset(&context->uc_sigmask, signal);
  CN_ASSERT(signal >= 1 && signal <= 64);
  cn_thread.postponed |= UINT64_C(1) << (signal - 1);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), cn_os_thread(), signal, info) != 0)
    cairn_fatal("signal %d came during a collection and could not be queued", signal);
  errno = error;
}

void cn_signals_release_postponed(void)
{
  uint64_t all = cn_thread.postponed;
  int error = errno;
  sigset_t set;

  CN_ASSERT(!cairn_mutator.busy); /* a busy mutator would only postpone the signals again */
  if (all == 0)
    return;
  sigemptyset(&set);
  for (int signal = 1; signal <= 64; signal++)
    if (all >> (signal - 1) & 1)
      sigaddset(&set, signal);
  cn_thread.postponed = 0;
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  errno = error;
}

/* ---- interruptions ---- */

/* Drop anchors of the handler's calls on an alternate stack: comparisons of addresses do not show that these calls have
 * ended. */
static void drop_handler_anchors(const struct interruption *over)
{
  uintptr_t low = over->low, frame = over->frame;
  const struct cn_anchor *from = cn_signals_anchor_limit();
  struct cn_anchor *anchor = cairn_mutator.anchor;

  if (low == 0)
    return;
  while ((anchor = cn_anchors_youngest_since(from, anchor)) != NULL)
    if (cn_anchor_sp(anchor) - low < frame - low)
      anchor->sp = 0;
}

static bool is_interruption_over(const struct interruption *one, uintptr_t sp)
{
  uintptr_t frame = one->frame;

  return frame != 0 && sp - one->low >= frame - one->low;
}

/* Requesters of stops wait while the number of interruptions is odd. */
static void count_interruption(struct cairn_mutator *mutator, bool begins)
{
  if (mutator->interruptions % 2 != begins)
    __atomic_store_n(&mutator->interruptions, mutator->interruptions + 1, __ATOMIC_SEQ_CST);
}

static void leave_interruption(unsigned index)
{
  interruption_at(index)->frame = 0;
  interruption_depth = index;
  if (index == 0)
    cn_poll_word_open_alloc_limit(&cairn_mutator);
}

void cn_signals_end_left_handlers(uintptr_t sp)
{
  bool mend = false;

  CN_ASSERT_VALID(cn_signals_wrong());
  while (interruption_depth != 0 && is_interruption_over(interruption_at(interruption_depth - 1), sp)) {
    drop_handler_anchors(interruption_at(interruption_depth - 1));
    leave_interruption(interruption_depth - 1);
    mend = interruption_depth == 0;
  }
  if (mend)
    cn_buffer_fill_unfinished(&cairn_mutator);
  if (interruption_depth == 0)
    count_interruption(&cairn_mutator, false);
  CN_ASSERT_VALID(cn_signals_wrong());
  CN_ASSERT(interruption_depth != 0 || cairn_mutator.interruptions % 2 == 0);
}

/* The lower end of the alternate stack that has `frame`, or 0 if `frame` is on the thread's stack. */
static uintptr_t handler_stack_low_end(const ucontext_t *context, uintptr_t frame)
{
  uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;

  return (context->uc_stack.ss_flags & SS_DISABLE) == 0 && frame - low < context->uc_stack.ss_size ? low : 0;
}

/* Treat interrupted native code as managed, because a walk would end at the handler. */
static void become_managed(struct cairn_mutator *mutator)
{
  cn_defer_cancellation();
  mutator->busy = 1;
  cn_slow_path_back();
  count_interruption(mutator, true);
  mutator->busy = 0;
  cn_undefer_cancellation();
  cn_signals_release_postponed();
}

/* Other threads that read the state see all accesses before the store. */
static void become_native(struct cairn_mutator *mutator)
{
  __atomic_store_n(&mutator->state, CAIRN_ABI_NATIVE, __ATOMIC_RELEASE);
}

/* `low` is the lower end of the handler's alternate stack, or 0. */
static void interrupt_managed_code(cn_signal_handler *handler, int signal, siginfo_t *info, void *context,
                                   uintptr_t frame, uintptr_t low)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  unsigned index = interruption_depth;
  bool native = index == 0 && !mutator->busy && mutator->state == CAIRN_ABI_NATIVE;
  uintptr_t thrown = 0; /* of the interrupted code, whose objects stay in place during the interruption */

  if (index == MAX_NESTED_INTERRUPTIONS)
    cairn_fatal("signal handlers that interrupted managed code, %d of them in each other", MAX_NESTED_INTERRUPTIONS);
  make_interruptions(mutator);
  if (native)
    become_managed(mutator);
  count_interruption(mutator, true);
  interruption_depth = index + 1;
  interruption_at(index)->low = low;
  interruption_at(index)->anchor = mutator->anchor;
  interruption_at(index)->state = mutator->state;
  interruption_at(index)->frame = frame;
  CN_ASSERT_VALID(cn_signals_wrong());
  cn_buffer_close_to_inline(mutator);
  if (cn_thread.thrown != NULL)
    thrown = *cn_thread.thrown;
  cn_arch_interrupting(signal, info, context, (void (*)(void))handler);
  if (cn_thread.thrown != NULL)
    *cn_thread.thrown = thrown;
  /* Restore the state, because an unseen jump within the handler may have left the native state. */
  __atomic_store_n(&mutator->state, interruption_at(index)->state, __ATOMIC_SEQ_CST);
  leave_interruption(index);
  if (index == 0)
    count_interruption(mutator, false);
  if (native)
    become_native(mutator);
}

/* True if the interrupted code is native, and a walk can continue from the handler to older managed code. False if the
 * handler's stack lies above the interrupted code, because the walk would skip all code in between. */
static bool may_walk_from_handler(const struct cairn_mutator *mutator, const ucontext_t *context)
{
  uintptr_t sp = cn_arch_context_sp(context);

  return mutator->state == CAIRN_ABI_NATIVE && (cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0 &&
         sp > (uintptr_t)__builtin_frame_address(0) && sp % sizeof sp == 0 && sp >= mutator->stack_bottom &&
         sp < mutator->stack_end;
}

static void run_handler(cn_signal_handler *handler, int signal, siginfo_t *info, ucontext_t *context)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (!mutator->busy) {
    if (cn_arch_restart_transition(context))
      become_native(mutator);
    cn_signals_end_left_handlers(cn_arch_context_sp(context));
    if (interruption_depth == 0 && may_walk_from_handler(mutator, context)) {
      handler(signal, info, context);
      return;
    }
  }
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  interrupt_managed_code(handler, signal, info, context, frame, handler_stack_low_end(context, frame));
}

void cn_signals_run_as_interruption(cn_signal_handler *handler, void *env)
{
  CN_CHECK(!cairn_mutator.busy && cairn_mutator.state == CAIRN_ABI_MANAGED);
  interrupt_managed_code(handler, 0, NULL, env, (uintptr_t)__builtin_frame_address(0), 0);
}

/* Take the default action. The kernel does this for a queued signal, or when the faulting instruction runs again. */
static void take_default_action(int signal, const siginfo_t *info, uintptr_t action)
{
  struct sigaction kernel = {.sa_handler = SIG_DFL};

  sigemptyset(&kernel.sa_mask);
  if (action == (uintptr_t)SIG_IGN && info->si_code <= 0)
    return;
  cn_os_set_kernel_action(signal, &kernel, NULL);
  if (info->si_code <= 0)
    syscall(SYS_rt_tgsigqueueinfo, getpid(), cn_os_thread(), signal, info);
}

/* Drop only anchors of ended calls, because another thread may be walking this stack. Do nothing in a handler: it may
 * have interrupted a stub that is about to fill its anchor, or an unwinder that is about to read an anchor. */
void cn_signals_drop_ended_anchors(struct cairn_mutator *mutator, uintptr_t sp)
{
  const struct cn_anchor *from = cn_signals_anchor_limit();
  struct cn_anchor *anchor;

  CN_ASSERT_VALID(cn_anchors_wrong(mutator->anchors, mutator->anchor));
  if (cn_thread_is_in_handler())
    return;
  while ((anchor = cn_anchors_youngest_since(from, mutator->anchor)) != NULL && cn_anchor_sp(anchor) <= sp) {
    anchor->sp = 0;
    mutator->anchor = anchor;
  }
}

uintptr_t cn_signals_interrupted_sp(void)
{
  const volatile struct cn_signal_delivery *youngest = cn_thread_current_delivery();

  return youngest != NULL ? youngest->sp : 0;
}

size_t cn_signals_leave_by_jump(uintptr_t sp)
{
  const volatile struct cn_signal_delivery *youngest = cn_thread_current_delivery();

  if (youngest == NULL)
    return 0;
  if (sp < youngest->sp)
    return youngest->anchors;
  cn_thread.delivery = NULL;
  return 0;
}

static void deliver_signal(int signal, siginfo_t *info, void *context)
{
  bool attached = cairn_mutator.attached != 0;

  bool explained = cn_os_is_signal_watched(signal) && cn_fault_explain(info, context);
  if (attached && cairn_mutator.busy && !is_synchronous(signal, info)) {
    postpone_signal(signal, info, context);
    return;
  }
  cn_signal_handler *handler = cn_os_take_handler(signal);
  bool ignored = (uintptr_t)handler == (uintptr_t)SIG_IGN;
  if (!explained && ((uintptr_t)handler == (uintptr_t)SIG_DFL || (ignored && info->si_code > 0)))
    cn_crash_report(info, context);
  if ((uintptr_t)handler == (uintptr_t)SIG_DFL || ignored)
    take_default_action(signal, info, (uintptr_t)handler);
  else if (attached)
    run_handler(handler, signal, info, context);
  else
    handler(signal, info, context);
}

void cn_signals_deliver(int signal, siginfo_t *info, void *context)
{
  const volatile struct cn_signal_delivery *outer = cn_thread.delivery, *around = cn_thread_current_delivery();
  volatile struct cn_signal_delivery mine;
  bool attached = cairn_mutator.attached != 0;

  mine.sp = around != NULL ? around->sp : cn_arch_context_sp(context);
  mine.anchors = cn_anchors_count(cairn_mutator.anchor);
  mine.self = ~(uintptr_t)&mine;
  cn_thread.delivery = &mine;
  deliver_signal(signal, info, context);
  mine.self = 0;
  cn_thread.delivery = outer;
  if (!attached && around == NULL && cairn_mutator.attached) {
    int error = errno;
    cn_hooks.handler_ends((uintptr_t)__builtin_return_address(0));
    errno = error;
  }
}
