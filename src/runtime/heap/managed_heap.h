/* SPDX-License-Identifier: Apache-2.0
 *
 * The collector in use, and the allocation of blocks through it.
 */
#ifndef CN_RUNTIME_HEAP_MANAGED_HEAP_H
#define CN_RUNTIME_HEAP_MANAGED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>

/* Use the collector that -fcairn-collector chose when the program was linked, if any. Called when the runtime
 * starts. */
void cn_heap_choose_collector(void);

const struct cairn_collector *cn_heap_collector(void);

/* A request for a block. `bytes` is a multiple of CAIRN_ABI_OBJECT_ALIGN, or 0 for no block. */
struct cn_block_request {
  size_t bytes;
  bool any;  /* true: the block may be uncleared; false: the block is cleared */
  bool leaf; /* for an array without references */
};
#define CN_NO_BLOCK_REQUEST ((struct cn_block_request){0})

/* True if a block of `bytes` never moves, and another object may use the block after the death of its object. */
bool cn_heap_is_block_reusable(size_t bytes);

/* Lengthen the block of an array in place, from `had` to `bytes` bytes, if the array is a large object and the
 * collector supports this. False: the block is unchanged. Called by the mutator's own thread in a slow path, outside of
 * handlers that interrupted managed code. */
bool cn_heap_lengthen_block(uintptr_t block, size_t had, size_t bytes);

/* Allocate a block; null: a collection is needed first. The first call sets up the heap. Phases MUTATE and STOP. */
void *cn_heap_allocate_block(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), but may use the handlers' part. Called after a collection that freed too little. */
void *cn_heap_allocate_after_merge(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), for a signal handler that interrupted managed code (signals.h). May raise the heap's
 * capacity, and never collects. Null: the heap would exceed its maximum. */
void *cn_heap_allocate_for_handler(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), and raises the heap's capacity if needed. Null: the heap would exceed its maximum. */
void *cn_heap_allocate_growing(struct cn_block_request wanted);

/* Set up the heap, once. Phases MUTATE and STOP; any number of threads at once. */
void cn_heap_set_up(void);
bool cn_heap_is_ready(void);

/* Called before the calling thread, which is in native code, runs managed code for the first time. Sets up the heap if
 * compiled code has barriers, because such code keeps the barriers' words in registers. */
void cn_heap_set_up_for_barriers(void);

/* Before a fork(): wait until no other thread sets up the heap, and keep it so. Called after the stop has begun,
 * because a thread that sets up the heap in managed code, or for a collection, reaches no safepoint before its end.
 * Then one of the other functions follows: in the parent, and in the child, whose fork() may have been unseen. */
void cn_heap_prepare_fork(void);
void cn_heap_finish_fork(void);
void cn_heap_reset_in_child(void);

void cn_heap_run_collection(const struct cairn_collection *collection);

/* End the program if the image's code does not fit the collector: its barriers, or the size of its in-line allocations.
 * Does nothing before the collector is final. `key` is an address in the image. Any thread. */
void cn_heap_check_image(const struct cairn_image *image, const void *key);

/* True if the image's code does not fit the collector in use; `fault` gets the sentence, which calls the image `name`,
 * or by its file if that is null. */
bool cn_heap_image_misfits(const struct cairn_image *image, const char *name, char *fault, size_t size);

/* True if the collector finds that an object starts at the address. Phase MUTATE, on a mutator's thread. */
bool cn_heap_is_object(uintptr_t address);

/* The bytes of all objects, including garbage and fillers; UINT64_MAX if the collector does not report the number.
 * Phase STOP, outside of collect(). */
uint64_t cn_heap_used_bytes(void);

/* Called before the layouts of an image are unmapped. cn_heap_may_have_layouts_of() is true if there may be objects
 * with these layouts; any thread. If true, cn_heap_forget_layouts_of() makes the collector forget the layouts; phase
 * STOP. */
bool cn_heap_may_have_layouts_of(const struct cairn_image *image);
void cn_heap_forget_layouts_of(const struct cairn_image *image);

#endif
