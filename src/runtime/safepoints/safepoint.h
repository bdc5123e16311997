/* SPDX-License-Identifier: Apache-2.0
 *
 * The C functions that the stubs (arch/) call at safepoints, with the registers that the stub saved.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_SAFEPOINT_H
#define CN_RUNTIME_SAFEPOINTS_SAFEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap.h>
#include "runtime/arch/arch.h"
#include "runtime/core/counts.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/latency/latency.h"

void cn_safepoint_poll(const struct cn_saved_regs *regs);
void cn_safepoint_collect(const struct cn_saved_regs *regs);

/* Return a reference to a new object with a zeroed payload; the last function leaves the payload uncleared. */
void *cn_safepoint_alloc(const struct cn_saved_regs *regs, const struct cairn_layout *layout);
void *cn_safepoint_alloc_indexed(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count);
void *cn_safepoint_alloc_uninit(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count);

/* Like cn_safepoint_alloc() and cn_safepoint_alloc_indexed(), for a known layout and a size that does not overflow,
 * within a slow path of managed code: between cn_safepoint_enter() and cn_safepoint_leave(). */
void *cn_safepoint_alloc_entered(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uint64_t count);

/* Change the length of the array, which must have this layout, in place and return null, or return a new array for
 * cairn_resize_finish(). */
void *cn_safepoint_resize(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uintptr_t array,
                          int64_t count, bool uninit);

/* Add a chunk of anchors after a chunk has become full. Failure ends the program. */
void cn_safepoint_anchors(const struct cn_saved_regs *regs);

/* ---- check_store.c ---- */

/* Checks before stores of references, or copies of possible references, through an ordinary pointer (pass
 * `check-stores`). Compiled code calls the checks by the port's stubs cairn_check_store() and cairn_check_copy(). */

/* End the program if the collector does not scan the slot. The calls never collect. If the slot is on another thread's
 * stack, a call waits for that thread, at most 0.1 s. `regs` has pc, stack pointer and callee-saved registers of the
 * caller; `what` names type, member and source line. Phase MUTATE. */
void cn_check_store(uintptr_t slot, const char *what, const struct cn_saved_regs *regs);
void cn_check_copy(uintptr_t to, const unsigned char *from, size_t bytes, const struct cn_saved_regs *regs);

/* The same checks, for code that tests in line whether it knows the place: give the site the places around the slot, or
 * around the checked words of the copy, and the bounds of the heap. */
struct cn_store_site;
struct cn_copy_site;
void cn_check_store_at(uintptr_t slot, const char *what, struct cn_store_site *site, const struct cn_saved_regs *regs);
void cn_check_copy_at(uintptr_t to, const unsigned char *from, size_t bytes, struct cn_copy_site *site,
                      const struct cn_saved_regs *regs);

/* ---- collect.c: slow paths at safepoints, their collections, and attempts to allocate ---- */

/* ---- attempts ---- */

/* An attempt to allocate a block; returns null if the attempt fails or is inapplicable. */
typedef void *cn_allocation_attempt(void *env);

/* Make the attempts in the order of the table, which ends with null. Returns the first block, or null if all attempts
 * fail. */
static inline void *cn_attempt_in_order(cn_allocation_attempt *const *attempts, void *env)
{
  void *block = NULL;

  for (size_t i = 0; block == NULL && attempts[i] != NULL; i++)
    block = attempts[i](env);
  return block;
}

/* ---- collections ---- */

/* True if the program's code and its collector allow collections. */
bool cn_collect_is_possible(void);

/* The cause of the collection that cn_safepoint_enter() has announced. */
enum cairn_cause cn_collect_due_cause(void);

/* Like collect_garbage(), for managed code. Ends the program if the code lacks a frame map. */
void *cn_collect_from_mapped_code(const struct cn_saved_regs *regs, enum cairn_cause cause,
                                  struct cn_block_request wanted);

/* End the program if `pc` is in managed code outside of files and the image is unregistered, because the collector
 * would miss its frames. */
void cn_collect_check_registered(uintptr_t pc);
extern const char cn_collect_constructor_advice[];

/* ---- slow paths ---- */

/* True: stress mode or a signal handler has requested a collection. `*native` is true if native code called; the thread
 * is then managed up to cn_safepoint_leave(). */
bool cn_safepoint_enter(const struct cn_saved_regs *regs, bool *native);
/* True if a collection is due, as cn_safepoint_enter() says. In a slow path. */
bool cn_safepoint_is_collection_due(void);
/* End the slow path, and deliver the signals that came during the slow path. */
void cn_safepoint_leave(bool native);

/* ---- exhaustion.c ---- */

/* Handles exhaustion of memory: the program's callback, and the message that ends the program. */

/* Record the size of the live objects after a collection that made too little room. Phase STOP. */
void cn_exhaustion_record_live(void);

/* Record whether a full collection, which has ended, made room. Phase STOP. */
void cn_exhaustion_record_full(enum cairn_cause cause);

/* True if many full collections in a row made almost no room. Allocations then fail although a little memory is left,
 * so that the program ends instead of collecting all the time. */
bool cn_exhaustion_is_thrashing(void);

/* Prepare a call of the callback of cairn_on_exhaustion(). False: the callback is unset, or has been called too often.
 * Called in a slow path. */
struct cn_exhaustion_call {
  cairn_exhausted *call;
  void *env;
  struct cairn_exhaustion what;
};
bool cn_exhaustion_prepare_call(struct cn_exhaustion_call *call, size_t wanted, unsigned tries);

/* Call the callback, outside of the slow path. True: the callback requests another collection. */
bool cn_exhaustion_call(struct cn_exhaustion_call *call);

void cn_exhaustion_reset_after_fork(void);

/* Called outside of slow paths. */
_Noreturn void cn_exhaustion_end_program(size_t wanted);

/* ---- stats.c ---- */

/* Counts of the collector's work, which CAIRN_STATS=1 prints at exit, and the events of each collection. */

extern struct cn_histogram cn_stats_pauses; /* nanoseconds */

/* Report the beginning of a collection. Returns the time. Phase STOP. */
uint64_t cn_stats_begin_collection(const struct cairn_collection *collection);

/* The number of bytes that the program has allocated. Phase STOP, or while the set of threads is fixed; running threads
 * change the number concurrently. */
uint64_t cn_stats_allocated_bytes(void);

/* Report the end of a collection that began at `since`, with the statistics `before` it. */
void cn_stats_end_collection(const struct cairn_collection *collection, const struct cn_stats *before, uint64_t since);

#endif
