/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives a function another signature, because a tail call must have its caller's signature (tail_widen.c,
 * call_targets.c). Needs: nothing. Provides: cn_retype(), cn_can_retype_function(). Breaks: struct cn_cfg; the function
 * moves to the module's end.
 */
#include "compile/core/emit.h"

#include <stdlib.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"
#include "compile/core/each.h"

bool cn_can_retype_function(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_USE(use, LLVMBasicBlockAsValue(b))
      if (LLVMIsABlockAddress(LLVMGetUser(use)))
        return false;
  return true;
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to)
{
  for (int index = -1; index <= (int)LLVMCountParams(from); index++) {
    LLVMAttributeIndex at = (LLVMAttributeIndex)index;
    unsigned count = LLVMGetAttributeCountAtIndex(from, at);
    LLVMAttributeRef *list = cn_alloc((count + 1) * sizeof *list);
    bool same = index < 1 || LLVMTypeOf(LLVMGetParam(from, at - 1)) == LLVMTypeOf(LLVMGetParam(to, at - 1));
    LLVMGetAttributesAtIndex(from, at, list);
    for (unsigned i = 0; i < count && same; i++)
      LLVMAddAttributeAtIndex(to, at, list[i]);
    free(list);
  }
}

void cn_emit_copy_global_metadata(LLVMValueRef from, LLVMValueRef to)
{
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);

  for (unsigned i = 0; i < count; i++)
    LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                          LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
}

void cn_emit_copy_function_properties(LLVMValueRef from, LLVMValueRef to)
{
  LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  if (LLVMGetSection(from))
    LLVMSetSection(to, LLVMGetSection(from));
  if (LLVMGetGC(from))
    LLVMSetGC(to, LLVMGetGC(from));
  if (LLVMHasPersonalityFn(from))
    LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
  if (LLVMHasPrefixData(from))
    LLVMSetPrefixData(to, LLVMGetPrefixData(from));
  if (LLVMHasPrologueData(from))
    LLVMSetPrologueData(to, LLVMGetPrologueData(from));
  copy_attributes(from, to);
  cn_emit_copy_global_metadata(from, to);
}

/* Move all properties of a function except its type, its body and its name. */
static void move_properties(LLVMValueRef from, LLVMValueRef to)
{
  LLVMSetLinkage(to, LLVMGetLinkage(from));
  LLVMSetVisibility(to, LLVMGetVisibility(from));
  LLVMSetDLLStorageClass(to, LLVMGetDLLStorageClass(from));
  LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(from));
  if (LLVMGetComdat(from))
    LLVMSetComdat(to, LLVMGetComdat(from));
  cn_emit_copy_function_properties(from, to);
  LLVMGlobalClearMetadata(from);
}

static LLVMValueRef narrow_parameter(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type)
{
  if (LLVMTypeOf(value) == type)
    return value;
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return LLVMBuildTrunc(builder, value, type, "");
  LLVMValueRef pair = LLVMBuildBitCast(builder, value, LLVMVectorType(type, 2), "");
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  return LLVMBuildExtractElement(builder, pair, LLVMConstInt(i32, 0, false), "");
}

static void move_body(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMBasicBlockRef block;
  size_t length;

  while ((block = LLVMGetFirstBasicBlock(from))) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(to, block);
  }
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(to)));
  for (unsigned i = 0; i < LLVMCountParams(from); i++) {
    LLVMValueRef old = LLVMGetParam(from, i), new = LLVMGetParam(to, i);
    const char *name = LLVMGetValueName2(old, &length);
    LLVMSetValueName2(new, name, length);
    LLVMReplaceAllUsesWith(old, narrow_parameter(builder, new, LLVMTypeOf(old)));
  }
  LLVMDisposeBuilder(builder);
}

LLVMValueRef cn_retype(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type)
{
  CN_CHECK(LLVMIsAFunction(function) && cn_can_retype_function(function));
  CN_CHECK(LLVMCountParamTypes(type) >= LLVMCountParams(function));
  LLVMValueRef new = LLVMAddFunction(ctx->module, "", type);
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(function, &length));

  move_properties(function, new);
  move_body(ctx, function, new);
  LLVMReplaceAllUsesWith(function, new);
  LLVMDeleteFunction(function);
  LLVMSetValueName2(new, name, length);
  free(name);
  return new;
}
