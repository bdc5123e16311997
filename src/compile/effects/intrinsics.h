/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the effects of intrinsics on references (intrinsics.def). All passes use this table; verify-barriers
 * also checks LLVM's attributes.
 */
#ifndef CN_COMPILE_EFFECTS_INTRINSICS_H
#define CN_COMPILE_EFFECTS_INTRINSICS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

enum cn_effect {
  CN_EFFECT_NONE,    /* no effect on references */
  CN_EFFECT_SAME,    /* returns operand `place` */
  CN_EFFECT_INSIDE,  /* returns an address in the object of operand `place` */
  CN_EFFECT_LANES,   /* returns lanes of its operands */
  CN_EFFECT_BASE,    /* returns a base pointer or an immovable reference */
  CN_EFFECT_LOAD,    /* reads lanes from memory */
  CN_EFFECT_STORE,   /* writes lanes to memory */
  CN_EFFECT_COPY,    /* copies bytes from operand 1 to operand `place` */
  CN_EFFECT_BYTES,   /* writes bytes other than references */
  CN_EFFECT_PATTERN, /* writes a value several times */
  CN_EFFECT_CALL,    /* runs other code */
  CN_EFFECT_POINT,   /* a point, where a runtime may put code that keeps its operands (docs/patching.md) */
};

struct cn_intrinsic {
  const char *name;
  enum cn_effect effect;
  int place, value, mask, length; /* operands, or -1 */
};

/* The row of the intrinsic that `instruction` calls, or null. */
const struct cn_intrinsic *cn_intrinsic_row_of_call(LLVMValueRef instruction);

/* The row of the intrinsic with LLVM's number `id`, or null. */
const struct cn_intrinsic *cn_intrinsic_row_of_id(unsigned id);

bool cn_intrinsic_has_effect(LLVMValueRef instruction, enum cn_effect effect);

/* True for a copy or fill of bytes whose operand 3 tells whether the access is volatile. */
bool cn_is_block_copy_or_fill(LLVMValueRef instruction);

/* True if the intrinsic may run code of the program or of a runtime. False if its row, LLVM's attribute nocallback or a
 * row of CN_IN_LINE excludes this, or if the intrinsic is an instruction of the target. */
bool cn_intrinsic_runs_code(LLVMValueRef intrinsic);

/* True if the call of an intrinsic has a reference as result or operand. */
bool cn_call_touches_references(LLVMValueRef call);

/* ---- ir_kinds.c ---- */

/* The opcodes, kinds of types and constants of LLVM 22, whose effects on references every pass handles. Cairn refuses
 * all others, because they could hide or move a reference. */

bool cn_is_known_opcode(LLVMOpcode opcode);

bool cn_is_known_type_kind(LLVMTypeKind kind);
/* True if the type and all its parts have known kinds. `met` has the types visited before, so that shared parts are
 * visited once. */
bool cn_is_known_type(struct cn_ptrmap *met, LLVMTypeRef type);

/* True if `kind` is a known kind of constants of types of kind `type`. */
bool cn_is_known_value_kind(LLVMValueKind kind, LLVMTypeKind type);
bool cn_is_known_constant_expression(LLVMOpcode opcode);
/* True if the constant and all its parts have known kinds. `met` has the types and constants visited before. */
bool cn_is_known_constant(struct cn_ptrmap *met, LLVMValueRef constant);

#endif
