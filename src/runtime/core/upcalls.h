/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of lower rooms of the runtime into the rooms above them; upcalls.c hands them on. Each runs
 * under the rules of its caller: thread, phase, signals.
 */
#ifndef CN_RUNTIME_CORE_UPCALLS_H
#define CN_RUNTIME_CORE_UPCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* An image has been added to the list. */
void cn_upcall_image(const struct cairn_image *image);
/* It is about to leave the list; cn_upcall_images_stop() has stopped the world. */
void cn_upcall_image_leaves(const struct cairn_image *image);

/* Stop the world, so that images may leave: no collection runs until the second call, which gets
 * the first one's result. In native code, or in a collection that ends the program. `pc`:
 * what messages name. */
bool cn_upcall_images_stop(uintptr_t pc);
void cn_upcall_images_go(bool stopped);

/* Does the runtime itself fill the heap with objects of this layout? */
bool cn_upcall_owns_layout(const struct cairn_layout *layout);

/* Does another mutator read tables during this stop? Asked by the thread that stopped the world. */
bool cn_upcall_others_look(void);

/* The mutator is no longer busy: deliver the signals that came meanwhile. Their handlers may jump
 * out. */
void cn_upcall_release(void);

/* The stop that was requested at `since` (cn_os_nanoseconds()) still waits for this thread, or has
 * waited for it until now. The requester calls. */
void cn_upcall_stop_waits(int thread, uint64_t since);

/* The handler is over that attached the calling thread. `pc`: what messages name. */
void cn_upcall_handler_ends(uintptr_t pc);

/* Does a signal handler run on this thread? */
bool cn_upcall_delivering(void);

/* Is it a thread of the runtime's own, or one that does a worker's part? */
bool cn_upcall_own_thread(void);

/* The thread is managed again: let a requested stop pass (cn_safepoint_back()). */
void cn_upcall_back(void);

/* The runtime touches what stops guard: a native thread becomes managed, after the stops that are
 * requested; then native again. Signals wait meanwhile. */
void cn_upcall_come_back(struct cairn_mutator *mutator, bool native);
void cn_upcall_leave(struct cairn_mutator *mutator, bool native);

/* The program ends with a message: print the stack from the frame at this address on. */
void cn_upcall_print_stack(uintptr_t frame);
/* "function at file:line" of a safepoint, from the details. False: they do not have it. */
bool cn_upcall_source(uintptr_t pc, char *buffer, size_t size);

#endif
