/* SPDX-License-Identifier: Apache-2.0
 *
 * The collector in use, and the allocation of blocks through it.
 */
#ifndef CN_RUNTIME_HEAP_MANAGED_HEAP_H
#define CN_RUNTIME_HEAP_MANAGED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap.h>
#include "runtime/core/mutator.h"
#include "runtime/heap/heap_walk.h"

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

/* Allocate an uncleared block as compiled code does in line: outside of slow paths, in the thread's buffer. Null: the
 * calling thread is not in managed code, or the buffer is full or closed, as while a stop is requested. The caller
 * fills the whole block before its next safepoint. A signal handler may interrupt the caller and jump out. */
void *cn_heap_allocate_in_line(size_t bytes);

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

/* Order the stores that have made an object before all later stores of the calling thread. So a thread that reads the
 * object's address, even by a race, finds the object's header, and its fields zeroed or initialised. */
static inline void cn_heap_order_new_object(void)
{
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

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

/* True if a static object starts at `address`, which lies outside of the heap, and may be any word. The function asks
 * the system whether the header is readable. Any thread; async-signal-safe. */
bool cn_heap_is_static_object(uintptr_t address);

/* The bytes of all objects, including garbage and fillers; UINT64_MAX if the collector does not report the number.
 * Phase STOP, outside of collect(). */
uint64_t cn_heap_used_bytes(void);

/* Called before the layouts of an image are unmapped. cn_heap_may_have_layouts_of() is true if there may be objects
 * with these layouts; any thread. If true, cn_heap_forget_layouts_of() makes the collector forget the layouts; phase
 * STOP. */
bool cn_heap_may_have_layouts_of(const struct cairn_image *image);
void cn_heap_forget_layouts_of(const struct cairn_image *image);

/* ---- barrier_log.c ---- */

/* Keeps the words that slow paths of barriers log. Each mutator has a list of chunks; the chunks of ended threads form
 * one more list. */

/* Visit the words of one mutator's log, the newest first, and empty the log; null: the log of ended threads. Phase
 * STOP; or the mutator is stopped, and no other thread drains its log. For null, the caller holds the registry of
 * mutators. */
void cn_barrier_log_drain(struct cairn_mutator *mutator, cairn_log_visitor *visit, void *env);

/* Move the mutator's words to the log of ended threads. The thread has ended, or is missing in the child of a fork().
 * The caller holds the registry. */
void cn_barrier_log_retire(struct cairn_mutator *mutator);

/* ---- external.c: counts memory outside of the heap that objects keep (cairn_external_bytes()) ---- */

#pragma GCC visibility push(default)
void cairn_external_bytes(long bytes);
#pragma GCC visibility pop

uint64_t cn_external_byte_count(void);

bool cn_external_is_collection_due(void);

/* Record the number of bytes after a full collection, which has freed all unreachable objects or queued them for
 * finalisers. Phase STOP. */
void cn_external_note_collection(void);

/* Print the number of bytes, for CAIRN_STATS, unless the program never had external bytes. */
void cn_external_print_stats(void);

/* ---- free_object.c ---- */

/* Explicit free of arrays (pass free-dead-arrays). The thread's next allocations reuse the memory while it is in the
 * processor's cache. */

/* An uncleared block for an object of `bytes` without references. The block was a large object that the thread has
 * freed since the last collection. Null: there is no such block. Phase MUTATE. */
void *cn_freed_reuse_block(size_t bytes);

/* An uncleared array of this layout in a block that the thread has freed; returns the address of the first element.
 * Null: there is no block of that layout, or the thread must take the slow path. Phase MUTATE. */
void *cn_freed_reuse_array(const struct cairn_layout *layout, int64_t count);

/* ---- noted_stores.c ---- */

/* Finds the code of the last store to an address. Code compiled with -fcairn-note-stores notes each store of a
 * reference, for CAIRN_VERIFY=stores. */

/* The maximum number of notes of all threads; a new note replaces the oldest note. */
enum { CN_MAX_NOTED_STORES = 1 << 20 };

/* Phase INIT; once, if CAIRN_VERIFY=stores. */
void cn_noted_stores_allocate_ring(void);

/* Phase STOP. Drop all notes, because objects move or an image is removed. */
void cn_noted_stores_forget_all(void);

/* Phase STOP. Call `visit` for each kept note since the last collection: once for the address of a single reference,
 * and for each word of a copy. `from` is the source of a copied word, or 0. Only with CAIRN_VERIFY=stores. */
typedef void cn_noted_stores_visitor(void *env, uintptr_t address, uintptr_t from);
void cn_noted_stores_visit(cn_noted_stores_visitor *visit, void *env);

/* Phase STOP. Write the code position of the last store to the address, as "; stored at pc 0x12 (main+0x34), file.c:5",
 * or the reason why the position is unknown. The text is empty without CAIRN_VERIFY=stores. Returns `text`. */
enum { CN_NOTED_STORE_TEXT_BYTES = 512 };
const char *cn_noted_stores_describe_last(uintptr_t address, char text[CN_NOTED_STORE_TEXT_BYTES]);

/* ---- pins.c ---- */

/* Pins (<cairn/pin.h>): the addresses that the program has pinned, and the places of these calls in its code. */

#pragma GCC visibility push(default)
void *cairn_pin_at(uintptr_t reference, const char *site);
void cairn_unpin_at(uintptr_t reference, const char *site);
void cairn_unpin_address_at(void *address, const char *site);
/* pin_scopes.c: the same for a scope of the calling activation. */
void *cairn_pin_scope_at(uintptr_t reference, const char *site);
void cairn_unpin_scope_at(uintptr_t reference, const char *site);
#pragma GCC visibility pop

/* pin_scopes.c: true if an activation whose stack pointer lies in [low, high) has an open scope. Phase STOP, or the
 * thread that runs on this stack. */
bool cn_pin_scopes_any_in(uintptr_t low, uintptr_t high);

void cn_pins_print_sites(void);

/* Set the bounds of the addresses of all objects. False: the collector has reported no range (cairn_heap_range()). */
bool cn_heap_bounds(uintptr_t *start, uintptr_t *end);

/* Check the table. Returns the error, or null. The caller holds CN_LOCK_PINS, or no other thread accesses the table. */
const char *cn_pins_wrong(void);

/* ---- resize_array.c: changes the length of arrays ---- */

/* True if an array with an equal layout starts at `array`. The word before `array` must be readable, and may have any
 * value. */
bool cn_resize_has_array_at(uintptr_t array, const struct cairn_layout *layout);

enum cn_resize_flags {
  CN_RESIZE_LEAVE_UNCLEARED = 1,
  CN_RESIZE_FORBID_GROWTH = 2, /* for handlers: the signal may have interrupted an allocation */
};

/* Make the array shorter, and put a filler after it; or make the array longer, if it is the last block of the mutator's
 * buffer, or a large object with room after it. False: there is too little room. Called by the mutator's own thread in
 * a slow path. */
bool cn_resize_array_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize_flags how);

