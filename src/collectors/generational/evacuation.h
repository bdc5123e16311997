/* SPDX-License-Identifier: Apache-2.0
 *
 * Evacuation of sparse blocks: young collections evacuate a group of them at a time, after concurrent marking
 * (marker.h) has found the live objects. Blocks are chosen when a marking begins, and their holes stay unfilled. From
 * then on each card is noted that has a field pointing to such a block: by the marker, and, after its end, by young
 * collections. So the collection that evacuates a group visits its roots and the cards that point to the group. A block
 * stays if a root points to it that young collections leave out. All objects of the group are copied, dead ones too.
 *
 * The noted cards are conservative: a word that may be a reference counts as one.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_EVACUATION_H
#define CN_COLLECTORS_GENERATIONAL_EVACUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "collectors/generational/trace.h"

/* A block with more quarters in use stays. A test sets more. */
extern size_t cn_evacuation_max_quarters;
/* For tests: blocks are chosen at random, and time is ignored. */
extern bool cn_evacuation_picks_at_random;

/* STOP. A marking begins, and has visited no root: choose blocks. From then on the bytes in blocks are counted anew. */
void cn_evacuation_choose_blocks(void);

/* STOP, any number of threads. A root on a stack points to or into an object there, and later young collections may
 * leave this root out: the object's block stays. */
void cn_evacuation_keep_block(uintptr_t address);

/* True if young collections note cards; true if this collection evacuates blocks. */
bool cn_evacuation_notes_cards(void);
bool cn_evacuation_is_group_due(void);

/* Any thread. The field at `slot` may point to blocks of these groups. Slots outside of the heap are ignored. */
void cn_evacuation_note_card(uintptr_t slot, uint16_t groups);
/* Weak fields of the object in [from, to) may point to blocks of all groups. */
void cn_evacuation_note_weak_fields(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to);

/* Before a young collection: bytes of objects of the group that it is to evacuate, or 0. cn_evacuation_begin_group() is
 * told whether there is `memory` for their copies. */
size_t cn_evacuation_next_group_bytes(void);
void cn_evacuation_begin_group(bool memory);

/* CN_TRACE_YOUNG: the slot points to an object of the old space. Note the slot's card, or copy the object if its block
 * is being evacuated. Returns the object's address now. */
uintptr_t cn_evacuation_visit_old_slot(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address);

/* The bit of the group that is being evacuated. Copy the group's objects, any number of tracers at once. */
uint16_t cn_evacuation_group_bit(void);
void cn_evacuation_copy_group(struct cn_tracer *tracer);

/* After the collection, whose evacuation took `took` nanoseconds: blocks that have no object left are free. */
struct cn_evacuation_result {
  size_t bytes, lines; /* of objects that have left the blocks, and of their lines */
};
struct cn_evacuation_result cn_evacuation_end_group(uint64_t took);

/* STOP. Forget all groups. */
void cn_evacuation_forget_groups(void);

#endif
