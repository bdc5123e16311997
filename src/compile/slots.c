/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `check-stores`: no reference is stored where the collector does not look.
 *
 * Needs: cn_slots_mark() ran on the function before the optimiser. Provides: every store of a
 * reference through an ordinary pointer goes to a local or a global, or is checked at run time
 * (cairn_check_slot). Breaks: nothing.
 *
 * Locals and globals that hold references are described; memory of the C library is not, and a
 * reference in it would be lost without a word. Where the pointer comes from is often known only
 * after inlining, so this runs late. Until then the stores are `unordered` atomic, which costs
 * nothing and keeps the optimiser from making memcpy of them.
 */
#include <string.h>
#include "base/vector.h"
#include "compile/emit.h"
#include "compile/names.h"
#include "compile/slots.h"

typedef CN_VECTOR(LLVMValueRef) values;

static bool stores_reference(LLVMValueRef i)
{
  return LLVMIsAStoreInst(i) && cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) &&
         !cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 1)));
}

static void add(values *list, LLVMValueRef value)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i] == value)
      return;
  cn_push(list, value);
}

/* What `pointer` may be computed from: operands [first, last) of a GEP, cast, phi or select.
 * None: it is an origin. */
static void operands(LLVMValueRef pointer, unsigned *first, unsigned *last)
{
  *first = *last = 0;
  if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
      LLVMIsAFreezeInst(pointer) ||
      (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr)) {
    *last = 1;
  } else if (LLVMIsASelectInst(pointer)) {
    *first = 1;
    *last = 3;
  } else if (LLVMIsAPHINode(pointer)) {
    *last = LLVMCountIncoming(pointer);
  }
}

static bool is_struct_result(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned kind = cn_attribute_kind("sret");

  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == argument)
      return LLVMGetEnumAttributeAtIndex(function, i + 1, kind) != NULL;
  return false;
}

static bool is_described(LLVMValueRef origin)
{
  if (LLVMIsAAllocaInst(origin) || LLVMIsAGlobalVariable(origin) || LLVMIsUndef(origin) ||
      LLVMIsNull(origin))
    return true;
  return LLVMIsAArgument(origin) && is_struct_result(origin);
}

static bool is_proved(LLVMValueRef store)
{
  values seen = {0};
  bool proved = true;

  add(&seen, LLVMGetOperand(store, 1));
  for (size_t i = 0; i < seen.count && proved; i++) {
    unsigned first, last;
    operands(seen.at[i], &first, &last);
    proved = first < last || is_described(seen.at[i]);
    for (; first < last; first++)
      add(&seen, LLVMGetOperand(seen.at[i], first));
  }
  cn_free(&seen);
  return proved;
}

void cn_slots_mark(struct cn_ctx *ctx, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (stores_reference(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) &&
          !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
          LLVMGetAlignment(i) >= LLVMABISizeOfType(ctx->layout, LLVMTypeOf(LLVMGetOperand(i, 0))) &&
          !is_proved(i))
        LLVMSetOrdering(i, LLVMAtomicOrderingUnordered);
}

static void check(struct cn_ctx *ctx, LLVMValueRef store)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), &pointer, 1, false);
  LLVMValueRef callee = cn_emit_declare(ctx, CN_CHECK_SLOT, type, LLVMCCallConv);
  LLVMValueRef slot = LLVMGetOperand(store, 1);

  if (!callee)
    return;
  LLVMAddAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(ctx->llvm, "gc-leaf-function", 16, "", 0));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMPositionBuilderBefore(builder, store);
  LLVMBuildCall2(builder, type, callee, &slot, 1, "");
  LLVMDisposeBuilder(builder);
}

bool cn_slots(struct cn_ctx *ctx)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (!stores_reference(i))
          continue;
        if (LLVMGetOrdering(i) == LLVMAtomicOrderingUnordered)
          LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic);
        if (!is_proved(i))
          check(ctx, i);
      }
  }
  return ctx->errors == 0;
}
