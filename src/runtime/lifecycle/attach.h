/* SPDX-License-Identifier: Apache-2.0
 *
 * Attaching and detaching the calling thread. core/mutator.h describes its mutator.
 */
#ifndef CN_RUNTIME_LIFECYCLE_ATTACH_H
#define CN_RUNTIME_LIFECYCLE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* Attach the main thread, which is the caller. At the start, once. */
void cn_attach_main_thread(void);

/* Attach the calling thread, which is unattached; the runtime has started, and signals are held. `pc`: the address
 * that messages name. */
void cn_attach_thread(uintptr_t pc);

/* A round of destructors has come (thread_end.h). If the calling thread is attached, leave all its managed frames,
 * and in the `last` round detach it. `pc`: the address that messages name. */
void cn_detach_at_thread_end(bool last, uintptr_t pc);

/* A signal handler is over that attached the calling thread: detach it. If a fork() is under way it stays attached.
 * `pc`: the address that messages name. */
void cn_detach_at_handler_end(uintptr_t pc);

#endif
