/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives a function another signature, because a tail call must have its caller's signature (tail_widen.c,
 * call_targets.c), or because a struct's words get their types (struct_words.c). Needs: nothing. Provides: the
 * cn_retype*() functions, cn_can_retype_function(). Breaks: struct cn_cfg; the function moves to the module's end.
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

static void copy_attributes_at(LLVMValueRef from, LLVMAttributeIndex at, LLVMValueRef to, LLVMAttributeIndex place)
{
  unsigned count = LLVMGetAttributeCountAtIndex(from, at);
  LLVMAttributeRef *list = cn_alloc((count + 1) * sizeof *list);

  LLVMGetAttributesAtIndex(from, at, list);
  for (unsigned i = 0; i < count; i++)
    LLVMAddAttributeAtIndex(to, place, list[i]);
  free(list);
}

/* Parameter i of `from` is parameter places[i] of `to`; null: each keeps its place. */
static void copy_attributes(LLVMValueRef from, LLVMValueRef to, const unsigned *places)
{
  LLVMTypeRef old = LLVMGlobalGetValueType(from), new = LLVMGlobalGetValueType(to);

  copy_attributes_at(from, CN_FUNCTION_INDEX, to, CN_FUNCTION_INDEX);
  if (LLVMGetReturnType(old) == LLVMGetReturnType(new))
    copy_attributes_at(from, LLVMAttributeReturnIndex, to, LLVMAttributeReturnIndex);
  for (unsigned i = 0; i < LLVMCountParams(from); i++) {
    unsigned place = places ? places[i] : i;
    if (LLVMTypeOf(LLVMGetParam(from, i)) == LLVMTypeOf(LLVMGetParam(to, place)))
      copy_attributes_at(from, i + 1, to, place + 1);
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

static void copy_properties(LLVMValueRef from, LLVMValueRef to, const unsigned *places)
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
  copy_attributes(from, to, places);
  cn_emit_copy_global_metadata(from, to);
}

void cn_emit_copy_function_properties(LLVMValueRef from, LLVMValueRef to)
{
  copy_properties(from, to, NULL);
}

/* Move all properties of a function except its type, its body and its name. */
static void move_properties(LLVMValueRef from, LLVMValueRef to, const unsigned *places)
{
  LLVMSetLinkage(to, LLVMGetLinkage(from));
  LLVMSetVisibility(to, LLVMGetVisibility(from));
  LLVMSetDLLStorageClass(to, LLVMGetDLLStorageClass(from));
  LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(from));
  if (LLVMGetComdat(from))
    LLVMSetComdat(to, LLVMGetComdat(from));
  copy_properties(from, to, places);
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

static void move_body(LLVMValueRef from, LLVMValueRef to)
{
  LLVMBasicBlockRef block;

  while ((block = LLVMGetFirstBasicBlock(from))) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(to, block);
  }
}

static void replace_parameters(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  size_t length;

  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(to)));
  for (unsigned i = 0; i < LLVMCountParams(from); i++) {
    LLVMValueRef old = LLVMGetParam(from, i), new = LLVMGetParam(to, i);
    const char *name = LLVMGetValueName2(old, &length);
    LLVMSetValueName2(new, name, length);
    LLVMReplaceAllUsesWith(old, narrow_parameter(builder, new, LLVMTypeOf(old)));
  }
  LLVMDisposeBuilder(builder);
}

LLVMValueRef cn_retype_begin(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type, const unsigned *places)
{
  CN_CHECK(LLVMIsAFunction(function) && cn_can_retype_function(function));
  CN_CHECK(LLVMCountParamTypes(type) >= LLVMCountParams(function));
  LLVMValueRef new = LLVMAddFunction(ctx->module, "", type);

  move_properties(function, new, places);
  move_body(function, new);
  return new;
}

void cn_retype_end(LLVMValueRef function, LLVMValueRef new)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(function, &length));

  LLVMReplaceAllUsesWith(function, new);
  LLVMDeleteFunction(function);
  LLVMSetValueName2(new, name, length);
  free(name);
}

LLVMValueRef cn_retype(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type)
{
  LLVMValueRef new = cn_retype_begin(ctx, function, type, NULL);

  replace_parameters(ctx, function, new);
  cn_retype_end(function, new);
  return new;
}
