/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles (<cairn/handle.h>), as roots.
 */
#ifndef CN_RUNTIME_ROOTS_HANDLES_H
#define CN_RUNTIME_ROOTS_HANDLES_H

#include <cairn/collector.h>

struct cairn_handle;

/* Visit the slot of each handle; returns how many there are. Phase STOP. */
uint64_t cn_handles_visit(cairn_root_visitor *visit, void *env);

/* The slot of a handle, which is one: its address otherwise says nothing. */
struct cairn_slot cn_handles_slot(struct cairn_handle *handle);

/* What is wrong with the handles; null: nothing. It holds that each cell is either in use, with its
 * seal, or in the list of unused ones, without. Linear. Holding CN_LOCK_HANDLES. */
const char *cn_handles_wrong(void);

#endif
