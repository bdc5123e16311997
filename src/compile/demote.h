/* SPDX-License-Identifier: Apache-2.0
 *
 * Demotion: references that live in a slot of the frame instead of in SSA values, as values that
 * are live into unwind destinations and all those of a function in slot mode do
 * (docs/relocation.md, "Slots"). Private to rewrite-statepoints.
 *
 * A slot holds a base reference, is stored where that is defined and loaded where it is used. The
 * slots of a function are one alloca, which described.c then tells the collector of, so what is
 * loaded is always up to date. A derived reference has no slot: it is computed again from its
 * base, by its constant GEPs or by its distance from the base, which no move changes.
 */
#ifndef CN_COMPILE_DEMOTE_H
#define CN_COMPILE_DEMOTE_H

#include "compile/rewrite.h"

/* ---- hulls.c ---- */

/* A place in a function: block << 32 | position. */
#define CN_PLACE(block, pos) ((uint64_t)(block) << 32 | (pos))

/* What encloses a live range: it is live nowhere outside, and maybe not everywhere inside. Found in
 * time linear in the uses, however long the range. */
struct cn_hull {
  uint64_t from, to; /* places of the definition and the last use, both in */
};

struct cn_hulls {
  const struct cn_refs *refs;
  /* Per block, the last from which an edge retreats to it; in front, the maxima of pairs. */
  uint32_t *retreat;
};

void cn_hulls_build(struct cn_hulls *hulls, const struct cn_refs *refs);
void cn_hulls_free(struct cn_hulls *hulls);
/* Uses of values derived from `value` (once bases are attached) count as its own. */
struct cn_hull cn_hull_of(const struct cn_hulls *hulls, uint32_t value);
/* The first parse point inside, and how many there are. */
uint32_t cn_hull_first_point(const struct cn_hulls *hulls, struct cn_hull hull);
uint32_t cn_hull_points(const struct cn_hulls *hulls, struct cn_hull hull);

/* ---- demote.c ---- */

/* Keep the bases in `chosen` (a bit per value; each its own base) in slots, and compute what is
 * derived from them again where it is used. Needs bases attached. `refs` is outdated after it. What
 * the entry stores of the slots goes to `stored` (struct cn_described). */
void cn_demote(struct cn_ctx *ctx, const struct cn_refs *refs, const uint64_t *chosen,
               struct cn_ptrmap *stored);

/* From here on, list neither what is dead nor constants, whatever the options say: nobody relocates
 * them where what is alive comes from slots. `refs` may be built anew. */
void cn_refs_restrict(struct cn_refs *refs);
/* Find the bases of all values whose cross_count is not 0 and attach them. `refs` may be built
 * anew. */
void cn_refs_find_bases(struct cn_refs *refs);

/* Before which instruction to insert what shall follow the definition of `value` at once: past
 * phis, pads, the allocas of the entry; for an invoke, in its normal destination. */
LLVMValueRef cn_after_definition(LLVMValueRef value);
/* An alloca of `count` references at the top of `function`, and the address of one of them. */
LLVMValueRef cn_slots_make(LLVMBuilderRef builder, LLVMValueRef function, LLVMTypeRef reference,
                           uint32_t count);
LLVMValueRef cn_slots_address(LLVMBuilderRef builder, LLVMValueRef slots, uint32_t slot);

/* ---- unwind.c, pads.c ---- */

bool cn_is_pad(LLVMBasicBlockRef block); /* landing pad or funclet pad */
/* Give invokes whose results or relocates must stand in the normal destination one of their own;
 * fold phis of one entry in pads. */
void cn_unwind_split_edges(struct cn_ctx *ctx, LLVMValueRef function);
/* Demote what is live into the unwind destination of a parse point. True: `refs` is outdated. */
bool cn_unwind_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);
/* Replace phis of references in pads by slots that are stored before the invokes. True: `refs` is
 * outdated. */
bool cn_unwind_replace_phis(struct cn_ctx *ctx, struct cn_refs *refs);

/* ---- slot_mode.c ---- */

/* Is this function to keep its references in slots? */
bool cn_slots_wanted(const struct cn_ctx *ctx, const struct cn_refs *refs);
/* Set the cross_count of each value to 1 if it may cross a parse point, by its hull, else to 0. */
void cn_hulls_mark(struct cn_refs *refs);
/* Demote all references that cross a parse point, if that is wanted in this function. True: `refs`
 * is outdated. Needs no liveness. */
bool cn_slot_mode(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);

#endif
