/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow paths at safepoints, their collections, and attempts to allocate. Private to the room.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_COLLECT_H
#define CN_RUNTIME_SAFEPOINTS_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/arch/arch.h"
#include "runtime/heap/managed_heap.h"

/* ---- attempts ---- */

/* An attempt to allocate a block: null if it fails, or is inapplicable. */
typedef void *cn_allocation_attempt(void *env);

/* The first block that one of the attempts finds, in the order of the table, which ends with null; null if all fail. */
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

/* The cause of a collection that cn_safepoint_enter() finds due. */
enum cairn_cause cn_collect_due_cause(void);

/* Collect, and allocate the block that is wanted, if any; or allocate it after another thread's collection. Null:
 * the allocation failed, no block is wanted, or the collection waits for a fork() (CN_POLL_REASON_COLLECT). In a slow
 * path. */
void *cn_collect_garbage(const struct cn_saved_regs *regs, enum cairn_cause cause, struct cn_block_request wanted);
/* Like cn_collect_garbage(), for managed code: ends the program if the code lacks a frame map. */
void *cn_collect_from_mapped_code(const struct cn_saved_regs *regs, enum cairn_cause cause,
                                  struct cn_block_request wanted);

/* Refuse managed code outside files whose image is unregistered. */
void cn_collect_check_registered(uintptr_t pc);
extern const char cn_collect_constructor_advice[];

/* ---- slow paths ---- */

/* Begin a slow path at a safepoint. True: a collection is due, stress mode's or a signal handler's. `*native`:
 * native code called; the thread is managed up to the end. */
bool cn_safepoint_enter(const struct cn_saved_regs *regs, bool *native);
/* End it. Signals that came meanwhile are delivered. */
void cn_safepoint_leave(bool native);

#endif
