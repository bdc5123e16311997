/* SPDX-License-Identifier: Apache-2.0
 *
 * Where relocated values are made, and values that are computed again instead (sink_relocates.c,
 * rematerialise.c). Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H
#define CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H

#include "compile/rewrite/emit/emitter.h"

/* ---- sink_relocates.c ---- */

/* Where a definition is to be made. */
struct cn_sink_place {
  enum { CN_SINK_NONE, CN_SINK_BEFORE, CN_SINK_DIRECT } state; /* DIRECT: after the statepoint */
  LLVMValueRef before;                                         /* null after the statepoint */
  uint32_t block, pos;
  bool copy; /* `before` is none of the original function's: it stands before what has `pos` */
};
/* Move `place` to where both it and `other` can read. */
void cn_sink_join(struct cn_refs *refs, struct cn_sink_place *place, struct cn_sink_place other);
/* Choose where the definition of `point` is made that `place` reads: in no deeper loop than need
 * be. */
void cn_sink_settle(struct cn_refs *refs, uint32_t point, struct cn_sink_place *place);

/* ---- rematerialise.c: chains from a root, at the use ---- */

struct cn_copy {
  uint32_t number; /* of the root's definition */
  uint32_t block;
  uint32_t older; /* copy of the same chain, + 1 */
  LLVMValueRef value;
};
/* The copies of one root's chains that were made. */
struct cn_rematerialised_copies {
  CN_VECTOR(struct cn_copy) made;
  struct cn_ptrmap newest; /* index of the chain's end + 1 as a pointer -> index of `made` + 1 */
};
LLVMValueRef cn_rematerialised_copies_find(struct cn_rematerialised_copies *copies, struct cn_refs *refs, uint32_t via,
                                           uint32_t number, uint32_t block);
void cn_rematerialised_copies_add(struct cn_rematerialised_copies *copies, uint32_t via, uint32_t number,
                                  uint32_t block, LLVMValueRef value);
void cn_rematerialised_copies_free(struct cn_rematerialised_copies *copies);
/* Compute `value` again before an instruction. The caller sets the root as operand 0 of *first, the
 * first instruction of the copy. */
LLVMValueRef cn_rematerialise_chain(LLVMBuilderRef builder, const struct cn_refs *refs, uint32_t value, uint32_t root,
                                    LLVMValueRef before, LLVMValueRef *first);

/* ---- rematerialise.c: anything from the base, after the safepoint ---- */

/* An operand of what was computed again, which must be what its base is after `point`. */
struct cn_extra {
  LLVMValueRef user;
  uint32_t operand, point;
  uint32_t next; /* extra of the same base */
  struct cn_sink_place place;
};
struct cn_rematerialised {
  CN_VECTOR(uint32_t) order; /* values that are computed again: from users to operands */
  CN_VECTOR(struct cn_extra) extras;
  uint32_t *first, *last; /* per value; null if nothing is computed again */
};
void cn_rematerialised_init(struct cn_rematerialised *remade, const struct cn_refs *refs);
void cn_rematerialised_free(struct cn_rematerialised *remade);
const struct cn_extra *cn_rematerialised_first(const struct cn_rematerialised *remade, uint32_t base);
const struct cn_extra *cn_rematerialised_next(const struct cn_rematerialised *remade, const struct cn_extra *extra);
/* Compute `value` as it is after `point`. */
LLVMValueRef cn_rematerialise_at(struct cn_rematerialised *remade, struct cn_emitter *emitter, struct cn_refs *refs,
                                 uint32_t value, uint32_t point, const struct cn_sink_place *place);

/* Choose crossing values that are computed again from their bases, and take them out of the live
 * sets. */
void cn_rematerialise_plan(struct cn_refs *refs);

#endif
