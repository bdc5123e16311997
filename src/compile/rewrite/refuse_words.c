/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses pointers into objects that look like immediates (docs/words.md). Part of rewrite-statepoints. In a module
 * whose words may be immediates, the low bits of a word in memory, an argument or a result tell a reference from an
 * immediate. A derived pointer that stays within its function is found by its base. A derived pointer that a function
 * stores, passes on or returns must have the low bits of a reference: its distance from its base must be a multiple of
 * the range of these bits. Needs: any function. Provides: diagnostics of rule unaligned-word. Breaks: nothing.
 */
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/words.h"
#include "compile/effects/intrinsics.h"
#include "compile/rewrite/refuse.h"

/* True if the leaf stores a word or returns a word. All other leaves only read their arguments. */
static bool may_keep_word(LLVMValueRef call)
{
  static const char handles[] = "cairn_handle_"; /* <cairn/handle.h> */
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;

  return (cn_holds_ref(LLVMTypeOf(call)) && !cn_calls_some_intrinsic(call)) ||
         cn_intrinsic_has_effect(call, CN_EFFECT_POINT) ||
         (callee && strncmp(LLVMGetValueName2(callee, &length), handles, sizeof handles - 1) == 0);
}

/* True if the operand leaves the function as a word in memory, an argument or a result. */
static bool is_word_leaving_function(LLVMValueRef i, unsigned operand)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore:
    return operand == 0;
  case LLVMRet:
  case LLVMResume:
    return true;
  case LLVMAtomicRMW:
    return operand == 1;
  case LLVMAtomicCmpXchg:
    return operand == 2;
  default:
    return cn_is_call(i) && operand < LLVMGetNumArgOperands(i) &&
           ((cn_classify_call(i).kind != CN_CALL_LEAF && !cn_calls_keeps_objects_in_place(i)) || may_keep_word(i));
  }
}

void cn_refuse_unaligned_words(struct cn_ctx *ctx, LLVMValueRef function, struct cn_function_check *judge)
{
  struct cairn_word_kind kind = cn_words(ctx);

  if (kind.reference_bits == 0)
    return;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
        if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, o))) && is_word_leaving_function(i, o) &&
            !cn_words_prove_tag_bits(ctx, kind, LLVMGetOperand(i, o)))
          cn_refuse_at(judge, i, "unaligned-word",
                       "a pointer into an object is stored, passed on or returned, and may end as "
                       "an immediate does: the collector would not update it; pass the object and "
                       "a distance");
}