/* ---- type_histogram.c ---- */

/* Counts the objects in the heap by type and field: CAIRN_HISTOGRAM, and cairn_heap_histogram() of <cairn/heap.h>. */

/* Print a line for each type with objects, sorted by bytes in descending order. Phase STOP, on the collecting thread,
 * after a collection. Memory comes from the system. */
void cn_type_histogram_print(uint64_t collection);

/* Visit the rows of types and fields. The walk is open. */
void cn_type_histogram_visit_rows(const struct cn_heap_walk *walk, cairn_heap_row_visitor *visit, void *env);

/* ---- uncleared.c ---- */

/* Tracks memory that may contain words of earlier objects: uncleared arrays and unfilled objects. An object is unfilled
 * if a handler's jump skipped the stores to its uncleared block. A word of an uncleared array may be the header of an
 * earlier object. While uncleared arrays exist, a header before a root's target does not prove that an object starts at
 * the target. Each thread sets CAIRN_ABI_MUTATOR_UNCLEARED in its mutator when it makes an uncleared array: compiled
 * code in line, and slow paths after the allocation. */

/* Phase STOP, at the beginning of a collection: collect and clear the mutators' flags, and empty the list of unfilled
 * objects. */
void cn_uncleared_begin_collection(void);

/* Keep the flag of a mutator that ends. The caller holds the registry of mutators. */
void cn_uncleared_note_mutator_end(const struct cairn_mutator *mutator);

