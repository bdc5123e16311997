/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow paths at safepoints, their collections, and attempts to allocate. Private to runtime/safepoints.
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
/* End the slow path, and deliver the signals that came during the slow path. */
void cn_safepoint_leave(bool native);

#endif
