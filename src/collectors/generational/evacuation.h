/* SPDX-License-Identifier: Apache-2.0
 *
 * Evacuation of sparse blocks, after concurrent marking (marker.h) has found the live objects. Blocks are chosen when a
 * marking begins, and their holes stay unfilled. The marker, and after its end young collections, note each card that
 * has a field pointing to a chosen block. Then each young collection evacuates one group of blocks: it copies all
 * objects of the group, including dead ones, and visits its roots and the cards that point to the group. A block is
 * kept if a root points to it and young collections leave out this root.
 *
 * Noted cards are conservative: a word that may be a reference counts as a reference.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_EVACUATION_H
#define CN_COLLECTORS_GENERATIONAL_EVACUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "collectors/generational/trace.h"

/* The maximum of quarters in use of an evacuated block. A test sets more. */
extern size_t cn_evacuation_max_quarters;
/* A switch for tests: blocks are chosen at random, and time is ignored. */
extern bool cn_evacuation_picks_at_random;

/* STOP, when a marking begins, before it visits roots. Chooses blocks, and resets the counts of bytes in blocks. */
void cn_evacuation_choose_blocks(void);

/* STOP, any number of threads. Keeps the block of the object that a root on a stack points to or into, if later young
 * collections may leave this root out. */
void cn_evacuation_keep_block(uintptr_t address);

/* cn_evacuation_notes_cards() is true if young collections note cards; cn_evacuation_is_group_due() is true if this
 * collection evacuates blocks. */
bool cn_evacuation_notes_cards(void);
bool cn_evacuation_is_group_due(void);

/* Notes that the field at `slot` may point to blocks of these groups. Slots outside of the heap are ignored. Any
 * thread. */
void cn_evacuation_note_card(uintptr_t slot, uint16_t groups);
/* Any thread. Notes that weak fields of the object in [from, to) may point to blocks of all groups. */
void cn_evacuation_note_weak_fields(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to);

/* STOP, before a young collection. cn_evacuation_next_group_bytes() returns the bytes of objects in the group to
 * evacuate, or 0. cn_evacuation_begin_group() begins the evacuation; `memory` is true if there is memory for the
 * copies. */
size_t cn_evacuation_next_group_bytes(void);
void cn_evacuation_begin_group(bool memory);

/* CN_TRACE_YOUNG, for a slot that points to an object of the old space. Notes the slot's card, or copies the object if
 * its block is being evacuated. Returns the object's current address. */
uintptr_t cn_evacuation_visit_old_slot(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address);

/* cn_evacuation_group_bit() returns the bit of the group that is being evacuated. cn_evacuation_copy_group() copies the
 * group's objects, on any number of tracers at once. */
uint16_t cn_evacuation_group_bit(void);
void cn_evacuation_copy_group(struct cn_tracer *tracer);

/* STOP, after the collection, whose evacuation took `took` nanoseconds. Blocks without remaining objects become
 * free. */
struct cn_evacuation_result {
  size_t bytes, lines; /* bytes of objects that have left the blocks, and bytes of their lines */
};
struct cn_evacuation_result cn_evacuation_end_group(uint64_t took);

/* STOP. Drops all groups, whose blocks are kept. */
void cn_evacuation_forget_groups(void);

/* ---- pinned.c ---- */

/* Objects that are pinned in this collection (<cairn/pin.h>); a bit in their headers is set from the begin of the
 * collection to its end. Phase STOP. */

/* Pins the objects, after the cycle has begun and before the first object is reached. */
void cn_pinned_pin_objects(void);

/* True if this pinned object has been reached, during the collection. */
bool cn_pinned_is_reached(uintptr_t object);

/* Called when all reachable objects have been reached, before a sweep. Ends the pins of unreached objects. Returns true
 * if some objects stay in the nursery, and so are old. */
bool cn_pinned_end_collection(void);

#endif