/* Note that objects of the blocks in [start, end) may be unfilled. Phase MUTATE, or with the registry's lock. */
void cn_unfilled_note_range(uintptr_t start, uintptr_t end);

/* Phase STOP. cn_unfilled_exist() is true if any object may be unfilled, cn_unfilled_has_object() if the object at
 * `payload` may be unfilled. */
bool cn_unfilled_exist(void);
bool cn_unfilled_has_object(uintptr_t payload);

/* ---- image_layouts.c: checks the layouts of images, and describes types and fields by their layouts ---- */

/* The size of a buffer for most texts of cairn_layout_type() and cairn_layout_place(). */
enum { CN_LAYOUT_TEXT_BYTES = 160 };

/* A number that is equal for all layouts of one type in one image, because the image has the type's names once. */
uint64_t cn_layouts_type_key(const struct cairn_layout *layout);

/* Write the name of a field within its type, and return its length like snprintf(): "next", "slot[].key", "[]" for an
 * array's elements; "at offset 8" if the layout has no names. `field` is the index of the field's offset in the
 * layout. */
int cn_layouts_format_field(const struct cairn_layout *layout, uint32_t field, char *text, size_t size);

/* True if the layout has a reference, strong or weak, `offset` bytes into the object. The object's end is
 * disregarded. */
bool cn_layouts_have_reference(const struct cairn_layout *layout, uint64_t offset);

/* Check each layout of an image, and end the program at the first layout that is damaged or has another version.
 * cn_layouts_begin_checks() checks all registered images before the first allocation, so a program without allocations
 * never reads these sections. From then on, cn_layouts_check_image() checks each new image, on the thread that loads
 * it, in any phase. */
void cn_layouts_begin_checks(void);
void cn_layouts_check_image(const struct cairn_image *image);

/* True if a layout of the image is damaged, has another version, or asks for a service that the collector lacks;
 * `fault` gets the sentence, which calls the image `name`, or by its file if that is null. */
bool cn_layouts_are_wrong(const struct cairn_image *image, const char *name, char *fault, size_t size);

/* True if the collector in use lacks a service that the type asks for; `fault` gets a sentence with the name of the
 * image, as above. cn_layouts_are_checked() is true once the collector is chosen and layouts are checked. */
bool cn_layouts_lack_service(const struct cairn_layout *layout, const char *name, char *fault, size_t size);
bool cn_layouts_are_checked(void);

/* True if `layout`, any address, is a layout of the image, whose layouts are not wrong. Linear. */
bool cn_layouts_have(const struct cairn_image *image, const struct cairn_layout *layout);

/* Write the type of the object whose payload begins at `address`, any value. False: no header of a registered layout
 * stands there. The object may be dead. Any phase; async-signal-safe. */
bool cn_layouts_find_type_at(uintptr_t address, char *text, size_t size);

/* ---- shared_layouts.c: layouts that belong to the program, by name ---- */

/* Define the shared layouts of an image that is in the list of images, and fill in the addresses that its code reads.
 * If the program has another layout of a name, the function ends the program. Any phase; the caller holds signals. */
void cn_shared_layouts_enter(const struct cairn_image *image);

/* True if cn_shared_layouts_enter() would end the program because of this image; `fault` gets the sentence, which calls
 * the image `name`, or by its file if that is null. `first` is null, or an image that will be registered before. */
bool cn_shared_layouts_misfit(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                              char *fault, size_t size);

/* Write a name that a registered image refers to and that is undefined, with its module. False: there is none. */
bool cn_shared_layouts_find_undefined(char *text, size_t size);

#endif
