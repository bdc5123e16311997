/* SPDX-License-Identifier: Apache-2.0
 *
 * Interposes the functions that set signal actions, for Linux with glibc. Owns the table of the program's actions
 * (`action_entries`), the handlers given to the kernel, and the sets of signals that the runtime watches
 * (`watched_signals`) and that interrupt system calls (`interrupting_signals`). Runs on any thread, in any phase; it
 * takes no lock, because entries are atomic and signals are blocked during a change. Only the start, loading threads
 * and callers of siginterrupt() write the two sets.
 */
#include "runtime/handlers/action.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "base/check.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"

/* glibc's sigaction() under its second name, and the sigaction() of a sanitizer's runtime, if the program has one. */
extern int __sigaction(int signal, const struct sigaction *action, struct sigaction *before);
extern int ___interceptor_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
    __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

enum {
  MAX_SIGNAL = 64,
  RUNTIME_FLAGS = SA_SIGINFO | (int)SA_RESETHAND | SA_ONSTACK, /* flags that may differ in the kernel */
  SYSTEM_V_INTERRUPT = 0x20000000                              /* without effect, but a query returns it */
};

/* The program's actions for the signals whose kernel action is cn_signals_deliver(). */
static struct action_entry {
  _Atomic uintptr_t handler;
  _Atomic int flags;
} action_entries[MAX_SIGNAL + 1];

static uint64_t watched_signals;      /* bit N - 1 is for signal N */
static sigset_t interrupting_signals; /* signal() omits SA_RESTART for these signals, after siginterrupt() */

static _Atomic uintptr_t given_handlers[MAX_SIGNAL + 1]; /* complement of the handler last given to the kernel */

int cn_os_set_kernel_action(int signal, const struct sigaction *action, struct sigaction *before)
{
  uintptr_t handler = action == NULL ? 0 : (uintptr_t)action->sa_handler;
  int result = ___interceptor_sigaction != NULL ? ___interceptor_sigaction(signal, action, before)
                                                : __sigaction(signal, action, before);

  CN_CHECK(result != 0 || (signal >= 1 && signal <= MAX_SIGNAL));
  if (result == 0 && action != NULL)
    given_handlers[signal] = ~handler;
  return result;
}

bool cn_os_is_given_handler(int signal, uintptr_t handler)
{
  return handler == (uintptr_t)cn_hooks.deliver || given_handlers[signal] == ~handler;
}

bool cn_os_is_signal_watched(int signal)
{
  CN_ASSERT(signal >= 1 && signal <= MAX_SIGNAL);
  return (watched_signals >> (signal - 1) & 1) != 0;
}

static bool is_runtime_action(const struct sigaction *action)
{
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == cn_hooks.deliver;
}

/* Replace the kernel's action by the program's. */
static void translate_to_program_action(struct sigaction *action, const struct action_entry *entry)
{
  if (!is_runtime_action(action))
    return;
  uintptr_t handler = entry->handler;
  CN_ASSERT(handler != (uintptr_t)cn_hooks.deliver); /* the program never gets this handler from a query */
  memcpy(&action->sa_handler, &handler, sizeof handler);
  action->sa_flags = (action->sa_flags & ~RUNTIME_FLAGS) | (entry->flags & RUNTIME_FLAGS);
}

