/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits, replaces and recognises pieces of IR that several passes need: addresses of the mutator's fields, declarations
 * of slow paths, marks of leaves, elements of lists such as llvm.used, branch weights, copies of attributes and
 * metadata, and constant addresses. Finds insertion points. Changes only the given module, and erases an instruction
 * that it replaces. Needs: nothing. Provides: the functions of emit.h, except those of clone.c, link_guard.c and
 * retype.c.
 * Breaks: pointers to replaced instructions.
 */
#include "compile/core/emit.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"

/* The runtime is linked into the executable, so an executable reaches the thread's mutator at a constant offset from
 * the thread pointer. Code that may end up in a shared object loads that offset first. */
static LLVMValueRef declare_mutator_symbol(struct cn_ctx *ctx)
{
  LLVMValueRef symbol = LLVMGetNamedGlobal(ctx->module, CN_MUTATOR);

  if (!symbol) {
    LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(ctx->llvm), CAIRN_ABI_MUTATOR_SIZE);
    symbol = LLVMAddGlobal(ctx->module, bytes, CN_MUTATOR);
    LLVMSetAlignment(symbol, 16);
    LLVMSetThreadLocalMode(symbol,
                           ctx->options && ctx->options->shared ? LLVMInitialExecTLSModel : LLVMLocalExecTLSModel);
  }
  return symbol;
}

LLVMValueRef cn_emit_mutator_field_address(struct cn_ctx *ctx, LLVMBuilderRef builder, uint64_t offset)
{
  CN_CHECK(offset < CAIRN_ABI_MUTATOR_SIZE);
  LLVMValueRef symbol = declare_mutator_symbol(ctx);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMValueRef intrinsic = cn_intrinsic(ctx, "llvm.threadlocal.address", &pointer, 1);
  LLVMValueRef address = LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, &symbol, 1, "mutator");
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);

  if (offset == 0)
    return address;
  return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(ctx->llvm), address, &index, 1, "field");
}

bool cn_is_mutator_field_address(LLVMValueRef address, uint64_t offset)
{
  LLVMValueRef base = LLVMIsAGetElementPtrInst(address) ? LLVMGetOperand(address, 0) : NULL;
  size_t length;

  CN_ASSERT(offset != 0 && offset < CAIRN_ABI_MUTATOR_SIZE);
  if (!base || LLVMGetNumOperands(address) != 2 || !cn_calls_intrinsic(base, "llvm.threadlocal.address") ||
      strcmp(LLVMGetValueName2(LLVMGetOperand(base, 0), &length), CN_MUTATOR) != 0)
    return false;
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(address, 1));
  LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
  return index && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8 &&
         LLVMConstIntGetZExtValue(index) == offset;
}

void cn_emit_store_fence(struct cn_ctx *ctx, LLVMBuilderRef builder)
{
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);

  if (port->store_fence_intrinsic == NULL)
    return;
  LLVMValueRef fence = cn_intrinsic(ctx, port->store_fence_intrinsic, NULL, 0);
  LLVMValueRef operand = LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), port->store_fence_operand, false);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(fence), fence, &operand, 1, "");
}

static void add_string_attribute(struct cn_ctx *ctx, LLVMValueRef function, const char *name)
{
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, name, (unsigned)strlen(name), "", 0));
}

void cn_emit_mark_leaf(struct cn_ctx *ctx, LLVMValueRef function)
{
  add_string_attribute(ctx, function, CN_ATTR_LEAF);
}

void cn_emit_mark_still(struct cn_ctx *ctx, LLVMValueRef function)
{
  add_string_attribute(ctx, function, CN_ATTR_STILL);
}

LLVMValueRef cn_emit_declare_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type, unsigned convention)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (function && LLVMGlobalGetValueType(function) == type) {
    LLVMSetFunctionCallConv(function, convention);
    return function;
  }
  if (function || LLVMGetNamedGlobal(ctx->module, name) || LLVMGetNamedGlobalAlias(ctx->module, name, strlen(name))) {
    cn_error(ctx, function, "reserved-name", "@%s is a name of the runtime, with another type", name);
    return NULL;
  }
  function = LLVMAddFunction(ctx->module, name, type);
  LLVMSetFunctionCallConv(function, convention);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  /* Lazy binding in a shared object would lose registers that preserve_all preserves. */
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nonlazybind", 0);
  return function;
}

