/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates handles (<cairn/handle.h>) as roots.
 */
#ifndef CN_RUNTIME_ROOTS_HANDLES_H
#define CN_RUNTIME_ROOTS_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>
#include "runtime/roots/frame_roots.h"

struct cairn_handle;

/* Begin an enumeration of the slots of handles. Phase STOP, any thread, one thread at a time; also for the next
 * function. */
void cn_handles_begin(void);
/* Add the next slots to `slots`, at most `most`. False: the enumeration is complete. */
bool cn_handles_fetch_next(struct cn_root_slots *slots, size_t most);

/* The slot of a handle; an invalid handle ends the program. */
struct cairn_slot cn_handles_slot_of(struct cairn_handle *handle);

/* Check the handles. Returns the error, or null. Invariant: each cell is either in use and has its seal, or is in the
 * list of unused cells and has no seal. Linear. The caller holds CN_LOCK_HANDLES. */
const char *cn_handles_wrong(void);

#endif
