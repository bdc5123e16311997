/* SPDX-License-Identifier: Apache-2.0
 *
 * Demotion: references that live in a slot of the frame instead of in SSA values, as values that
 * are live into unwind destinations and all those of a function in slot mode do
 * (docs/relocation.md, "Slots"). Private to rewrite-statepoints.
 *
 * A slot holds a base reference, is stored where that is defined and loaded where it is used. The
 * slots of a function are one alloca, which describe_allocas.c then tells the collector of, so what
 * is loaded is always up to date. A derived reference has no slot: it is computed again from its
 * base, by its constant GEPs or by its distance from the base, which no move changes.
 */
#ifndef CN_COMPILE_REWRITE_FRAME_DEMOTE_H
#define CN_COMPILE_REWRITE_FRAME_DEMOTE_H

#include "compile/rewrite/values/refs.h"

/* ---- demote.c ---- */

/* Keep the bases in `chosen` (a bit per value; each its own base) in slots, and compute what is
 * derived from them again where it is used. Needs bases attached. `refs` is outdated after it. What
 * the entry stores of the slots goes to `stored` (struct cn_described). */
void cn_demote(struct cn_ctx *ctx, const struct cn_refs *refs, const uint64_t *chosen, struct cn_ptrmap *stored);

/* An alloca of `count` references at the top of `function`, and the address of one of them. */
LLVMValueRef cn_demote_make_slots(LLVMBuilderRef builder, LLVMValueRef function, LLVMTypeRef reference, uint32_t count);
LLVMValueRef cn_demote_address(LLVMBuilderRef builder, LLVMValueRef slots, uint32_t slot);

/* ---- unwind_edges.c, pad_phis.c ---- */

/* The landingpad, or another pad, of `block`; null if it is none. */
LLVMValueRef cn_unwind_pad(LLVMBasicBlockRef block);
/* Is it a landingpad of type token? `pad` may be null. */
bool cn_unwind_is_token(LLVMValueRef pad);
/* Give invokes whose results or relocates must stand in the normal destination one of their own;
 * fold phis of one entry in pads. */
void cn_unwind_split_edges(struct cn_ctx *ctx, LLVMValueRef function);
/* Rename the blocks that phis of `block` come from: `to` has block -> block. */
void cn_unwind_rename(LLVMBuilderRef builder, const struct cn_ptrmap *to, LLVMBasicBlockRef block);
/* Per parse point, the block that it unwinds to, or CN_NO_BLOCK; null if none unwinds. Caller
 * frees. */
uint32_t *cn_unwind_pads(const struct cn_refs *refs);
/* The first parse point that `value` crosses and into whose block of `pads` it lives, or
 * CN_NO_INDEX. Needs liveness. */
uint32_t cn_unwind_point(struct cn_live_range *range, const struct cn_refs *refs, const uint32_t *pads, uint32_t value);
/* Null if no reference is live into a pad over a parse point, those of type token left out; else
 * what is wrong. Needs liveness, and takes as long. */
const char *cn_unwind_wrong(const struct cn_refs *refs);
/* Demote what is live into the unwind destination of a parse point. True: `refs` is outdated. */
bool cn_unwind_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);
/* Replace phis of references in pads by slots that are stored before the invokes. True: `refs` is
 * outdated. */
bool cn_pad_phis_replace(struct cn_ctx *ctx, struct cn_refs *refs);

/* ---- slot_mode.c ---- */

/* Is this function to keep its references in slots? */
bool cn_slot_mode_wanted(const struct cn_ctx *ctx, const struct cn_refs *refs);
/* Demote all references that cross a parse point, if that is wanted in this function. True: `refs`
 * is outdated. Needs no liveness. */
bool cn_slot_mode(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);

#endif
