/* SPDX-License-Identifier: Apache-2.0
 *
 * The collector in use, and the allocation of blocks through it.
 */
#ifndef CN_RUNTIME_HEAP_MANAGED_HEAP_H
#define CN_RUNTIME_HEAP_MANAGED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>

/* Use the collector that the program was linked with (-fcairn-collector), if any. Called when the runtime starts. */
void cn_heap_choose_collector(void);

const struct cairn_collector *cn_heap_collector(void);

/* A request for a block of `bytes`, a multiple of CAIRN_ABI_OBJECT_ALIGN; 0: no block is wanted. */
struct cn_block_request {
  size_t bytes;
  bool any;  /* the block may contain anything; false: it is cleared */
  bool leaf; /* for an array without references */
};
#define CN_NO_BLOCK_REQUEST ((struct cn_block_request){0})

/* True if a block of `bytes` keeps its place, and another object may have it when its object is dead. */
bool cn_heap_is_block_reusable(size_t bytes);

/* Lengthen the block of an array in its place, from `had` to `bytes` bytes, if it is a large object and the collector
 * can. The mutator's own thread, which is busy, except in a handler that interrupted managed code. False: the block is
 * unchanged. */
bool cn_heap_lengthen_block(uintptr_t block, size_t had, size_t bytes);

/* Allocate a block; null: a collection is needed first. The first call sets the heap up. Phases MUTATE and STOP. */
void *cn_heap_allocate_block(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), and also uses the handlers' part. Called after a collection that freed too little. */
void *cn_heap_allocate_after_merge(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), while managed code is interrupted (signals.h). May raise the heap's capacity, and
 * makes no collection. Null: the block is beyond the maximum. */
void *cn_heap_allocate_for_handler(struct cn_block_request wanted);

/* Like cn_heap_allocate_block(), and raises the heap's capacity if needed. Null: the block is beyond the maximum. */
void *cn_heap_allocate_growing(struct cn_block_request wanted);

/* Set the heap up, unless it is ready. */
void cn_heap_set_up(void);
bool cn_heap_is_ready(void);

/* The calling thread, in native code, is about to run managed code for the first time. Sets the heap up if compiled
 * code has barriers, because it keeps the words that barriers read in registers. */
void cn_heap_set_up_for_barriers(void);
void cn_heap_run_collection(const struct cairn_collection *collection);

/* End the program if the image was compiled for barriers that differ from those of the collector, once the collector is
 * decided. `key`: an address in the image. Any thread. */
void cn_heap_check_image(const struct cairn_image *image, const void *key);

/* True if an object starts there, as far as the collector can tell. MUTATE, a mutator's thread. */
bool cn_heap_is_object(uintptr_t address);

/* The bytes that objects take, including garbage and fillers; UINT64_MAX if the collector keeps this to itself. Phase
 * STOP, outside of collect(). */
uint64_t cn_heap_used_bytes(void);

/* The layouts of this image are about to go. cn_heap_may_have_layouts_of() is true if there may be objects with these
 * layouts; any thread. cn_heap_forget_layouts_of() then makes the collector forget them; phase STOP. */
bool cn_heap_may_have_layouts_of(const struct cairn_image *image);
void cn_heap_forget_layouts_of(const struct cairn_image *image);

#endif
