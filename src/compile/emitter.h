/* SPDX-License-Identifier: Apache-2.0
 *
 * What emits statepoints and relocates for pass rewrite-statepoints: statepoints.c and
 * statepoint_call.c share it.
 */
#ifndef CN_COMPILE_EMITTER_H
#define CN_COMPILE_EMITTER_H

#include "compile/rewrite.h"
#include "compile/spans.h"
#include "compile/templates.h"

#define CN_SMALL_NUMBERS 1024
/* In a module with more relocations than this the rest is not named, as in cn_refs_named(). */
#define CN_NAMED_RELOCATIONS 10000

/* Of one statepoint; the memory serves the next. */
struct cn_scratch {
  struct cn_operands args, deopt, transition, live, funclet;
};

struct cn_emitter {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef relocate, statepoint; /* declarations */
  LLVMTypeRef i32, i64;
  unsigned elementtype; /* attribute kind */
  bool bases_asked;     /* some function asks for the bases of pointers */
  size_t relocations;   /* in the functions until now */
  bool names;           /* of values made in this function: they cost as much as the values */
  LLVMValueRef numbers[CN_SMALL_NUMBERS]; /* made when asked for */
  uint64_t id; /* the last statepoint id, and its constant */
  LLVMValueRef id_constant;
  LLVMTypeRef result_type;
  LLVMValueRef result; /* the declaration of gc.result for that type */
  struct cn_described described;
  struct cn_span_tails spans;
  struct cn_scratch scratch;
  struct cn_templates templates;
};

/* A constant of 32 bits. */
LLVMValueRef cn_emitter_number(struct cn_emitter *e, uint64_t n);
/* A call without attributes and name, at the builder's place. */
LLVMValueRef cn_emitter_call(struct cn_emitter *e, LLVMValueRef declaration, LLVMValueRef *args,
                             unsigned count);
/* Build after a definition, with its debug location. */
void cn_emitter_behind(struct cn_emitter *e, LLVMValueRef instruction);

/* statepoint_call.c: wrap one call. The gc-live entries still are the original values;
 * cn_relocate() puts the right ones in. */
void cn_emit_statepoint(struct cn_emitter *e, struct cn_refs *refs, struct cn_parse_point *point);

#endif
