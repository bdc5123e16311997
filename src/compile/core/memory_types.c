/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the type of memory if IR has the type; finds the references in a type, and the root and offset of GEPs. Needs:
 * nothing. Provides: the cn_types_* functions. Breaks: nothing.
 */
#include "compile/core/memory_types.h"

#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"

static LLVMTypeRef element_type_at(LLVMTypeRef type, LLVMValueRef index)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    return LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
    return LLVMGetElementType(type);
  default:
    return NULL;
  }
}

/* The type of the result that a function returns through this argument, or null. */
static LLVMTypeRef sret_type_of(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned index = 0;

  while (LLVMGetParam(function, index) != argument)
    index++;
  LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index + 1, cn_attribute_kind("sret"));
  return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

LLVMValueRef cn_types_global_of(LLVMValueRef pointer)
{
  bool own = cn_calls_intrinsic(pointer, "llvm.threadlocal.address");

  return LLVMIsAGlobalVariable(own ? LLVMGetOperand(pointer, 0) : pointer);
}

LLVMTypeRef cn_types_memory_type_of(LLVMValueRef pointer)
{
  if (LLVMIsAArgument(pointer))
    return sret_type_of(pointer);
  if (LLVMIsAAllocaInst(pointer))
    return LLVMGetAllocatedType(pointer);
  LLVMValueRef global = cn_types_global_of(pointer);
  if (global)
    return LLVMGlobalGetValueType(global);
  if (!LLVMIsAGetElementPtrInst(pointer))
    return NULL;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
  for (int i = 2; type && i < LLVMGetNumOperands(pointer); i++)
    type = element_type_at(type, LLVMGetOperand(pointer, (unsigned)i));
  /* A GEP over bytes says nothing about the type of the memory. */
  return type && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetNumOperands(pointer) == 2 ? NULL : type;
}

LLVMTypeRef cn_types_narrow_to_size(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t size)
{
  while (type && LLVMTypeIsSized(type) && LLVMABISizeOfType(ctx->layout, type) != size) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 0)
      type = LLVMStructGetTypeAtIndex(type, 0);
    else if (kind == LLVMArrayTypeKind && LLVMGetArrayLength2(type) > 0)
      type = LLVMGetElementType(type);
    else
      return NULL;
  }
  return type && LLVMTypeIsSized(type) ? type : NULL;
}

bool cn_types_has_ref_at(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t offset)
{
  while (cn_holds_ref(type) && !cn_is_ref(type)) {
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      if (offset >= LLVMABISizeOfType(ctx->layout, type))
        return false;
      unsigned field = LLVMElementAtOffset(ctx->layout, type, offset);
      offset -= LLVMOffsetOfElement(ctx->layout, type, field);
      type = LLVMStructGetTypeAtIndex(type, field);
      continue;
    }
    uint64_t count = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    type = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(ctx->layout, type);
    if (size == 0 || offset / size >= count)
      return false;
    offset %= size;
  }
  return cn_is_ref(type) && offset == 0;
}

LLVMValueRef cn_types_root_of(LLVMValueRef pointer)
{
  while (LLVMIsAGetElementPtrInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  LLVMValueRef global = cn_types_global_of(pointer);
  return global ? global : pointer;
}

LLVMValueRef cn_types_managed_variable_of(LLVMValueRef pointer)
{
  while (LLVMIsAGetElementPtrInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
    pointer = LLVMGetOperand(pointer, 0);
  return cn_is_ref(LLVMTypeOf(pointer)) ? LLVMIsAGlobalVariable(pointer) : NULL;
}

/* True if a value of `type` at `offset` has a misaligned reference. */
static bool has_misaligned_ref(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t offset)
{
  if (!cn_holds_ref(type))
    return false;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (has_misaligned_ref(ctx, LLVMStructGetTypeAtIndex(type, i),
                             offset + LLVMOffsetOfElement(ctx->layout, type, i)))
        return true;
    return false;
  case LLVMArrayTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(type);
    bool several = LLVMGetArrayLength2(type) != 1;
    return (several && LLVMABISizeOfType(ctx->layout, element) % CAIRN_ABI_OBJECT_ALIGN != 0) ||
           has_misaligned_ref(ctx, element, offset);
  }
  default:
    return offset % CAIRN_ABI_OBJECT_ALIGN != 0;
  }
}

bool cn_types_has_misaligned_ref(struct cn_ctx *ctx, LLVMTypeRef type)
{
  return has_misaligned_ref(ctx, type, 0);
}

uint64_t cn_types_common_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void cn_types_gep_offset_and_stride(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset, uint64_t *stride)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  int operands = LLVMGetNumOperands(gep);

  for (int i = 1; i < operands; i++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
    if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMIsAConstantInt(index)) {
      unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
      *offset += LLVMOffsetOfElement(ctx->layout, type, field);
      type = LLVMStructGetTypeAtIndex(type, field);
      continue;
    }
    if (i > 1)
      type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? NULL : LLVMGetElementType(type);
    bool sized = type && LLVMTypeIsSized(type) && !cn_holds_scalable_vector(type);
    uint64_t size = sized ? LLVMABISizeOfType(ctx->layout, type) : 1;
    if (sized && LLVMIsAConstantInt(index))
      *offset += (uint64_t)LLVMConstIntGetSExtValue(index) * size;
    else
      *stride = cn_types_common_divisor(*stride, size);
    if (!type) /* the index of a struct's member differs by lane */
      return;
  }
}

bool cn_types_gep_offset(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset)
{
  uint64_t stride = 0;

  cn_types_gep_offset_and_stride(ctx, gep, offset, &stride);
  return stride == 0;
}

bool cn_types_is_body_address(struct cn_ctx *ctx, LLVMValueRef value)
{
  uint64_t offset = 0;

  return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr &&
         LLVMIsAFunction(LLVMGetOperand(value, 0)) && cn_types_gep_offset(ctx, value, &offset) &&
         offset == cn_convention_port_of(ctx->module)->entry_size;
}
