/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks memory that may contain words of earlier objects: uncleared arrays, and objects that were never filled.
 *
 * A word of an uncleared array may be the header of an earlier object. While there are such arrays, the word before a
 * root is no proof that an object starts there. Each thread notes in its mutator that it made one
 * (CAIRN_ABI_MUTATOR_UNCLEARED): compiled code does in line, and the slow paths do once they have the array.
 */
#ifndef CN_RUNTIME_HEAP_UNCLEARED_H
#define CN_RUNTIME_HEAP_UNCLEARED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

/* Phase STOP. A collection begins: take the notes of the mutators, and forget the objects that were never filled. */
void cn_uncleared_begin_collection(void);

/* The mutator ends, and its arrays stay. The caller holds the registry of mutators. */
void cn_uncleared_note_mutator_end(const struct cairn_mutator *mutator);

/* Note that objects of the blocks in [start, end) may never have been filled. Any phase; any thread. */
void cn_unfilled_note_range(uintptr_t start, uintptr_t end);

/* Phase STOP. True if there are such objects; true if the object at `payload` is one. */
bool cn_unfilled_exist(void);
bool cn_unfilled_has_object(uintptr_t payload);

#endif