static bool has_handler(const struct sigaction *action)
{
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* ThreadSanitizer's runtime runs a handler later, at another instruction than the handler's context names. */
static void refuse_delayed_handlers(int signal)
{
  if (__tsan_init != NULL && cn_images_have_frames())
    cairn_fatal("a handler is installed for signal %d: with ThreadSanitizer's runtime, programs with "
                "managed code may have none",
                signal);
}

static void put_entry(int signal, const struct action_entry *entry)
{
  action_entries[signal].handler = entry->handler;
  action_entries[signal].flags = entry->flags;
}

/* The caller has blocked signals. A child of vfork() leaves the entries to its parent; default actions need no
 * entry. */
static int install_action(int signal, const struct sigaction *action, struct sigaction *before)
{
  struct action_entry old = {action_entries[signal].handler, action_entries[signal].flags};
  struct sigaction kernel = *action;
  int result;

  if (has_handler(action))
    refuse_delayed_handlers(signal);
  if (has_handler(action) || cn_os_is_signal_watched(signal)) {
    put_entry(signal, &(struct action_entry){(uintptr_t)action->sa_handler, action->sa_flags});
    kernel.sa_sigaction = cn_hooks.deliver;
    kernel.sa_flags = (action->sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
    if (cn_os_is_signal_watched(signal))
      kernel.sa_flags |= SA_ONSTACK;
  }
  result = cn_os_set_kernel_action(signal, &kernel, before);
  if (result != 0)
    put_entry(signal, &old);
  else
    translate_to_program_action(before, &old);
  return result;
}

#define INTERPOSED __attribute__((weak, visibility("default")))

INTERPOSED int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
  struct sigaction kernel;
  sigset_t all, mask;
  int result;

  if (signal < 1 || signal > MAX_SIGNAL)
    return cn_os_set_kernel_action(signal, action, before);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  if (action != NULL)
    result = install_action(signal, action, &kernel);
  else if ((result = cn_os_set_kernel_action(signal, NULL, &kernel)) == 0)
    translate_to_program_action(&kernel, &action_entries[signal]);
  int error = errno;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = error;
  if (result == 0 && before != NULL)
    *before = kernel;
  return result;
}

/* LLVM's sanitizers define `sigaction` as a jump to this name. If the program does not define the name, it is the
 * sanitizer's own function. */
extern __typeof__(sigaction) __interceptor_sigaction __THROW __attribute__((visibility("default"), alias("sigaction")));

void cn_os_watch_signal(int signal)
{
  struct sigaction action;

  if (sigaction(signal, NULL, &action) != 0)
    return;
  watched_signals |= UINT64_C(1) << (signal - 1);
  sigaction(signal, &action, NULL);
}

cn_signal_handler *cn_os_take_handler(int signal)
{
  uintptr_t handler = action_entries[signal].handler;
  struct sigaction action;

  CN_CHECK(signal >= 1 && signal <= MAX_SIGNAL);
  if ((action_entries[signal].flags & (int)SA_RESETHAND) == 0)
    return (cn_signal_handler *)handler;
  if (cn_os_is_signal_watched(signal)) {
    action_entries[signal].handler = (uintptr_t)SIG_DFL;
  } else if (cn_os_set_kernel_action(signal, NULL, &action) == 0) {
    translate_to_program_action(&action, &action_entries[signal]);
    action.sa_handler = SIG_DFL;
    cn_os_set_kernel_action(signal, &action, NULL);
  }
  return (cn_signal_handler *)handler;
}

/* ---- older functions, each with glibc's meaning ---- */

typedef void (*handler_function)(int signal);

static handler_function replace_handler(int signal, handler_function handler, int flags, bool block_itself)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;

  if (handler == SIG_ERR || signal < 1 || signal > MAX_SIGNAL) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sigemptyset(&action.sa_mask);
  if (block_itself)
    sigaddset(&action.sa_mask, signal);
  return sigaction(signal, &action, &before) != 0 ? SIG_ERR : before.sa_handler;
}

INTERPOSED handler_function signal(int signal, handler_function handler)
{
  bool restart = signal < 1 || signal > MAX_SIGNAL || sigismember(&interrupting_signals, signal) == 0;

  return replace_handler(signal, handler, restart ? SA_RESTART : 0, true);
}

extern __typeof__(signal) __interceptor_signal __THROW __attribute__((visibility("default"), alias("signal")));

handler_function bsd_signal(int signal, handler_function handler) __THROW
    __attribute__((weak, visibility("default"), alias("signal")));
handler_function ssignal(int signal, handler_function handler) __THROW
    __attribute__((weak, visibility("default"), alias("signal")));

INTERPOSED handler_function __sysv_signal(int signal, handler_function handler)
{
  return replace_handler(signal, handler, (int)SA_RESETHAND | SA_NODEFER | SYSTEM_V_INTERRUPT, false);
}

handler_function sysv_signal(int signal, handler_function handler) __THROW
    __attribute__((weak, visibility("default"), alias("__sysv_signal")));

INTERPOSED int siginterrupt(int signal, int interrupt)
{
  struct sigaction action;

  if (sigaction(signal, NULL, &action) != 0)
    return -1;
  if (interrupt) {
    sigaddset(&interrupting_signals, signal);
    action.sa_flags &= ~SA_RESTART;
  } else {
    sigdelset(&interrupting_signals, signal);
    action.sa_flags |= SA_RESTART;
  }
  return sigaction(signal, &action, NULL);
}

/* SIG_HOLD blocks the signal and leaves its action; every other argument sets the action and unblocks the signal. */
INTERPOSED handler_function sigset(int signal, handler_function handler)
{
  const handler_function hold = (handler_function)2;
  struct sigaction action;
  sigset_t set, mask;

  if (handler == SIG_ERR || sigemptyset(&set) != 0 || sigaddset(&set, signal) != 0) {
    errno = EINVAL;
    return SIG_ERR;
  }
  if (handler == hold) {
    if (sigprocmask(SIG_BLOCK, &set, &mask) != 0 || sigaction(signal, NULL, &action) != 0)
      return SIG_ERR;
    return sigismember(&mask, signal) ? hold : action.sa_handler;
  }
  handler_function before = replace_handler(signal, handler, 0, false);
  if (before == SIG_ERR || sigprocmask(SIG_UNBLOCK, &set, &mask) != 0)
    return SIG_ERR;
  return sigismember(&mask, signal) ? hold : before;
}
