/* SPDX-License-Identifier: Apache-2.0
 *
 * References in the frame: allocas, slots and pairs. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_FRAME_FRAME_H
#define CN_COMPILE_REWRITE_FRAME_FRAME_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/rewrite/values/refs.h"

/* ---- demote.c ---- */

/* Demotion: references in slots of the frame instead of SSA values. Demoted are the values that are live into unwind
 * destinations, and all values of a function in slot mode (docs/relocation.md, "Slots"). A slot holds a base reference,
 * which is stored at its definition and loaded at its uses. The slots of a function are one alloca. describe_allocas.c
 * describes the alloca to the collector, so a loaded reference is always current. A derived reference is computed again
 * from its base, by its constant GEPs or by its distance from the base. The distance stays the same when the object
 * moves. */

/* Keep the bases in `chosen` (a bit per value, set only for bases) in slots, and rematerialise the values derived from
 * these bases at their uses. Needs bases attached; makes `refs` outdated. Adds the alloca of the slots to `stored`
 * (struct cn_described_allocas), with the number of its first slots that the entry stores. */
void cn_demote(struct cn_ctx *ctx, const struct cn_refs *refs, const uint64_t *chosen, struct cn_ptrmap *stored);

/* Build an alloca of `count` references at the top of `function`. The second function builds the address of one
 * slot. */
LLVMValueRef cn_demote_make_slots(LLVMBuilderRef builder, LLVMValueRef function, LLVMTypeRef reference, uint32_t count);
LLVMValueRef cn_demote_slot_address(LLVMBuilderRef builder, LLVMValueRef slots, uint32_t slot);

/* ---- unwind_edges.c, pad_phis.c ---- */

/* The landing pad or other pad at the head of `block`; null if `block` is an ordinary block. */
LLVMValueRef cn_unwind_pad_of(LLVMBasicBlockRef block);
/* True if `pad`, which may be null, is a landingpad of type token. */
bool cn_unwind_is_token_pad(LLVMValueRef pad);
/* Give each invoke that needs space for results or relocates a separate normal destination; fold phis with one input in
 * pads. */
void cn_unwind_split_edges(struct cn_ctx *ctx, LLVMValueRef function);
/* Rename the incoming blocks of the phis of `block`; `to` maps old blocks to new blocks. */
void cn_unwind_rename_phi_inputs(LLVMBuilderRef builder, const struct cn_ptrmap *to, LLVMBasicBlockRef block);
/* Per parse point, the block that it unwinds to, or CN_NO_BLOCK; null if no parse point unwinds to a block. The caller
 * frees the array. */
uint32_t *cn_unwind_find_pads(const struct cn_refs *refs);
/* The first parse point that `value` crosses and that unwinds to a block of `pads` with `value` live-in; or
 * CN_NO_INDEX. Needs liveness. */
uint32_t cn_unwind_point_crossed_by(struct cn_live_range *range, const struct cn_refs *refs, const uint32_t *pads,
                                    uint32_t value);
/* A message if a reference is live over a parse point into a pad that is not of type token; else null. Needs liveness,
 * and takes as long as the computation of liveness. */
const char *cn_unwind_wrong(const struct cn_refs *refs);
/* Demote values that are live into the unwind destination of a parse point. True: `refs` is outdated. */
bool cn_unwind_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);
/* Replace phis of references in pads by slots that are stored before the invokes. True: `refs` is outdated. */
bool cn_pad_phis_replace(struct cn_ctx *ctx, struct cn_refs *refs);

/* ---- slot_mode.c ---- */

/* True if this function must keep its references in slots. */
bool cn_slot_mode_wanted(const struct cn_ctx *ctx, const struct cn_refs *refs);
/* Demote all references that cross a parse point, if the function is in slot mode. True: `refs` is outdated. Needs no
 * liveness. */
bool cn_slot_mode_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored);

/* ---- describe_allocas.c: locals in memory that hold references ---- */

/* The operands that describe the allocas of `function` to the collector (abi.def, "Described allocas"). */
struct cn_described_allocas {
  CN_VECTOR(LLVMValueRef) operands;
  /* Alloca of slots -> the number of its first words that the entry stores before any parse point, and that need no
   * zeroing. */
  struct cn_ptrmap stored;
};
/* Describe the allocas of `function` that hold references; zero them at entry, and make them escape. */
void cn_describe_allocas(struct cn_ctx *ctx, LLVMValueRef function, struct cn_described_allocas *out);

/* ---- pairs.c: roots as pairs alone ---- */

struct cn_refs;

/* True if every root must be a pair. */
bool cn_pairs_are_required(const struct cn_ctx *ctx);
/* If every root must be a pair, report the roots of `function` that pairs cannot describe. */
void cn_pairs_refuse_other_roots(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- token_pads.c ---- */

/* The reason why `function` cannot have pads of type token if a reference is live into one of its pads, or null. */
const char *cn_token_pads_refusal_reason(LLVMValueRef function);

/* If references are live into landing pads over parse points, give each invoke a separate pad of type token, or report
 * the reason against such pads. If true, the CFG and `refs` are outdated. */
bool cn_token_pads_make(struct cn_ctx *ctx, struct cn_refs *refs);

#endif
