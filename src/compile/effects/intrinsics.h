/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of the effects of intrinsics on references (intrinsics.def). Every pass that decides by intrinsics asks
 * it; verify-barriers consults LLVM's attributes besides.
 */
#ifndef CN_COMPILE_EFFECTS_INTRINSICS_H
#define CN_COMPILE_EFFECTS_INTRINSICS_H

#include "compile/core/pass.h"

enum cn_effect {
  CN_EFFECT_NONE,    /* leaves references alone */
  CN_EFFECT_SAME,    /* yields operand `place` */
  CN_EFFECT_INSIDE,  /* yields a place in the object of operand `place` */
  CN_EFFECT_LANES,   /* yields lanes of its operands */
  CN_EFFECT_BASE,    /* yields the start of an object, or something immovable */
  CN_EFFECT_LOAD,    /* reads lanes */
  CN_EFFECT_STORE,   /* writes lanes */
  CN_EFFECT_COPY,    /* copies bytes from operand 1 to operand `place` */
  CN_EFFECT_BYTES,   /* writes bytes other than references */
  CN_EFFECT_PATTERN, /* writes a value several times */
  CN_EFFECT_CALL,    /* runs other code */
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

/* True if the called intrinsic has this effect. */
bool cn_intrinsic_has_effect(LLVMValueRef instruction, enum cn_effect effect);

/* True if it copies or fills bytes, and its operand 3 tells whether it is volatile. */
bool cn_is_block_copy_or_fill(LLVMValueRef instruction);

/* True if the intrinsic may run code of the program or of a runtime: unless its row, LLVM's attribute nocallback or a
 * row of CN_IN_LINE says otherwise, or it is an instruction of the port. */
bool cn_intrinsic_runs_code(LLVMValueRef intrinsic);

/* True if the call of an intrinsic yields or is given a reference. */
bool cn_call_touches_references(LLVMValueRef call);

#endif
