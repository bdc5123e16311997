/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks memory that may contain words of earlier objects: uncleared arrays and unfilled objects. An object is unfilled
 * if a handler's jump skipped the stores to its uncleared block.
 *
 * A word of an uncleared array may be the header of an earlier object. While uncleared arrays exist, a header before a
 * root's target does not prove that an object starts at the target. Each thread sets CAIRN_ABI_MUTATOR_UNCLEARED in its
 * mutator when it makes an uncleared array: compiled code in line, and slow paths after the allocation.
 */
#ifndef CN_RUNTIME_HEAP_UNCLEARED_H
#define CN_RUNTIME_HEAP_UNCLEARED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

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

#endif
