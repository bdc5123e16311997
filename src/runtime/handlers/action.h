/* SPDX-License-Identifier: Apache-2.0
 *
 * The signal handlers that a program installs. The executable defines sigaction(), signal() and their like here, so the
 * dynamic linker finds these definitions first. Every object file, archive and shared object of the program therefore
 * uses these definitions, whichever compiler made the code. (Renaming calls at compile time would miss code of other
 * compilers; the linker's --wrap would miss shared objects.) The definitions are weak: a program that defines one of
 * these names keeps its definition. Direct system calls bypass these definitions. The runtimes of LLVM's sanitizers
 * also define two of the names and come first; they provide hooks that Cairn defines.
 *
 * The kernel's handler is always cn_signals_deliver(); queries return the action that the program installed.
 */
#ifndef CN_RUNTIME_HANDLERS_ACTION_H
#define CN_RUNTIME_HANDLERS_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void cn_signal_handler(int signal, siginfo_t *info, void *context);

/* Set or query the kernel's action without these definitions. Async-signal-safe. */
int cn_os_set_kernel_action(int signal, const struct sigaction *action, struct sigaction *before);

/* From now on the kernel always delivers the signal to cn_signals_deliver(), on the alternate stack. The program's
 * queries do not show the change. */
void cn_os_watch_signal(int signal);
bool cn_os_is_signal_watched(int signal);

/* True if these definitions gave the kernel this handler, SIG_DFL or SIG_IGN; false if the program made the system call
 * itself. */
bool cn_os_is_given_handler(int signal, uintptr_t handler);

/* The program's handler, SIG_DFL or SIG_IGN, as in `sa_handler`. Resets the action if it has SA_RESETHAND.
 * Async-signal-safe. */
cn_signal_handler *cn_os_take_handler(int signal);

#endif
