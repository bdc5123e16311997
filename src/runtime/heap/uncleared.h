/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that an earlier object has left.
 *
 * Arrays that were not cleared. A word of one may be the header of an object that lay there before.
 * While there are some, a collector cannot tell by the word before a root whether an object starts
 * there. Each thread notes in its mutator that it made one (CAIRN_ABI_MUTATOR_UNCLEARED): compiled
 * code does in line, and the slow paths do once they have the array.
 */
#ifndef CN_RUNTIME_HEAP_UNCLEARED_H
#define CN_RUNTIME_HEAP_UNCLEARED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

/* Phase STOP. A collection begins: take what the mutators noted, and forget the objects that were
 * never filled. */
void cn_uncleared_begin(void);

/* The mutator goes, and its arrays stay. The caller holds the registry of mutators. */
void cn_uncleared_leave(const struct cairn_mutator *mutator);

/* Objects of the blocks in [start, end) may never have been filled. Any phase; any thread. */
void cn_unfilled_note(uintptr_t start, uintptr_t end);

/* Phase STOP. Are there such objects? Is the one at `payload` one? */
bool cn_unfilled_exist(void);
bool cn_unfilled_has(uintptr_t payload);

#endif
