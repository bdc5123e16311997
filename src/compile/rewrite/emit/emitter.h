/* SPDX-License-Identifier: Apache-2.0
 *
 * The emitter of statepoints and relocates for pass rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_EMITTER_H
#define CN_COMPILE_REWRITE_EMIT_EMITTER_H

#include "compile/markers/spans.h"
#include "compile/rewrite/emit/statepoint_templates.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/values/refs.h"

#define CN_SMALL_NUMBERS 1024
/* The most relocations of a module that get names (cn_refs_may_name_values()). */
#define CN_NAMED_RELOCATIONS 10000

/* The operands of one statepoint, in memory that all statepoints reuse. */
struct cn_statepoint_scratch {
  struct cn_operands args, deopt, transition, live, funclet;
};

struct cn_emitter {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef relocate, statepoint; /* declarations */
  LLVMTypeRef i32, i64;
  unsigned elementtype; /* attribute kind */
  bool bases_asked;     /* some function asks for the bases of pointers */
  size_t relocations;   /* the number of relocations so far, in all functions */
  bool names;           /* new values in this function get names; a name costs as much time as a value */
  LLVMValueRef numbers[CN_SMALL_NUMBERS]; /* constants, made on first use */
  uint64_t id;                            /* the last statepoint id, and its constant */
  LLVMValueRef id_constant;
  LLVMTypeRef result_type;
  LLVMValueRef result; /* the declaration of gc.result for `result_type` */
  struct cn_described_allocas described;
  struct cn_span_operands spans;
  struct cn_statepoint_scratch scratch;
  struct cn_templates templates;
};

/* A constant of 32 bits. */
LLVMValueRef cn_emitter_i32_constant(struct cn_emitter *e, uint64_t n);
/* Build a call without attributes and name at the builder's place. */
LLVMValueRef cn_emitter_build_call(struct cn_emitter *e, LLVMValueRef declaration, LLVMValueRef *args, unsigned count);
/* Set the builder to the place after a definition, with the definition's debug location. */
void cn_emitter_move_after_definition(struct cn_emitter *e, LLVMValueRef instruction);

/* Build a gc.relocate of `value` at `point`, directly after the point or before an instruction. */
LLVMValueRef cn_emit_relocate(struct cn_emitter *emitter, struct cn_refs *refs, uint32_t point, uint32_t value,
                              LLVMValueRef before);
/* As cn_emit_relocate(), for the unwind edge: the gc.relocate uses the token of the landing pad (token_pads.c). */
LLVMValueRef cn_emit_relocate_in_pad(struct cn_emitter *emitter, const struct cn_refs *refs, uint32_t point,
                                     uint32_t value);
/* Set the builder to the place after `point` and the relocates that follow it. */
void cn_emitter_move_after_point(struct cn_emitter *emitter, const struct cn_refs *refs, uint32_t point);
LLVMBuilderRef cn_emitter_builder(const struct cn_emitter *emitter);
/* True if new values in this function get names. */
bool cn_emitter_has_names(const struct cn_emitter *emitter);
/* Make `use` read `to`, in the statepoint if the user is a wrapped call; make the gc-live entry of `value` at `point`
 * read `to`. */
void cn_emitter_replace_use(const struct cn_refs *refs, const struct cn_ref_use *use, LLVMValueRef to);
void cn_emitter_replace_live_entry(const struct cn_refs *refs, uint32_t point, uint32_t value, LLVMValueRef to);

/* statepoint_call.c: wrap one call. The gc-live entries are the original values, which cn_relocate() later replaces. */
void cn_emit_statepoint(struct cn_emitter *e, struct cn_refs *refs, struct cn_parse_point *point);

/* ---- relocate.c ---- */

struct cn_variables;

/* Relocate all values, and insert the records that `variables` needs. */
void cn_relocate(struct cn_emitter *emitter, struct cn_refs *refs, struct cn_variables *variables);

/* ---- address_spaces.c ---- */

/* Refuse managed address spaces that LLVM's strategies cannot support. */
bool cn_address_spaces_check(struct cn_ctx *ctx);
/* Cast references in other address spaces to space 1 and back at statepoints. */
void cn_address_spaces_lower(struct cn_ctx *ctx, LLVMValueRef function);

#endif
