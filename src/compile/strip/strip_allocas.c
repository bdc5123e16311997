/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes the instructions that rewrite-statepoints added for described allocas (describe_allocas.c; abi.def,
 * "Described allocas"). Part of strip-statepoints. Needs: any function. Provides: locals that LLVM may promote again.
 * Breaks: nothing.
 *
 * A zeroing is removed only together with the escape directly after it: the escape clobbers memory, so LLVM cannot have
 * moved an access before the zeroing or merged one with it.
 */
#include <string.h>
#include "base/check.h"
#include "compile/markers/markers.h"
#include "compile/strip/strip.h"

static bool is_entry_instruction(LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return false;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
}

static bool text_equals(const char *text, size_t length, const char *expected)
{
  return length == strlen(expected) && memcmp(text, expected, length) == 0;
}

/* True for the empty assembly that describe_allocas.c emits. */
static bool is_escape_assembly(LLVMValueRef user)
{
  size_t length;

  if (!LLVMIsACallInst(user) || !is_entry_instruction(user))
    return false;
  LLVMValueRef code = LLVMGetCalledValue(user);
  if (!LLVMIsAInlineAsm(code) || !LLVMGetInlineAsmHasSideEffects(code))
    return false;
  const char *text = LLVMGetInlineAsmAsmString(code, &length);
  if (!text_equals(text, length, ""))
    return false;
  text = LLVMGetInlineAsmConstraintString(code, &length);
  return text_equals(text, length, "r,~{memory}");
}

/* The first address of the zeroing `i`, if it zeroes all of `alloca`, or all words after the words that the entry
 * stores; else null. */
static LLVMValueRef zeroed_start_of(LLVMValueRef i, LLVMValueRef alloca)
{
  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (!cn_calls_intrinsic(i, "llvm.memset") || !LLVMIsNull(LLVMGetOperand(i, 1)))
    return NULL;
  LLVMValueRef start = LLVMGetOperand(i, 0);
  bool later = LLVMIsAGetElementPtrInst(start) && LLVMGetOperand(start, 0) == alloca;
  return start == alloca || later ? start : NULL;
}

static void remove_zeroing_and_escape(LLVMValueRef alloca)
{
  LLVMValueRef escape = NULL;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  for (LLVMUseRef use = LLVMGetFirstUse(alloca); use && !escape; use = LLVMGetNextUse(use))
    if (is_escape_assembly(LLVMGetUser(use)))
      escape = LLVMGetUser(use);
  if (!escape)
    return;
  LLVMValueRef zero = LLVMGetPreviousInstruction(escape);
  LLVMValueRef start = zero ? zeroed_start_of(zero, alloca) : NULL;
  if (start) {
    LLVMInstructionEraseFromParent(zero);
    if (start != alloca && !LLVMGetFirstUse(start))
      LLVMInstructionEraseFromParent(start);
  }
  LLVMInstructionEraseFromParent(escape);
}

/* Mark the language's own words again, which the bundle describes. */
static void mark_user_root(struct cn_ctx *ctx, LLVMOperandBundleRef bundle, uint32_t i, uint32_t end)
{
  struct cn_user_root word = {.alloca = LLVMGetOperandBundleArgAtIndex(bundle, i)};
  uint64_t references;

  if (end - i < 7 || !cn_strip_read_number(LLVMGetOperandBundleArgAtIndex(bundle, i + 3), &references) || references ||
      !cn_strip_read_number(LLVMGetOperandBundleArgAtIndex(bundle, i + 4), &word.offset))
    return;
  word.tag = LLVMGetOperandBundleArgAtIndex(bundle, i + 5);
  word.parameter = LLVMGetOperandBundleArgAtIndex(bundle, i + 6);
  if (cn_strip_read_number(word.tag, &references) && cn_strip_read_number(word.parameter, &references))
    cn_user_roots_build_marker(ctx, &word);
}

void cn_strip_alloca_preparations(struct cn_ctx *ctx, LLVMOperandBundleRef bundle, uint32_t own, struct cn_ptrmap *seen)
{
  uint32_t end = LLVMGetNumOperandBundleArgs(bundle);

  for (uint32_t i = own; i < end; i++) {
    LLVMValueRef operand = LLVMGetOperandBundleArgAtIndex(bundle, i);
    bool fresh = false;
    if (!LLVMIsAAllocaInst(operand))
      continue;
    cn_ptrmap_add(seen, operand, &fresh);
    if (fresh)
      remove_zeroing_and_escape(operand);
    mark_user_root(ctx, bundle, i, end);
  }
}
