/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lower rooms of the runtime tell those above them; upcalls.c hands it on. Each is called
 * under the rules of its caller: thread, phase, signals.
 */
#ifndef CN_RUNTIME_CORE_UPCALLS_H
#define CN_RUNTIME_CORE_UPCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* An image was registered, and is in the list. */
void cn_upcall_image(const struct cairn_image *image);
/* It is about to leave the list, and the next has stopped the world. */
void cn_upcall_image_leaves(const struct cairn_image *image);

/* Stop the world, so that images may leave: no collection is under way until the second call, which
 * is given what the first returned. In native code, or in a collection that ends the program. */
bool cn_upcall_images_stop(void);
void cn_upcall_images_go(bool stopped);

/* Does the runtime itself fill the heap with objects of this layout? */
bool cn_upcall_owns_layout(const struct cairn_layout *layout);

/* Does another mutator say that it reads tables beside this stop? By the thread that stopped the
 * world. */
bool cn_upcall_others_look(void);

/* The mutator is no longer busy: signals that came meanwhile are delivered. Their handlers may
 * leave by a jump. */
void cn_upcall_release(void);

/* Is a handler of a signal running on this thread? */
bool cn_upcall_delivering(void);

/* The thread is managed again, and a stop is requested: let it pass (cn_safepoint_back()). */
void cn_upcall_back(void);

/* The runtime touches what stops guard: if the thread is native, it is managed from here on, after
 * stops that are requested; then native again. Signals wait meanwhile. */
void cn_upcall_come_back(struct cairn_mutator *mutator, bool native);
void cn_upcall_leave(struct cairn_mutator *mutator, bool native);

/* The program ends with a message: print the stack from the frame at this address on. */
void cn_upcall_print_stack(uintptr_t frame);
/* "function at file:line" of a safepoint, as the details say. False: they say nothing. */
bool cn_upcall_source(uintptr_t pc, char *buffer, size_t size);

#endif
