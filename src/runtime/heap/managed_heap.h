/* SPDX-License-Identifier: Apache-2.0
 *
 * The collector in use, and allocation through it.
 */
#ifndef CN_RUNTIME_HEAP_MANAGED_HEAP_H
#define CN_RUNTIME_HEAP_MANAGED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>

/* At the start of the runtime: use the collector that the program was linked with
 * (-fcairn-collector), if any. */
void cn_heap_choose(void);

const struct cairn_collector *cn_heap_collector(void);

/* A block of `bytes`, a multiple of CAIRN_ABI_OBJECT_ALIGN. 0: none. */
struct cn_wanted {
  size_t bytes;
  bool any;  /* whatever it contains; else cleared */
  bool leaf; /* for an array without references */
};
#define CN_WANTED_NOTHING ((struct cn_wanted){0})

/* Does a block of `bytes` stay in its place, so that another object may have it when its own is
 * dead?
 */
bool cn_heap_keeps_place(size_t bytes);

/* Make the block of an array, of `had` bytes, `bytes` long where it is, if it is a large object and
 * the collector can. The mutator's own thread, which is busy; not in a handler that interrupted
 * managed code. False: it is as it was. */
bool cn_heap_lengthen(uintptr_t block, size_t had, size_t bytes);

/* Such a block, or null: a collection is needed first. Sets the heap up at its first call. Phases
 * MUTATE and STOP. */
void *cn_heap_allocate(struct cn_wanted wanted);

/* The same after a collection that did not help: also from what is kept for signal handlers. */
void *cn_heap_allocate_rest(struct cn_wanted wanted);

/* The same while managed code is interrupted (signals.h): may raise the heap's capacity, collects
 * nothing. Null: beyond the maximum. */
void *cn_heap_allocate_beside(struct cn_wanted wanted);

/* As the first, raising the heap's capacity if need be. Null: beyond the maximum. */
void *cn_heap_allocate_growing(struct cn_wanted wanted);

/* Set the heap up if that was not done yet. */
void cn_heap_set_up(void);
bool cn_heap_is_ready(void);

/* The calling thread, in native code, is about to run managed code for the first time. Sets the
 * heap up if compiled code has barriers: it keeps what they read in registers. */
void cn_heap_begin(void);
void cn_heap_collect(const struct cairn_collection *collection);

/* End the program if the image has been compiled for barriers that do not fit the collector, as far
 * as that is chosen. `key`: an address in the image. Any thread. */
void cn_heap_check_image(const struct cairn_image *image, const void *key);

/* Does an object start there, as far as the collector can tell? MUTATE, a mutator's thread. */
bool cn_heap_is_object(uintptr_t address);

/* The bytes in which objects are, garbage included, fillers too; UINT64_MAX if the collector does
 * not say. Phase STOP, not within collect(). */
uint64_t cn_heap_used(void);

/* The layouts of this image are about to go: might there be objects of theirs? Any thread. Then
 * let the collector forget them. Phase STOP. */
bool cn_heap_remembers(const struct cairn_image *image);
void cn_heap_forget(const struct cairn_image *image);

#endif
