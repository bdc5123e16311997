/* SPDX-License-Identifier: Apache-2.0
 *
 * The splitting of vectors and aggregates of references into scalars, shared by aggregates.c and aggregates_parts.c.
 * Private to src/compile.
 *
 * The *parts* of a value are numbered through nested types. A component without references is one part, of any type.
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
  CN_VECTOR(LLVMValueRef) todo; /* being split; their operands above them */
  CN_VECTOR(LLVMValueRef) phis; /* phis with parts that still lack incoming values */
  CN_VECTOR(LLVMValueRef) dead; /* to delete at the end, if unused then */
  struct cn_ptrmap mortal;      /* the values of `dead` */
  struct cn_ptrmap erased;
};

/* The parts of `value`; a scalar is its own part. Valid until the splitter is freed. Phis among them get their incoming
 * values from cn_parts_fill_phis(). */
struct cn_aggregate_parts cn_parts_of(struct cn_aggregate_splitter *s, LLVMValueRef value);
void cn_parts_fill_phis(struct cn_aggregate_splitter *s);
/* Build a value of `type` from the parts from number *at on, and advance *at past them. */
LLVMValueRef cn_parts_build_aggregate(struct cn_aggregate_splitter *s, LLVMTypeRef type, const LLVMValueRef *parts,
                                      uint32_t *at);
/* The number of the first part of the component that the indices of an insertvalue or extractvalue name. */
uint32_t cn_parts_first_of_component(LLVMValueRef instruction);
/* True if the parts come from memory or another function: their origin is unknown. */
bool cn_parts_have_unknown_origin(LLVMValueRef value);
/* Delete `value` at the end if it is unused then. */
void cn_parts_delete_if_unused(struct cn_aggregate_splitter *s, LLVMValueRef value);

/* Build before `instruction`, with its debug location. */
void cn_parts_set_insertion_point(struct cn_aggregate_splitter *s, LLVMValueRef instruction);
/* `index` == i, built. */
LLVMValueRef cn_parts_build_index_test(struct cn_aggregate_splitter *s, LLVMValueRef index, uint32_t i);

#endif
