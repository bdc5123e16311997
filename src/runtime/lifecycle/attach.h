/* SPDX-License-Identifier: Apache-2.0
 *
 * Attaches and detaches the calling thread, whose mutator core/mutator.h describes.
 */
#ifndef CN_RUNTIME_LIFECYCLE_ATTACH_H
#define CN_RUNTIME_LIFECYCLE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* The main thread calls this once, at the start. */
void cn_attach_main_thread(void);

/* Attach the calling thread, which is unattached, after the runtime's start and with signals held. Messages name
 * `pc`. */
void cn_attach_thread(uintptr_t pc);

/* Called in each round of destructors (thread_end.h). If the calling thread is attached, leave all its managed frames,
 * and in the `last` round detach it. Messages name `pc`. */
void cn_detach_at_thread_end(bool last, uintptr_t pc);

/* Detach the calling thread at the end of the signal handler that attached it. During a fork() the thread stays
 * attached. Messages name `pc`. */
void cn_detach_at_handler_end(uintptr_t pc);

#endif