void cn_emit_append_to_list(struct cn_ctx *ctx, const char *name, LLVMTypeRef element, const LLVMValueRef *more,
                            size_t count)
{
  LLVMValueRef old = LLVMGetNamedGlobal(ctx->module, name);
  CN_VECTOR(LLVMValueRef) list = {0};

  if (count == 0)
    return;
  if (old) {
    LLVMValueRef array = LLVMGetInitializer(old);
    for (unsigned i = 0; i < LLVMGetArrayLength2(LLVMTypeOf(array)); i++)
      cn_push(&list, LLVMGetAggregateElement(array, i));
    LLVMDeleteGlobal(old);
  }
  for (size_t i = 0; i < count; i++)
    cn_push(&list, more[i]);
  LLVMValueRef array = LLVMConstArray2(element, list.at, list.count);
  LLVMValueRef global = LLVMAddGlobal(ctx->module, LLVMTypeOf(array), name);
  LLVMSetLinkage(global, LLVMAppendingLinkage);
  LLVMSetInitializer(global, array);
  if (strcmp(name, "llvm.used") == 0 || strcmp(name, "llvm.compiler.used") == 0)
    LLVMSetSection(global, "llvm.metadata");
  cn_free(&list);
}

void cn_emit_remove_from_list(struct cn_ctx *ctx, const char *name, bool (*is_one)(LLVMValueRef element))
{
  LLVMValueRef list = LLVMGetNamedGlobal(ctx->module, name);
  LLVMValueRef array = list ? LLVMGetInitializer(list) : NULL;
  CN_VECTOR(LLVMValueRef) kept = {0};

  if (!array)
    return;
  for (unsigned i = 0; i < LLVMGetArrayLength2(LLVMTypeOf(array)); i++) {
    LLVMValueRef element = LLVMGetAggregateElement(array, i);
    if (!is_one(element))
      cn_push(&kept, element);
  }
  LLVMDeleteGlobal(list);
  if (kept.count)
    cn_emit_append_to_list(ctx, name, LLVMTypeOf(kept.at[0]), kept.at, kept.count);
  cn_free(&kept);
}

void cn_emit_branch_weights(struct cn_ctx *ctx, LLVMValueRef branch, uint32_t first, uint32_t second)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMMetadataRef weights[] = {
      LLVMMDStringInContext2(ctx->llvm, "branch_weights", 14),
      LLVMValueAsMetadata(LLVMConstInt(i32, first, false)),
      LLVMValueAsMetadata(LLVMConstInt(i32, second, false)),
  };
  LLVMMetadataRef node = LLVMMDNodeInContext2(ctx->llvm, weights, 3);

  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx->llvm, "prof", 4), LLVMMetadataAsValue(ctx->llvm, node));
}

void cn_emit_mark_branch_unlikely(struct cn_ctx *ctx, LLVMValueRef branch)
{
  cn_emit_branch_weights(ctx, branch, 1, CN_MOSTLY);
}

LLVMAttributeRef cn_enum_attribute_of_name(struct cn_ctx *ctx, const char *name)
{
  return LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(name), 0);
}

void cn_emit_copy_attributes(LLVMValueRef from, LLVMAttributeIndex from_index, LLVMValueRef to,
                             LLVMAttributeIndex to_index, bool (*keep)(LLVMAttributeRef))
{
  unsigned count = LLVMGetCallSiteAttributeCount(from, from_index);

  if (count == 0)
    return;
  LLVMAttributeRef *list = cn_alloc(count * sizeof *list);
  LLVMGetCallSiteAttributes(from, from_index, list);
  for (unsigned i = 0; i < count; i++)
    if (!keep || keep(list[i]))
      LLVMAddCallSiteAttribute(to, to_index, list[i]);
  free(list);
}

