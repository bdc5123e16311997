/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass verify-unmanaged: `cairn verify` reports the functions that verify-safepoints skips. The collector skips the
 * frames of unmanaged functions, so a reference that such a frame holds over a collection is lost.
 *
 * Needs: nothing. Provides: diagnostics. Breaks: nothing. Rules:
 *   - not-verified: a function with a gc strategy that is unknown to Cairn. The report is an error if the function has
 *     references or statepoints, which Cairn cannot check; else a warning. A module whose managed functions are all
 *     unrewritten also gets a warning.
 *   - unmanaged-store: a reference stored in a global or thread-local whose type holds only data.
 *   - unmanaged-function: a function without a strategy keeps a reference over a call (rules_native.c).
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/source/rules.h"

static bool instruction_holds_refs(LLVMValueRef i)
{
  for (int o = 0; o < LLVMGetNumOperands(i); o++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, (unsigned)o))))
      return true;
  return cn_holds_ref(LLVMTypeOf(i)) || (LLVMIsAAllocaInst(i) && cn_holds_ref(LLVMGetAllocatedType(i)));
}

static bool function_has_references(LLVMValueRef function)
{
  if (cn_calls_type_has_refs(LLVMGlobalGetValueType(function)))
    return true;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (instruction_holds_refs(i))
        return true;
  return false;
}

static void check_unknown_strategy(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(LLVMGetGC(function) && !cn_is_managed(function));
  bool holds = function_has_references(function) || cn_has_statepoints(function);

  cn_report(ctx, holds ? CAIRN_ERROR : CAIRN_WARNING, function, "not-verified",
            "gc strategy \"%s\" is unknown to Cairn: the function was left unchecked%s", LLVMGetGC(function),
            holds ? ", and has references or safepoints" : "");
}

/* Check a function without a strategy. LLVM's verifier ensures that such a function has no statepoints. */
static void check_function_without_strategy(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(!LLVMGetGC(function));
  if (function_has_references(function))
    cn_rules_check_native(ctx, function);
}

/* ---- memory that the collector does not scan ---- */

enum { MAX_FOLLOWED_LOADS = 8 }; /* the most loads between a pointer and the global that it points into */

/* The value that the only store to a local pointer stores, if the local's address does not escape; or null. */
static LLVMValueRef only_stored_value_of(LLVMValueRef alloca)
{
  LLVMValueRef value = NULL;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  CN_EACH_USE(use, alloca) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsALoadInst(user))
      continue;
    if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) == alloca || value)
      return NULL;
    value = LLVMGetOperand(user, 0);
  }
  return value;
}

/* The value that `load` always reads, or null. */
static LLVMValueRef loaded_value_of(LLVMValueRef load)
{
  LLVMValueRef place = LLVMGetOperand(load, 0), value = NULL;

  CN_ASSERT(LLVMIsALoadInst(load));
  if (LLVMIsAAllocaInst(place))
    value = only_stored_value_of(place);
  else if (LLVMIsAGlobalVariable(place) && LLVMIsGlobalConstant(place) &&
           (LLVMGetLinkage(place) == LLVMInternalLinkage || LLVMGetLinkage(place) == LLVMPrivateLinkage))
    value = LLVMGetInitializer(place);
  return value && LLVMTypeOf(value) == LLVMTypeOf(load) ? value : NULL;
}

static LLVMValueRef pointed_global_of(LLVMValueRef pointer)
{
  unsigned loads = 0;

  while (pointer) {
    if (LLVMIsALoadInst(pointer))
      pointer = loads++ < MAX_FOLLOWED_LOADS ? loaded_value_of(pointer) : NULL;
    else if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
             (LLVMIsAConstantExpr(pointer) && LLVMGetNumOperands(pointer) > 0) ||
             (LLVMIsACallInst(pointer) && cn_calls_intrinsic(pointer, "llvm.threadlocal.address")))
      pointer = LLVMGetOperand(pointer, 0);
    else
      return LLVMIsAGlobalVariable(pointer);
  }
  return NULL;
}

/* Report a store of a reference to a global whose type holds only data, which the collector skips. */
static void check_reference_store(struct cn_ctx *ctx, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, 0), global = pointed_global_of(LLVMGetOperand(store, 1));
  size_t length;

  CN_ASSERT(LLVMIsAStoreInst(store));
  if (!global || !cn_holds_ref(LLVMTypeOf(value)) || LLVMIsConstant(value) || cn_is_immovable(value))
    return;
  if (!cn_holds_ref(LLVMGlobalGetValueType(global)))
    cn_error(
        ctx, store, "unmanaged-store",
        "a reference is stored in '%s', whose type has no reference: the collector does not find it; declare a type "
        "with references",
        LLVMGetValueName2(global, &length));
}

static void check_reference_stores(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAStoreInst(i))
        check_reference_store(ctx, i);
}

bool cn_verify_unmanaged(struct cn_ctx *ctx)
{
  unsigned managed = 0, rewritten = 0;

  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f))
      continue;
    managed += cn_is_managed(f);
    if (cn_is_managed(f))
      check_reference_stores(ctx, f);
    rewritten += cn_is_managed(f) && cn_calls_is_rewritten_function(f);
    if (!cn_is_managed(f) && LLVMGetGC(f))
      check_unknown_strategy(ctx, f);
    else if (!cn_is_managed(f))
      check_function_without_strategy(ctx, f);
  }
  CN_CHECK(rewritten <= managed);
  if (managed && !rewritten)
    cn_report(ctx, CAIRN_WARNING, NULL, "not-verified",
              "no function of the module has a safepoint: nothing was checked; was the module rewritten by "
              "rewrite-statepoints?");
  return ctx->errors == 0;
}
