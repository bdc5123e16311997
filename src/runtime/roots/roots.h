/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots by kind, and the walks of stacks that find them.
 */
#ifndef CN_RUNTIME_ROOTS_ROOTS_H
#define CN_RUNTIME_ROOTS_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/walk.h"

/* ---- deferred_frames.c ---- */

/* Visits the roots of deferred frames, which young enumerations skip, in parts over several stops
 * (cairn_deferred_roots() of <cairn/collector.h>). A stack is identified by the number of its set of barriers. */

/* Phase STOP, at the beginning of a young enumeration. */
void cn_deferred_frames_begin_stop(void);

/* During a young enumeration, on the thread that walks the stack: forget the previous stack of this set of barriers. */
void cn_deferred_frames_forget_stack(unsigned number);

/* During a young enumeration: note the activation at which the scan of the stack ends. The enumeration visits the roots
 * of all younger activations; the walk's activation has not run since the previous enumeration. If `more` is false, the
 * enumeration visits all activations. */
void cn_deferred_frames_note_left(unsigned number, const struct cn_walk *walk, bool more);

/* ---- described.c ---- */

/* Tells whether a slot on a stack is in a described alloca, whose references the collector finds. */

/* True if `slot` is in a described alloca of a managed frame, on the calling thread's stack or on a waiting stack. The
 * thread runs managed code, which has called the check; `regs` has the pc, the stack pointer and the callee-saved
 * registers after the call's return. The thread does not stop for this. False if the call has no frame map. */
bool cn_described_has_slot(uintptr_t slot, const struct cn_saved_regs *regs);

/* True if `slot` is in a described alloca of another mutator's frame; that mutator is stopped, or waits for this
 * thread. */
bool cn_described_mutator_has_slot(struct cairn_mutator *mutator, uintptr_t slot);

/* True if cn_described_has_slot() was true for a call at this pc with equal callers. Takes a few instructions. */
bool cn_described_has_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs);

/* The place of a slot in the frame of the caller of the check's caller: the return address into that frame, the
 * distance of the described words around the slot from the end of the callee's frame, and their number. False: the
 * thread has no cached chain of two frames for the slot. */
struct cn_caller_place {
  uintptr_t caller, start;
  uint64_t words, rotation; /* as in struct cn_known_places */
};
bool cn_described_find_cached_caller(uintptr_t slot, const struct cn_saved_regs *regs, struct cn_caller_place *place);

/* ---- known_places.c: places that the collector scans, for compiled code ---- */

/* Compiled code reads the record, and stores to one of its places without a check (CAIRN_ABI_PLACES_x). A record is
 * never freed, because code may read the record at any time; a record without words is void. The bytes of places in
 * globals follow the record. */
struct cn_known_places {
  uintptr_t start;
  _Atomic uint64_t words;
  _Atomic uintptr_t caller;
  uint64_t rotation;
};

/* The variables of a store in compiled code (CAIRN_ABI_SITE_x). */
struct cn_store_site {
  const struct cn_known_places *_Atomic in_caller, *_Atomic in_globals;
};

/* The variables of a copy in compiled code. */
struct cn_copy_site {
  struct cn_store_site places;
  _Atomic uintptr_t heap_start, heap_end;
};

/* Give the site the places around a slot that a check found. Phase MUTATE, on the storing thread. */
void cn_known_places_give_caller(struct cn_store_site *site, const struct cn_caller_place *place);
void cn_known_places_give_globals(struct cn_store_site *site, uintptr_t slot);

/* Make the records void that an image's removal invalidates. Any phase; the caller removes the image, and has yet to
 * unmap it. */
void cn_known_places_forget_image(const struct cairn_image *image);

/* ---- global_roots.c: enumerates the roots of images: globals, and thread-local variables of each thread ---- */

/* Begin an enumeration of each reference in globals, and in the thread-local variables of each mutator. Phase STOP, any
 * thread, one thread at a time; also for the next function. */
void cn_global_roots_begin(void);
/* Add the next slots of the enumeration to `slots`, at most `most`. False: the enumeration is complete. */
bool cn_global_roots_fetch_next(struct cn_root_slots *slots, size_t most);

