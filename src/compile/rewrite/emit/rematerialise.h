/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of relocated values, and values that are computed again instead (sink_relocates.c, rematerialise.c). Private
 * to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H
#define CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H

#include "compile/rewrite/emit/emitter.h"

/* ---- sink_relocates.c ---- */

/* The place of a definition that is to be made. */
struct cn_sink_place {
  enum {
    CN_SINK_UNREAD,
    CN_SINK_BEFORE_INSTRUCTION,
    CN_SINK_AFTER_STATEPOINT
  } state;             /* DIRECT: after the statepoint */
  LLVMValueRef before; /* null after the statepoint */
  uint32_t block, pos;
  bool copy; /* `before` is a copy made here: it stands before the instruction at `pos` */
};
/* Move `place` to a place that both it and `other` can read. */
void cn_sink_join_places(struct cn_refs *refs, struct cn_sink_place *place, struct cn_sink_place other);
/* Choose the place of the definition of `point` that `place` reads: in as shallow a loop as possible. */
void cn_sink_choose_place(struct cn_refs *refs, uint32_t point, struct cn_sink_place *place);

/* ---- rematerialise.c: chains from a root, at the use ---- */

struct cn_chain_copy {
  uint32_t number; /* of the root's definition */
  uint32_t block;
  uint32_t older; /* copy of the same chain made last, + 1 */
  LLVMValueRef value;
};
/* The copies of one root's chains that were made. */
struct cn_rematerialised_copies {
  CN_VECTOR(struct cn_chain_copy) made;
  struct cn_ptrmap newest; /* index of the chain's end + 1 as a pointer -> index of `made` + 1 */
};
LLVMValueRef cn_rematerialised_copies_find(struct cn_rematerialised_copies *copies, struct cn_refs *refs, uint32_t via,
                                           uint32_t number, uint32_t block);
void cn_rematerialised_copies_add(struct cn_rematerialised_copies *copies, uint32_t via, uint32_t number,
                                  uint32_t block, LLVMValueRef value);
void cn_rematerialised_copies_free(struct cn_rematerialised_copies *copies);
/* Compute `value` again before an instruction. The caller sets the root as operand 0 of *first, the
 * first instruction of the copy. */
LLVMValueRef cn_rematerialise_gep_chain(LLVMBuilderRef builder, const struct cn_refs *refs, uint32_t value,
                                        uint32_t root, LLVMValueRef before, LLVMValueRef *first);

/* ---- rematerialise.c: anything from the base, after the safepoint ---- */

/* An operand of a value that was computed again; it must become the base's value after `point`. */
struct cn_rematerialised_read {
  LLVMValueRef user;
  uint32_t operand, point;
  uint32_t next; /* next operand that reads the same base */
  struct cn_sink_place place;
};
struct cn_rematerialised {
  CN_VECTOR(uint32_t) order; /* values that are computed again: from users to operands */
  CN_VECTOR(struct cn_rematerialised_read) extras;
  uint32_t *first, *last; /* per value; null if all values are relocated */
};
void cn_rematerialised_init(struct cn_rematerialised *remade, const struct cn_refs *refs);
void cn_rematerialised_free(struct cn_rematerialised *remade);
const struct cn_rematerialised_read *cn_rematerialised_first_read(const struct cn_rematerialised *remade,
                                                                  uint32_t base);
const struct cn_rematerialised_read *cn_rematerialised_next_read(const struct cn_rematerialised *remade,
                                                                 const struct cn_rematerialised_read *extra);
/* Compute the value that `value` has after `point`. */
LLVMValueRef cn_rematerialise_after_point(struct cn_rematerialised *remade, struct cn_emitter *emitter,
                                          struct cn_refs *refs, uint32_t value, uint32_t point,
                                          const struct cn_sink_place *place);

/* Choose crossing values that are computed again from their bases, and take them out of the live sets. */
void cn_rematerialise_choose_values(struct cn_refs *refs);

#endif
