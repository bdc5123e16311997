/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of relocates, and values that are rematerialised instead of relocated (sink_relocates.c, rematerialise.c).
 * Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H
#define CN_COMPILE_REWRITE_EMIT_REMATERIALISE_H

#include "compile/rewrite/emit/emitter.h"

/* ---- sink_relocates.c ---- */

/* The place for a definition that is not built yet. */
struct cn_sink_place {
  enum {
    CN_SINK_UNREAD,
    CN_SINK_BEFORE_INSTRUCTION,
    CN_SINK_AFTER_STATEPOINT
  } state;             /* DIRECT: after the statepoint */
  LLVMValueRef before; /* null after the statepoint */
  uint32_t block, pos;
  bool copy; /* `before` is a new copy, directly before the instruction at `pos` */
};
/* Move `place` to a place that dominates both `place` and `other`. */
void cn_sink_join_places(struct cn_refs *refs, struct cn_sink_place *place, struct cn_sink_place other);
/* Move `place`, the first read of a definition of `point`, to the definition's place, in a loop as shallow as
 * possible. */
void cn_sink_choose_place(struct cn_refs *refs, uint32_t point, struct cn_sink_place *place);

/* ---- rematerialise.c: chains from a root, at the use ---- */

struct cn_chain_copy {
  uint32_t number; /* the number of the root's definition */
  uint32_t block;
  uint32_t older; /* 1 + the index of the previous copy of this chain */
  LLVMValueRef value;
};
/* All copies of chains with one root. */
struct cn_rematerialised_copies {
  CN_VECTOR(struct cn_chain_copy) made;
  struct cn_ptrmap newest; /* 1 + index of the chain's end, as a pointer -> 1 + index of its newest copy in `made` */
};
LLVMValueRef cn_rematerialised_copies_find(struct cn_rematerialised_copies *copies, struct cn_refs *refs, uint32_t via,
                                           uint32_t number, uint32_t block);
void cn_rematerialised_copies_add(struct cn_rematerialised_copies *copies, uint32_t via, uint32_t number,
                                  uint32_t block, LLVMValueRef value);
void cn_rematerialised_copies_free(struct cn_rematerialised_copies *copies);
/* Build a copy of the GEP chain of `value` before an instruction. The caller sets operand 0 of *first, the first
 * instruction of the copy, to the root. */
LLVMValueRef cn_rematerialise_gep_chain(LLVMBuilderRef builder, const struct cn_refs *refs, uint32_t value,
                                        uint32_t root, LLVMValueRef before, LLVMValueRef *first);

/* ---- rematerialise.c: anything from the base, after the safepoint ---- */

/* An operand of a rematerialised value that must become the value of the base after `point`. */
struct cn_rematerialised_read {
  LLVMValueRef user;
  uint32_t operand, point;
  uint32_t next; /* the next read of the same base */
  struct cn_sink_place place;
};
struct cn_rematerialised {
  CN_VECTOR(uint32_t) order; /* rematerialised values, users before operands */
  CN_VECTOR(struct cn_rematerialised_read) extras;
  uint32_t *first, *last; /* per value: its first and last read in `extras`; null if all values are relocated */
};
void cn_rematerialised_init(struct cn_rematerialised *remade, const struct cn_refs *refs);
void cn_rematerialised_free(struct cn_rematerialised *remade);
const struct cn_rematerialised_read *cn_rematerialised_first_read(const struct cn_rematerialised *remade,
                                                                  uint32_t base);
const struct cn_rematerialised_read *cn_rematerialised_next_read(const struct cn_rematerialised *remade,
                                                                 const struct cn_rematerialised_read *extra);
/* Build a copy of the tree of `value` after `point`. */
LLVMValueRef cn_rematerialise_after_point(struct cn_rematerialised *remade, struct cn_emitter *emitter,
                                          struct cn_refs *refs, uint32_t value, uint32_t point,
                                          const struct cn_sink_place *place);

/* Choose the crossing values to rematerialise from their bases, and remove them from the live sets. */
void cn_rematerialise_choose_values(struct cn_refs *refs);

#endif
