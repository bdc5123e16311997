/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives reference type to atomic operations on references, which clang emits as operations on i64.
 *
 * Needs: the front end's IR. Provides: atomic loads, stores, exchanges and compare-exchanges of references have
 * reference type if their operands and results go through locals of reference type; of a compare-exchange, only the
 * desired operand must. Breaks: nothing. Pass `rules` runs
 * this step before its checks, because a reference in an i64 operation breaks a rule.
 *
 * clang moves the operands through locals of reference type: it emits a `load i64` from such a local before the
 * operation, and a `store i64` to such a local after it. Only the types of these locals show that the operands are
 * references.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/source/rules.h"

static bool is_ref_local(LLVMValueRef pointer)
{
  LLVMTypeRef type = LLVMIsAAllocaInst(pointer) ? LLVMGetAllocatedType(pointer) : NULL;

  return type && cn_is_ref(type);
}

/* True if `value`, an operand of an atomic operation, is a plain i64 load of a local reference. */
static bool is_local_ref_load(LLVMValueRef value)
{
  return LLVMIsALoadInst(value) && LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic &&
         is_ref_local(LLVMGetOperand(value, 0));
}

/* True if `value` is the expected operand of a compare-exchange: a plain i64 load, of a local or of other memory. */
static bool is_plain_load(LLVMValueRef value)
{
  return LLVMIsALoadInst(value) && LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic;
}

/* True if all uses of `value` store it. */
static bool is_only_stored(LLVMValueRef value)
{
  CN_EACH_USE(use, value)
    if (!LLVMIsAStoreInst(LLVMGetUser(use)) || LLVMGetOperand(LLVMGetUser(use), 0) != value)
      return false;
  return true;
}

/* True if all uses of `value`, the result of an atomic operation, store it in local references. */
static bool is_stored_in_ref_locals(LLVMValueRef value)
{
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != value || !is_ref_local(LLVMGetOperand(user, 1)))
      return false;
  }
  return true;
}

static LLVMValueRef reload_as_reference(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef load)
{
  CN_CHECK(is_plain_load(load));
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef again = LLVMBuildLoad2(builder, cn_ref_type(ctx), LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(again, LLVMGetAlignment(load));
  return again;
}

static void erase_if_unused(LLVMValueRef value)
{
  if (!LLVMGetFirstUse(value))
    LLVMInstructionEraseFromParent(value);
}

static void replace_stored_value(LLVMBuilderRef builder, LLVMValueRef old, LLVMValueRef value)
{
  for (LLVMUseRef use; (use = LLVMGetFirstUse(old));) {
    LLVMValueRef store = LLVMGetUser(use);
    CN_CHECK(LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == old);
    LLVMPositionBuilderBefore(builder, store);
    LLVMValueRef fresh = LLVMBuildStore(builder, value, LLVMGetOperand(store, 1));
    LLVMSetAlignment(fresh, LLVMGetAlignment(store));
    LLVMInstructionEraseFromParent(store);
  }
}

static void copy_access_flags(LLVMValueRef to, LLVMValueRef from)
{
  LLVMSetVolatile(to, LLVMGetVolatile(from));
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  LLVMSetAtomicSyncScopeID(to, LLVMGetAtomicSyncScopeID(from));
}

static void retype_load(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef load)
{
  CN_ASSERT(LLVMIsALoadInst(load));
  if (!LLVMGetFirstUse(load) || !is_stored_in_ref_locals(load))
    return;
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef fresh = LLVMBuildLoad2(builder, cn_ref_type(ctx), LLVMGetOperand(load, 0), "");
  LLVMSetOrdering(fresh, LLVMGetOrdering(load));
  copy_access_flags(fresh, load);
  replace_stored_value(builder, load, fresh);
  LLVMInstructionEraseFromParent(load);
}

static void retype_store(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef store)
{
  LLVMValueRef operand = LLVMGetOperand(store, 0);

  CN_ASSERT(LLVMIsAStoreInst(store));
  if (!is_local_ref_load(operand))
    return;
  LLVMValueRef value = reload_as_reference(ctx, builder, operand);
  LLVMPositionBuilderBefore(builder, store);
  LLVMValueRef fresh = LLVMBuildStore(builder, value, LLVMGetOperand(store, 1));
  LLVMSetOrdering(fresh, LLVMGetOrdering(store));
  copy_access_flags(fresh, store);
  LLVMInstructionEraseFromParent(store);
  erase_if_unused(operand);
}

static void retype_exchange(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef exchange)
{
  LLVMValueRef operand = LLVMGetOperand(exchange, 1);

  if (LLVMGetAtomicRMWBinOp(exchange) != LLVMAtomicRMWBinOpXchg || !is_local_ref_load(operand) ||
      !is_stored_in_ref_locals(exchange))
    return;
  LLVMValueRef value = reload_as_reference(ctx, builder, operand);
  LLVMPositionBuilderBefore(builder, exchange);
  LLVMValueRef fresh = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpXchg, LLVMGetOperand(exchange, 0), value,
                                          LLVMGetOrdering(exchange), false);
  copy_access_flags(fresh, exchange);
  replace_stored_value(builder, exchange, fresh);
  LLVMInstructionEraseFromParent(exchange);
  erase_if_unused(operand);
}

