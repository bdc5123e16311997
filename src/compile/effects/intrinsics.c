/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds an intrinsic's row of intrinsics.def by LLVM's number for it. A name's prefix would do for
 * an intrinsic that a later LLVM adds, such as llvm.vp.load.ff beside llvm.vp.load.
 */
#include "compile/effects/intrinsics.h"

#include "base/check.h"
#include "compile/core/names.h"

static const struct cn_intrinsic rows[] = {
#define CN_INTRINSIC(name, effect, place, value, mask, length) \
  {name, CN_EFFECT_##effect, place, value, mask, length},
#include "compile/effects/intrinsics.def"
#undef CN_INTRINSIC
};

static const struct cn_intrinsic *search(unsigned id)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (cn_intrinsic_id(rows[i].name) == id)
      return &rows[i];
  return NULL;
}

const struct cn_intrinsic *cn_intrinsic_row(unsigned id)
{
  enum { CELLS = 256 };
  static _Thread_local struct {
    unsigned id;
    const struct cn_intrinsic *row;
  } cells[CELLS];

  if (id == 0)
    return NULL;
  if (cells[id % CELLS].id != id) {
    cells[id % CELLS].row = search(id);
    cells[id % CELLS].id = id;
  }
  return cells[id % CELLS].row;
}

const struct cn_intrinsic *cn_intrinsic_of(LLVMValueRef instruction)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return NULL;
  LLVMValueRef callee = cn_direct_callee(instruction);

  return callee ? cn_intrinsic_row(LLVMGetIntrinsicID(callee)) : NULL;
}

bool cn_intrinsic_does(LLVMValueRef instruction, enum cn_effect effect)
{
  const struct cn_intrinsic *row = cn_intrinsic_of(instruction);

  return row && row->effect == effect;
}

bool cn_intrinsic_touches(LLVMValueRef call)
{
  CN_ASSERT(LLVMIsAInstruction(call));
  if (cn_holds_ref(LLVMTypeOf(call)))
    return true;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, a))))
      return true;
  return false;
}

bool cn_intrinsic_is_unknown(LLVMValueRef instruction)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return false;
  return cn_calls_some_intrinsic(instruction) && !cn_intrinsic_of(instruction) &&
         cn_classify_call(instruction).kind == CN_CALL_LEAF && cn_intrinsic_touches(instruction);
}
