/* SPDX-License-Identifier: Apache-2.0
 *
 * The signal handlers that a program installs. The executable defines sigaction(), signal() and their like here, so the
 * dynamic linker finds these definitions first. So every object file, archive and shared object of the program uses
 * them unchanged, whichever compiler made it. (Renaming calls at compile time would miss the others, the linker's
 * --wrap the shared objects.) They are weak: a program that defines one of these names itself keeps its own definition.
 * A direct system call stays unseen. The sanitizers' runtimes of LLVM define two of them as well, and come first; these
 * let others come before them.
 *
 * In the kernel each handler is cn_signals_deliver(); queries return the action that the program installed.
 */
#ifndef CN_RUNTIME_HANDLERS_ACTION_H
#define CN_RUNTIME_HANDLERS_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void cn_signal_handler(int signal, siginfo_t *info, void *context);

/* The kernel's action, past all that. Async-signal-safe. */
int cn_os_set_kernel_action(int signal, const struct sigaction *action, struct sigaction *before);

/* From here on the signal always comes to cn_signals_deliver(), on the alternate stack; this is invisible to the
 * program. */
void cn_os_watch_signal(int signal);
bool cn_os_is_signal_watched(int signal);

/* True if the kernel got this handler, SIG_DFL or SIG_IGN from here; false if the program made the system call
 * itself. */
bool cn_os_is_given_handler(int signal, uintptr_t handler);

/* Take the handler that the program wants to run now, and act by SA_RESETHAND. SIG_DFL and SIG_IGN are as in
 * `sa_handler`. Async-signal-safe. */
cn_signal_handler *cn_os_take_handler(int signal);

#endif
