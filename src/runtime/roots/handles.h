/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles (<cairn/handle.h>), as roots.
 */
#ifndef CN_RUNTIME_ROOTS_HANDLES_H
#define CN_RUNTIME_ROOTS_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>
#include "runtime/roots/frame_roots.h"

struct cairn_handle;

/* Begin an enumeration of the slots of handles. Phase STOP, any thread, as of the next one; one
 * thread at a time. */
void cn_handles_begin(void);
/* Add the next ones to `slots`, until there are about `most`. False: there were none left. */
bool cn_handles_next(struct cn_root_slots *slots, size_t most);

/* The slot of a handle, which is one: its address otherwise says nothing. */
struct cairn_slot cn_handles_slot(struct cairn_handle *handle);

/* What is wrong with the handles; null: nothing. It holds that each cell is either in use, with its
 * seal, or in the list of unused ones, without. Linear. Holding CN_LOCK_HANDLES. */
const char *cn_handles_wrong(void);

#endif