void cn_emit_copy_metadata(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to)
{
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);

  for (unsigned i = 0; i < count; i++)
    LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                    LLVMMetadataAsValue(ctx->llvm, LLVMValueMetadataEntriesGetMetadata(entries, i)));
  LLVMDisposeValueMetadataEntries(entries);
}

const char *const cn_target_attribute_names[CN_TARGET_ATTRIBUTE_COUNT] = {"target-cpu", "target-features", "tune-cpu"};

void cn_emit_copy_target_attributes(LLVMValueRef from, LLVMValueRef to)
{
  for (unsigned i = 0; i < CN_TARGET_ATTRIBUTE_COUNT; i++) {
    LLVMAttributeRef attribute = cn_string_attribute(from, cn_target_attribute_names[i]);
    if (attribute)
      LLVMAddAttributeAtIndex(to, CN_FUNCTION_INDEX, attribute);
  }
}

void cn_emit_replace_instruction(LLVMValueRef old, LLVMValueRef fresh)
{
  size_t length;
  const char *text = LLVMGetValueName2(old, &length);
  char *name = cn_alloc(length + 1);

  memcpy(name, text, length);
  LLVMReplaceAllUsesWith(old, fresh);
  LLVMInstructionEraseFromParent(old);
  if (length)
    LLVMSetValueName2(fresh, name, length);
  free(name);
}

bool cn_is_exception_pad(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsALandingPadInst(i) || LLVMIsACatchSwitchInst(i) || LLVMIsACatchPadInst(i) || LLVMIsACleanupPadInst(i);
}

LLVMValueRef cn_insertion_point_after(LLVMValueRef value)
{
  LLVMValueRef at;

  if (LLVMIsAArgument(value)) {
    at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(value)));
    while (LLVMIsAAllocaInst(at))
      at = LLVMGetNextInstruction(at);
    return at;
  }
  if (LLVMIsAInvokeInst(value))
    at = LLVMGetFirstInstruction(LLVMGetNormalDest(value));
  else
    at = LLVMGetNextInstruction(value);
  while (at &&
         (LLVMIsAPHINode(at) || LLVMIsALandingPadInst(at) || LLVMIsACatchPadInst(at) || LLVMIsACleanupPadInst(at)))
    at = LLVMGetNextInstruction(at);
  CN_CHECK(at);
  return at;
}

LLVMValueRef cn_first_after_phis(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  while (i && LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

/* ---- constant addresses ---- */

/* The address is built with a builder, which folds constants in every version of LLVM. LLVM 24 deprecates its functions
 * for constant expressions of addresses.
 */
static LLVMValueRef fold_address(struct cn_ctx *ctx, LLVMValueRef address, LLVMValueRef offset, bool within)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMTypeRef i8 = LLVMInt8TypeInContext(ctx->llvm);

  CN_CHECK(LLVMIsConstant(address));
  LLVMValueRef folded = within ? LLVMBuildInBoundsGEP2(builder, i8, address, &offset, 1, "")
                               : LLVMBuildGEP2(builder, i8, address, &offset, 1, "");
  CN_CHECK(LLVMIsConstant(folded));
  LLVMDisposeBuilder(builder);
  return folded;
}

LLVMValueRef cn_constant_address_at_offset(struct cn_ctx *ctx, LLVMValueRef address, int64_t offset)
{
  return fold_address(ctx, address, LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), (uint64_t)offset, true), false);
}

LLVMValueRef cn_constant_address_in_bounds(struct cn_ctx *ctx, LLVMValueRef address, uint64_t offset)
{
  return fold_address(ctx, address, LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false), true);
}

LLVMValueRef cn_build_phi_like(LLVMBuilderRef builder, LLVMValueRef old, const char *name)
{
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(old), name);

  if (LLVMCanValueUseFastMathFlags(old))
    LLVMSetFastMathFlags(phi, LLVMGetFastMathFlags(old));
  LLVMInstructionSetDebugLoc(phi, LLVMInstructionGetDebugLoc(old));
  return phi;
}
