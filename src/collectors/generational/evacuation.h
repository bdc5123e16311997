/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks with much room that young collections empty, a group of them at a time, when a marking
 * beside the program has found what is alive (marker.h). They are chosen when it begins, and nobody
 * fills them. From then on each card is noted from which a field leads to one: by the marker, and,
 * when it is off, by young collections. So the collection that empties a group visits its roots and
 * the cards that lead there: where a root led that it leaves out, the block is left, too. It copies
 * all objects of the group, so nothing dies by it.
 *
 * Too many cards are noted rather than too few: what is not sure to be no reference there counts.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_EVACUATION_H
#define CN_COLLECTORS_GENERATIONAL_EVACUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "collectors/generational/trace.h"

/* Of a block at most so many quarters are in use. A test sets more. */
extern size_t cn_evacuation_quarters;
/* For tests: blocks are chosen at random, and time does not matter. */
extern bool cn_evacuation_any;

/* STOP. A marking begins, before it visits a root: choose. Then what is in blocks is counted anew.
 */
void cn_evacuation_choose(void);

/* STOP, any number of threads. A stack leads there, or into an object there, and young collections
 * may leave this root out from now on: the object does not move. */
void cn_evacuation_settle(uintptr_t address);

/* Do young collections note cards? And does this one empty blocks? */
bool cn_evacuation_is_noted(void);
bool cn_evacuation_is_due(void);

/* The field there may lead to blocks of these groups. What is no field of the heap need not be
 * noted. */
void cn_evacuation_note(uintptr_t slot, uint16_t groups);
/* Weak fields of the object in [from, to) may lead to any. */
void cn_evacuation_note_weak(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to);

/* Before a young collection: bytes of objects of the group that it is to empty; 0: none. Then there
 * is memory for copies of these, or not. */
size_t cn_evacuation_next(void);
void cn_evacuation_begin(bool memory);

/* CN_TRACE_YOUNG: the slot leads to an object of the old space. Note that, or copy the object if
 * its block is emptied. Returns where it is now. */
uintptr_t cn_evacuation_visit(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address);

/* The group that is emptied; copy its objects, any number of tracers at once. */
uint16_t cn_evacuation_group(void);
void cn_evacuation_copy(struct cn_tracer *tracer);

/* After it, which took so many nanoseconds for that: blocks without objects are free. */
struct cn_evacuated {
  size_t bytes, lines; /* of objects that have left them, and bytes of lines */
};
struct cn_evacuated cn_evacuation_done(uint64_t took);

/* STOP. No block is to be emptied. */
void cn_evacuation_end(void);

#endif
