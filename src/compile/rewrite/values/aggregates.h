/* SPDX-License-Identifier: Apache-2.0
 *
 * The splitting of vectors and aggregates of references into scalars, shared by aggregates.c and aggregates_parts.c.
 * Private to src/compile.
 *
 * The numbers of the *parts* of a value continue through nested types. A component of any type without references is
 * one part.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_AGGREGATES_H
#define CN_COMPILE_REWRITE_VALUES_AGGREGATES_H

#include "compile/rewrite/values/refs.h"

struct cn_aggregate_parts {
  LLVMValueRef *at;
  uint32_t count;
};

struct cn_aggregate_splitter {
  struct cn_ctx *ctx;
  const struct cn_refs *refs;
  LLVMBuilderRef builder;
  struct cn_ptrmap split; /* value -> index of `parts` */
  CN_VECTOR(struct cn_aggregate_parts) parts;
  CN_VECTOR(LLVMValueRef) todo; /* values whose parts are not found yet, operands after their users */
  CN_VECTOR(LLVMValueRef) phis; /* phis whose parts still lack incoming values */
  CN_VECTOR(LLVMValueRef) dead; /* values to delete at the end if they are then unused */
  struct cn_ptrmap mortal;      /* the values of `dead` */
  struct cn_ptrmap erased;
};

/* The parts of `value`; a scalar is its only part. The result is valid until the splitter is freed. Phis among the
 * parts get their incoming values from cn_parts_fill_phis(). */
struct cn_aggregate_parts cn_parts_of(struct cn_aggregate_splitter *s, LLVMValueRef value);
void cn_parts_fill_phis(struct cn_aggregate_splitter *s);
/* Build a value of `type` from the parts that begin at number *at, and advance *at past these parts. */
LLVMValueRef cn_parts_build_aggregate(struct cn_aggregate_splitter *s, LLVMTypeRef type, const LLVMValueRef *parts,
                                      uint32_t *at);
/* The number of the first part of the component that an insertvalue or extractvalue selects. */
uint32_t cn_parts_first_of_component(LLVMValueRef instruction);
/* True if `value` comes from memory or another function, so that the origin of its parts is unknown. */
bool cn_parts_have_unknown_origin(LLVMValueRef value);
/* Delete `value` at the end of the splitting if it is then unused. */
void cn_parts_delete_if_unused(struct cn_aggregate_splitter *s, LLVMValueRef value);

/* Set the builder to the place before `instruction`, with the instruction's debug location. */
void cn_parts_set_insertion_point(struct cn_aggregate_splitter *s, LLVMValueRef instruction);
/* Build the test `index` == i. */
LLVMValueRef cn_parts_build_index_test(struct cn_aggregate_splitter *s, LLVMValueRef index, uint32_t i);

#endif