/* True if all uses of a compare-exchange are extractvalues, and all uses of the extracted old value store it: the
 * program's variable for the expected value may be anywhere. */
static bool is_extracted_to_stores(LLVMValueRef compare)
{
  CN_EACH_USE(use, compare) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAExtractValueInst(user) || (LLVMGetIndices(user)[0] == 0 && !is_only_stored(user)))
      return false;
  }
  return true;
}

static void retype_compare_exchange(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef compare)
{
  LLVMValueRef expected = LLVMGetOperand(compare, 1), desired = LLVMGetOperand(compare, 2);

  if (!is_plain_load(expected) || !is_local_ref_load(desired) || !is_extracted_to_stores(compare))
    return;
  LLVMValueRef old = reload_as_reference(ctx, builder, expected), next = reload_as_reference(ctx, builder, desired);
  LLVMPositionBuilderBefore(builder, compare);
  LLVMValueRef fresh =
      LLVMBuildAtomicCmpXchg(builder, LLVMGetOperand(compare, 0), old, next, LLVMGetCmpXchgSuccessOrdering(compare),
                             LLVMGetCmpXchgFailureOrdering(compare), false);
  copy_access_flags(fresh, compare);
  LLVMSetWeak(fresh, LLVMGetWeak(compare));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(compare));) {
    LLVMValueRef extract = LLVMGetUser(use);
    CN_CHECK(LLVMIsAExtractValueInst(extract));
    unsigned index = LLVMGetIndices(extract)[0];
    LLVMPositionBuilderBefore(builder, extract);
    LLVMValueRef part = LLVMBuildExtractValue(builder, fresh, index, "");
    if (index == 0)
      replace_stored_value(builder, extract, part);
    else
      LLVMReplaceAllUsesWith(extract, part);
    LLVMInstructionEraseFromParent(extract);
  }
  LLVMInstructionEraseFromParent(compare);
  erase_if_unused(expected);
  if (desired != expected)
    erase_if_unused(desired);
}

static bool is_atomic_word_access(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMTypeRef word = LLVMInt64TypeInContext(ctx->llvm);

  if (LLVMIsALoadInst(i))
    return LLVMTypeOf(i) == word && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  if (LLVMIsAStoreInst(i))
    return LLVMTypeOf(LLVMGetOperand(i, 0)) == word && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  return (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) && LLVMTypeOf(LLVMGetOperand(i, 1)) == word;
}

void cn_atomics_retype(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) found = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_atomic_word_access(ctx, i))
        cn_push(&found, i);
  for (size_t n = 0; n < found.count; n++) {
    LLVMValueRef i = found.at[n];
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(i));
    if (LLVMIsALoadInst(i))
      retype_load(ctx, builder, i);
    else if (LLVMIsAStoreInst(i))
      retype_store(ctx, builder, i);
    else if (LLVMIsAAtomicRMWInst(i))
      retype_exchange(ctx, builder, i);
    else
      retype_compare_exchange(ctx, builder, i);
  }
  LLVMDisposeBuilder(builder);
  cn_free(&found);
}
