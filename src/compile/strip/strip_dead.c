/* SPDX-License-Identifier: Apache-2.0
 *
 * Deletes computations that only statepoints needed: conversions to and from the managed address space of LLVM's code
 * generator, base phis and selects (also in cycles), rematerialised computations, and distances. Part of
 * strip-statepoints. Needs: any function. Provides: every remaining computation of a pointer is used. Breaks: only the
 * deleted values.
 */
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/strip/strip.h"

struct liveness_marker {
  LLVMValueRef ptrdiff; /* the function, or null */
  CN_VECTOR(LLVMValueRef) candidates, work;
  struct cn_ptrmap live; /* candidate -> 1 if a use needs it, 0 before such a use is found */
};

/* True if `i` is a computation of a pointer or a distance without side effects. */
static bool computes_pointer_or_distance(const struct liveness_marker *m, LLVMValueRef i)
{
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPtrToInt:
  case LLVMSub:
    return true;
  case LLVMPHI:
    return kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind;
  case LLVMCall:
    return m->ptrdiff && LLVMGetCalledValue(i) == m->ptrdiff;
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
    return kind == LLVMPointerTypeKind;
  default:
    return false;
  }
}

static void mark_live(struct liveness_marker *m, LLVMValueRef value)
{
  uint64_t *live = cn_ptrmap_find(&m->live, value);

  if (live && !*live) {
    *live = 1;
    cn_push(&m->work, value);
  }
}

static void mark_operands_live(struct liveness_marker *m, LLVMValueRef i)
{
  for (int o = 0, count = LLVMGetNumOperands(i); o < count; o++)
    mark_live(m, LLVMGetOperand(i, (unsigned)o));
}

void cn_strip_dead_pointers(LLVMValueRef function)
{
  struct liveness_marker m = {.ptrdiff = LLVMGetNamedFunction(LLVMGetGlobalParent(function), CN_PTRDIFF)};

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (computes_pointer_or_distance(&m, i)) {
        cn_ptrmap_add(&m.live, i, NULL);
        cn_push(&m.candidates, i);
      }
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (!computes_pointer_or_distance(&m, i))
        mark_operands_live(&m, i);
  CN_ASSERT(m.work.count <= m.candidates.count);
  while (m.work.count)
    mark_operands_live(&m, m.work.at[--m.work.count]);
  for (size_t c = 0; c < m.candidates.count; c++)
    if (!*cn_ptrmap_find(&m.live, m.candidates.at[c]))
      LLVMReplaceAllUsesWith(m.candidates.at[c], LLVMGetPoison(LLVMTypeOf(m.candidates.at[c])));
  for (size_t c = 0; c < m.candidates.count; c++)
    if (!*cn_ptrmap_find(&m.live, m.candidates.at[c]))
      LLVMInstructionEraseFromParent(m.candidates.at[c]);
  cn_free(&m.candidates);
  cn_free(&m.work);
  cn_ptrmap_free(&m.live);
}

void cn_strip_fold_casts(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef there = LLVMIsAAddrSpaceCastInst(i) ? LLVMGetOperand(i, 0) : NULL;
      if (!there || !LLVMIsAAddrSpaceCastInst(there))
        continue;
      LLVMValueRef value = LLVMGetOperand(there, 0);
      if (value != i && LLVMTypeOf(value) == LLVMTypeOf(i))
        LLVMReplaceAllUsesWith(i, value);
    }
}