/* Set the references in the thread-local variables of a mutator that ends to null, because collections no longer update
 * them. Called by the mutator's own thread, outside of stops. */
void cn_global_roots_clear_thread(struct cairn_mutator *mutator);

/* ---- handles.c: enumerates handles (<cairn/handle.h>) as roots ---- */

struct cairn_handle;

/* Begin an enumeration of the slots of handles. Phase STOP, any thread, one thread at a time; also for the next
 * function. */
void cn_handles_begin(void);
/* Add the next slots to `slots`, at most `most`. False: the enumeration is complete. */
bool cn_handles_fetch_next(struct cn_root_slots *slots, size_t most);

/* The slot of a handle; an invalid handle ends the program. */
struct cairn_slot cn_handles_slot_of(struct cairn_handle *handle);

/* True for a handle that is in use. The address is null or that of readable memory. */
bool cn_handles_is_live(const struct cairn_handle *handle);

/* Implement <cairn/handle.h>. */
#pragma GCC visibility push(default)
struct cairn_handle *cairn_handle_new(uintptr_t reference);
uintptr_t cairn_handle_get(struct cairn_handle *handle);
void cairn_handle_free(struct cairn_handle *handle);
#pragma GCC visibility pop

/* Check the handles. Returns the error, or null. Invariant: each cell is either in use and has its seal, or is in the
 * list of unused cells and has no seal. Linear. The caller holds CN_LOCK_HANDLES. */
const char *cn_handles_wrong(void);

/* ---- root_tasks.c ---- */

/* Root-scanning tasks: the stack walks of a collection. Together the tasks find all activations; several threads may do
 * tasks in parallel. */

/* A mutator with its current stack, or (`waits`) a stack that no thread runs on. A null stack is the mutator's own
 * stack. */
struct cn_root_task {
  struct cairn_mutator *mutator;
  struct cairn_stack *stack;
  bool waits;
};

/* Phase STOP, collecting thread: begin an enumeration. */
void cn_root_tasks_begin(void);

/* Phase STOP, any thread: take the next task. False: all tasks are taken. A mutator's walk may continue on several
 * stacks, so this call waits for the walks of all mutators before it returns a waiting stack. */
bool cn_root_tasks_take_next(struct cn_root_task *source);

/* Begin the walk. False: the stack has no activation. The thread that took the task may repeat the walk, until it calls
 * cn_root_tasks_end_walk(). */
bool cn_root_tasks_begin_walk(const struct cn_root_task *source, struct cn_walk *walk);
void cn_root_tasks_end_walk(const struct cn_root_task *source);

/* True if all tasks have been taken and all walks have ended. */
bool cn_root_tasks_are_done(void);

/* ---- user_roots.c: visits roots with the language's own tags ---- */

/* cn_user_roots_have_handler() is true if the program has set a handler by cairn_set_user_roots();
 * cn_user_roots_visit() calls the handler. Phase STOP. */
bool cn_user_roots_have_handler(void);
void cn_user_roots_visit(uintptr_t *slot, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env);

/* ---- young.c: scans stacks for young collections: the activations that may have run since the previous scan ---- */

/* The result of a scan. Roots with tags DEFAULT and BASE are counted from 0, in the order of the callbacks. The next
 * scan may skip the roots in [settled, end), whose activations lie below the youngest barrier. The next scan will find
 * all other roots again, except roots of activations that have returned. */
struct cn_young_scan_result {
  uint64_t visited;
  size_t settled, end;
};

/* Phase STOP, the thread that took the task. Walk the task's stack. Call back for each root of the activations that may
 * have run since the previous scan, and for the described allocas of the other activations. Then set barriers, so that
 * the next scan finds which activations have run. False: the stack can have no barriers now; the caller must walk all
 * of it, and `*young` is the result of that walk. */
bool cn_young_scan_stack(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                         struct cn_young_scan_result *young);

/* Phase STOP, the thread that took the task. Set barriers after a full enumeration of the task, if
 * cn_young_scan_stack() was ever called. The next call of cn_young_scan_stack() may skip the activations that do not
 * run from now on. */
void cn_young_note_full_scan(const struct cn_root_task *source, struct cn_walk *walk);

#endif
