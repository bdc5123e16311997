/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of what an intrinsic does to references (intrinsics.def). Every pass that decides
 * by intrinsics asks it; verify-barriers goes by LLVM's attributes besides.
 */
#ifndef CN_COMPILE_EFFECTS_INTRINSICS_H
#define CN_COMPILE_EFFECTS_INTRINSICS_H

#include "compile/core/pass.h"

enum cn_effect {
  CN_EFFECT_NONE,    /* neither reads, writes nor yields one */
  CN_EFFECT_SAME,    /* yields operand `place` */
  CN_EFFECT_INSIDE,  /* yields a place in the object of operand `place` */
  CN_EFFECT_LANES,   /* yields lanes of its operands */
  CN_EFFECT_BASE,    /* yields the start of an object, or something that does not move */
  CN_EFFECT_LOAD,    /* reads lanes */
  CN_EFFECT_STORE,   /* writes lanes */
  CN_EFFECT_COPY,    /* copies bytes from operand 1 to operand `place` */
  CN_EFFECT_BYTES,   /* writes bytes, which are no references */
  CN_EFFECT_PATTERN, /* writes a value several times */
  CN_EFFECT_CALL,    /* runs other code */
};

struct cn_intrinsic {
  const char *name;
  enum cn_effect effect;
  int place, value, mask, length; /* operands, or -1 */
};

/* The row of the intrinsic that `instruction` calls, or null. */
const struct cn_intrinsic *cn_intrinsic_of(LLVMValueRef instruction);

/* The same by LLVM's number. */
const struct cn_intrinsic *cn_intrinsic_row(unsigned id);

/* Does it have this effect? */
bool cn_intrinsic_does(LLVMValueRef instruction, enum cn_effect effect);

/* Does it copy or fill bytes, and is operand 3 true if it is volatile? */
bool cn_intrinsic_is_block(LLVMValueRef instruction);

/* May the intrinsic run code of the program or of a runtime? True unless its row, LLVM's attribute
 * nocallback or a row of CN_IN_LINE says otherwise, or it is an instruction of the port. */
bool cn_intrinsic_runs_code(LLVMValueRef intrinsic);

/* Does the call of an intrinsic yield a reference, or is it given one? */
bool cn_intrinsic_touches(LLVMValueRef call);

#endif
