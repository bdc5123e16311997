/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the table of the effects of intrinsics on references (intrinsics.def), and finds an intrinsic's row by LLVM's
 * number for the intrinsic; tells whether an intrinsic runs other code. Each thread caches the numbers. A search by
 * prefix would also match intrinsics of later LLVM versions, such as llvm.vp.load.ff for llvm.vp.load. Needs, breaks:
 * nothing. Provides: rows (struct cn_intrinsic), and queries of calls.
 */
#include "compile/effects/intrinsics.h"

#include <string.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"

static const struct cn_intrinsic intrinsic_rows[] = {
#define CN_INTRINSIC(name, effect, place, value, mask, length) {name, CN_EFFECT_##effect, place, value, mask, length},
#define CN_IN_LINE(name)
#include "compile/effects/intrinsics.def"
#undef CN_INTRINSIC
#undef CN_IN_LINE
};

static const char *const callback_free_intrinsics[] = {
#define CN_INTRINSIC(name, effect, place, value, mask, length)
#define CN_IN_LINE(name) name,
#include "compile/effects/intrinsics.def"
#undef CN_INTRINSIC
#undef CN_IN_LINE
};

static const struct cn_intrinsic *find_row_by_id(unsigned id)
{
  for (size_t i = 0; i < sizeof intrinsic_rows / sizeof *intrinsic_rows; i++)
    if (cn_intrinsic_id(intrinsic_rows[i].name) == id)
      return &intrinsic_rows[i];
  return NULL;
}

const struct cn_intrinsic *cn_intrinsic_row_of_id(unsigned id)
{
  enum { ROW_CACHE_CELLS = 256 };
  static _Thread_local struct {
    unsigned id;
    const struct cn_intrinsic *row;
  } cells[ROW_CACHE_CELLS];

  if (id == 0)
    return NULL;
  if (cells[id % ROW_CACHE_CELLS].id != id) {
    cells[id % ROW_CACHE_CELLS].row = find_row_by_id(id);
    cells[id % ROW_CACHE_CELLS].id = id;
  }
  return cells[id % ROW_CACHE_CELLS].row;
}

const struct cn_intrinsic *cn_intrinsic_row_of_call(LLVMValueRef instruction)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return NULL;
  LLVMValueRef callee = cn_direct_callee(instruction);

  return callee ? cn_intrinsic_row_of_id(LLVMGetIntrinsicID(callee)) : NULL;
}

bool cn_intrinsic_has_effect(LLVMValueRef instruction, enum cn_effect effect)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(instruction);

  return row && row->effect == effect;
}

bool cn_is_block_copy_or_fill(LLVMValueRef instruction)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(instruction);
  LLVMTypeRef last = row && (row->effect == CN_EFFECT_COPY || row->effect == CN_EFFECT_BYTES)
                         ? LLVMTypeOf(LLVMGetOperand(instruction, 3))
                         : NULL;

  return last && LLVMGetIntTypeWidth(last) == 1; /* otherwise the operand is the size of an atomic element */
}

static bool is_callback_free(unsigned id)
{
  for (size_t i = 0; i < sizeof callback_free_intrinsics / sizeof *callback_free_intrinsics; i++)
    if (cn_intrinsic_id(callback_free_intrinsics[i]) == id)
      return true;
  return false;
}

bool cn_intrinsic_runs_code(LLVMValueRef intrinsic)
{
  unsigned id = LLVMGetIntrinsicID(intrinsic), nocallback = cn_attribute_kind("nocallback");
  const struct cn_intrinsic *row = cn_intrinsic_row_of_id(id);
  size_t length;

  CN_ASSERT(id != 0);
  if (row)
    return row->effect == CN_EFFECT_CALL;
  const char *prefix = cn_convention_port_of(LLVMGetGlobalParent(intrinsic))->intrinsic_prefix;
  return !LLVMGetEnumAttributeAtIndex(intrinsic, CN_FUNCTION_INDEX, nocallback) &&
         strncmp(LLVMGetValueName2(intrinsic, &length), prefix, strlen(prefix)) != 0 && !is_callback_free(id);
}

bool cn_call_touches_references(LLVMValueRef call)
{
  CN_ASSERT(LLVMIsAInstruction(call));
  if (cn_holds_ref(LLVMTypeOf(call)))
    return true;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, a))))
      return true;
  return false;
}
