/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether the calling thread runs a signal handler, which must not allocate because the signal may have
 * interrupted malloc(). A delivery record finds handlers installed by sigaction() and its like (signals.h). A handler
 * installed by the system call itself returns to the restorer, a piece of code whose address the kernel tells. Such a
 * handler has the restorer's address somewhere above on its stack. If an earlier handler left the address there, the
 * answer is true by mistake, which is safe. Runs on any thread, in any phase; lock-free, stateless and
 * async-signal-safe.
 */
#include "runtime/handlers/action.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's struct sigaction. */
struct kernel_action {
  uintptr_t handler, flags, restorer;
  uint64_t mask;
};

enum { MAX_SIGNAL = 64, MAX_RESTORERS = 4, STACK_READ_WORDS = 64, HAS_RESTORER = 0x04000000 /* of flags */ };

struct restorer_list {
  uintptr_t at[MAX_RESTORERS];
  unsigned count;
};

static bool is_restorer(const struct restorer_list *restorers, uintptr_t word)
{
  for (unsigned i = 0; i < restorers->count; i++)
    if (restorers->at[i] == word)
      return true;
  return false;
}

/* True for signals that the C library keeps for itself. Their handlers run only code of the library. */
static bool is_signal_of_libc(int signal)
{
  enum { FIRST_REAL_TIME_SIGNAL = 32 };

  return signal >= FIRST_REAL_TIME_SIGNAL && signal < SIGRTMIN;
}

/* Find the restorers of handlers that the program gave to the kernel by the system call. False: there are too many, or
 * the kernel gives its own return address to one of the handlers. */
static bool gather_restorers(struct restorer_list *restorers)
{
  for (int signal = 1; signal <= MAX_SIGNAL; signal++) {
    struct kernel_action action = {0};
    if (syscall(SYS_rt_sigaction, signal, NULL, &action, sizeof action.mask) != 0)
      continue;
    if ((action.flags & HAS_RESTORER) == 0)
      action.restorer = 0; /* the word is undefined */
    if ((action.restorer == 0 && (action.handler <= (uintptr_t)SIG_IGN || is_signal_of_libc(signal))) ||
        cn_os_is_given_handler(signal, action.handler) || is_restorer(restorers, action.restorer))
      continue;
    if (restorers->count == MAX_RESTORERS || action.restorer == 0)
      return false;
    restorers->at[restorers->count++] = action.restorer;
  }
  return true;
}

/* The kernel reads up to the end of the mapping, because the end of an unknown stack is unknown, and another thread may
 * unmap memory there. */
static bool has_restorer_above(const struct restorer_list *restorers, const uintptr_t *at)
{
  uintptr_t words[STACK_READ_WORDS], bottom, end, from = (uintptr_t)at;

  if (!cn_os_find_memory_around(from, &bottom, &end))
    return true;
  for (size_t bytes; from < end; from += bytes) {
    bytes = end - from < sizeof words ? end - from : sizeof words;
    if (!cn_os_read_memory(from, words, bytes))
      return from == (uintptr_t)at; /* the stack is unreadable */
    for (size_t i = 0; i < bytes / sizeof *words; i++)
      if (is_restorer(restorers, words[i]))
        return true;
  }
  return false;
}

bool cn_os_may_be_in_handler(void)
{
  struct restorer_list restorers = {.count = 0};
  stack_t stack;

  if (cn_thread_is_in_handler() || (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0))
    return true;
  if (!gather_restorers(&restorers))
    return true;
  return restorers.count != 0 && has_restorer_above(&restorers, __builtin_frame_address(0));
}
