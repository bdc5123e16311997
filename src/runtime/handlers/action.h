/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program installs as signal handlers. sigaction(), signal() and their like are defined
 * here, in the executable, where the dynamic linker finds them first. So every object file, archive
 * and shared object of the program uses them, whatever compiled it, and none of them changes.
 * (Renaming calls at compile time would miss the others, the linker's --wrap the shared objects.)
 * They are weak: a program that defines one of these names itself keeps its own. A system call made
 * directly is not seen. The sanitizers' runtimes of LLVM define two of them as well, and come
 * before us; these have a way for others to come before them.
 *
 * In the kernel each handler is cn_signals_deliver(); queries return what the program installed.
 */
#ifndef CN_RUNTIME_HANDLERS_ACTION_H
#define CN_RUNTIME_HANDLERS_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void cn_signal_handler(int signal, siginfo_t *info, void *context);

/* The kernel's action, past all that. Async-signal-safe. */
int cn_os_action(int signal, const struct sigaction *action, struct sigaction *before);

/* From here on the signal always comes to cn_signals_deliver(), on the alternate stack; the program
 * does not see that. */
void cn_os_action_watch(int signal);
bool cn_os_action_watched(int signal);

/* Did the kernel get this handler, SIG_DFL or SIG_IGN from here? Not if the program made the system
 * call itself. */
bool cn_os_action_is_ours(int signal, uintptr_t handler);

/* Take the handler that the program wants to run now, and do what SA_RESETHAND says. SIG_DFL and
 * SIG_IGN are as in `sa_handler`. Async-signal-safe. */
cn_signal_handler *cn_os_action_take(int signal);

#endif
