/* SPDX-License-Identifier: Apache-2.0
 *
 * Bridges calls to native functions with other conventions than C's. Part of pass call-targets. The runtime's stub sets
 * an anchor and calls a function of the C convention, because it relies on the callee to save registers and to restore
 * the stack pointer. A native function of the C convention therefore makes the call:
 *
 *   i64 @cairn.native.N(args, ptr %target)              calls %target by its convention
 *   i64 @cairn.bridge.N(args, ptr nest %target)         managed, of the call's convention: calls
 *                                                       cairn.native.N through the stub
 *
 * A routed call calls the bridge in place of an unmanaged target (call_targets.c). Needs: nothing. Provides:
 * cn_bridge_native_for() and cn_bridge_managed_for(); calls that look alike share their bridges. Breaks: nothing.
 */
#include "compile/transitions/callees.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/transitions/rebuild.h"

/* Attributes that change the register or memory of a passed value. */
static const char *const passing_attributes[] = {"zeroext",    "signext",    "noext",      "inreg", "byval",
                                                 "sret",       "byref",      "alignstack", "align", "swiftself",
                                                 "swiftasync", "swifterror", "nest"};

/* ---- names ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
  return hash;
}

static uint64_t hash_type(uint64_t hash, LLVMTypeRef type)
{
  char *text = LLVMPrintTypeToString(type);

  hash = hash_bytes(hash, text, strlen(text) + 1);
  LLVMDisposeMessage(text);
  return hash;
}

static uint64_t hash_passing_attributes(uint64_t hash, LLVMValueRef call, LLVMAttributeIndex index)
{
  for (size_t i = 0; i < sizeof passing_attributes / sizeof *passing_attributes; i++) {
    unsigned kind = cn_attribute_kind(passing_attributes[i]);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, index, kind);
    hash = hash_bytes(hash, attribute ? "+" : "-", 1);
    if (attribute && LLVMIsTypeAttribute(attribute))
      hash = hash_type(hash, LLVMGetTypeAttributeValue(attribute));
    else if (attribute) {
      uint64_t value = LLVMGetEnumAttributeValue(attribute);
      hash = hash_bytes(hash, &value, sizeof value);
    }
  }
  return hash;
}

/* Name a bridge by all properties that its calls have in common. */
static char *bridge_name_of(const char *prefix, const struct cn_call_target *site)
{
  unsigned convention = LLVMGetInstructionCallConv(site->call);
  uint64_t hash = hash_bytes(0xcbf29ce484222325, &convention, sizeof convention);

  hash = hash_type(hash, site->type);
  hash = hash_passing_attributes(hash, site->call, LLVMAttributeReturnIndex);
  for (unsigned i = 0; i < site->count; i++) {
    hash = hash_type(hash, LLVMTypeOf(LLVMGetOperand(site->call, site->first + i)));
    hash = hash_passing_attributes(hash, site->call, site->first + i + 1);
  }
  for (size_t i = 0; i < CN_TARGET_ATTRIBUTE_COUNT; i++) {
    LLVMAttributeRef attribute = cn_string_attribute(cn_call_target_caller(site), cn_target_attribute_names[i]);
    unsigned length = 0;
    const char *text = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
    hash = hash_bytes(hash, text, length + 1);
  }
  return cn_format("%s%016llx", prefix, (unsigned long long)hash);
}

/* ---- functions ---- */

/* Add an internal function with the parameters of the call, and the target as a further parameter. */
static LLVMValueRef add_bridge_function(struct cn_ctx *ctx, const struct cn_call_target *site, const char *name)
{
  LLVMTypeRef *types = cn_alloc((site->count + 1) * sizeof *types);

  CN_CHECK(site->type && !LLVMGetNamedFunction(ctx->module, name));
  for (unsigned i = 0; i < site->count; i++)
    types[i] = LLVMTypeOf(LLVMGetOperand(site->call, site->first + i));
  types[site->count] = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(site->type), types, site->count + 1, false);
  LLVMValueRef function = LLVMAddFunction(ctx->module, name, type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "uwtable", 2);
  cn_emit_copy_target_attributes(cn_call_target_caller(site), function);
  LLVMAppendBasicBlockInContext(ctx->llvm, function, "");
  free(types);
  return function;
}

/* Copy the call's attributes at `from` to function `to` at `index`: all attributes, or only those that the C convention
 * has. */
static void copy_attributes_to_function(LLVMValueRef call, LLVMAttributeIndex from, LLVMValueRef to,
                                        LLVMAttributeIndex index, bool all)
{
  unsigned count = LLVMGetCallSiteAttributeCount(call, from);
  LLVMAttributeRef *list = cn_alloc((count + 1) * sizeof *list);

  LLVMGetCallSiteAttributes(call, from, list);
  for (unsigned i = 0; i < count; i++)
    if (all || cn_attribute_is_of_c_convention(list[i]))
      LLVMAddAttributeAtIndex(to, index, list[i]);
  free(list);
}

static void build_return(LLVMBuilderRef builder, LLVMValueRef value)
{
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, value);
}

static void fill_native_bridge(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef *arguments = cn_alloc((site->count + 1) * sizeof *arguments);

  CN_CHECK(LLVMCountParams(function) == site->count + 1); /* the last parameter is the target */
  LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(function));
  for (unsigned i = 0; i < site->count; i++) {
    arguments[i] = LLVMGetParam(function, i);
    copy_attributes_to_function(site->call, site->first + i + 1, function, i + 1, false);
  }
  LLVMValueRef call =
      LLVMBuildCall2(builder, site->type, LLVMGetParam(function, site->count), arguments, site->count, "");
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(site->call));
  for (unsigned i = 0; i < site->count; i++)
    cn_emit_copy_attributes(site->call, site->first + i + 1, call, i + 1, NULL);
  build_return(builder, call);
  free(arguments);
  LLVMDisposeBuilder(builder);
}

LLVMValueRef cn_bridge_native_for(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  char *name = bridge_name_of(CN_NATIVE_PREFIX, site);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function) {
    function = add_bridge_function(ctx, site, name);
    fill_native_bridge(ctx, site, function);
  }
  free(name);
  return function;
}

/* ---- the managed one ---- */

static LLVMTypeRef type_with_nest_parameter(struct cn_ctx *ctx, LLVMValueRef native)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(native);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = cn_alloc((count + 1) * sizeof *types);

  LLVMGetParamTypes(type, types);
  types[count] = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef longer = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, false);
  free(types);
  return longer;
}

/* Build the statepoint of the bridge's call. The statepoint lists no live references: the passed references belong to
 * the callee. */
static LLVMValueRef build_statepoint(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function,
                                     LLVMValueRef native)
{
  enum { FIXED_OPERAND_COUNT = CN_STATEPOINT_FIXED_ARGS };
  unsigned params = LLVMCountParams(function), at = 0;
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMValueRef intrinsic = cn_intrinsic(ctx, "llvm.experimental.gc.statepoint", &pointer, 1);
  LLVMValueRef *operands = cn_alloc((FIXED_OPERAND_COUNT + params + 3) * sizeof *operands);
  LLVMValueRef zero = LLVMConstInt(i32, 0, false);

  operands[at++] = LLVMConstInt(i64, CAIRN_ABI_STATEPOINT_ID_DEFAULT, false);
  operands[at++] = zero;
  operands[at++] = cn_declare_stub(ctx, CN_CALL_NATIVE);
  operands[at++] = LLVMConstInt(i32, params + 1, false);
  operands[at++] = zero;
  for (unsigned i = 0; i < params; i++)
    operands[at++] = LLVMGetParam(function, i);
  operands[at++] = native;
  operands[at++] = zero;
  operands[at++] = zero;
  CN_CHECK(at == FIXED_OPERAND_COUNT + params + 3);
  LLVMValueRef statepoint = LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, operands, at, "");
  LLVMAddCallSiteAttribute(
      statepoint, 3,
      LLVMCreateTypeAttribute(ctx->llvm, cn_attribute_kind("elementtype"), type_with_nest_parameter(ctx, native)));
  LLVMAddCallSiteAttribute(statepoint, FIXED_OPERAND_COUNT + params + 1, cn_enum_attribute_of_name(ctx, "nest"));
  free(operands);
  return statepoint;
}

static void fill_managed_bridge(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef native = cn_bridge_native_for(ctx, site);
  LLVMTypeRef type = LLVMGetReturnType(site->type);

  LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(function));
  LLVMValueRef statepoint = build_statepoint(ctx, builder, function, native);
  for (unsigned i = 0; i < site->count; i++) {
    unsigned from = site->first + i + 1;
    copy_attributes_to_function(site->call, from, function, i + 1, true);
    cn_emit_copy_attributes(site->call, from, statepoint, CN_STATEPOINT_FIXED_ARGS + i + 1,
                            cn_attribute_is_of_c_convention);
  }
  if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) {
    LLVMBuildRetVoid(builder);
  } else {
    LLVMValueRef result = cn_intrinsic(ctx, "llvm.experimental.gc.result", &type, 1);
    LLVMBuildRet(builder, LLVMBuildCall2(builder, LLVMGlobalGetValueType(result), result, &statepoint, 1, ""));
  }
  LLVMDisposeBuilder(builder);
}

/* Copy the caller's kind of barriers to the bridge, which stores no references and so fits any kind. */
static void copy_barrier_kind(LLVMValueRef from, LLVMValueRef to)
{
  LLVMAttributeRef kind = cn_string_attribute(from, CN_ATTR_BARRIERS);

  if (kind)
    LLVMAddAttributeAtIndex(to, CN_FUNCTION_INDEX, kind);
}

LLVMValueRef cn_bridge_managed_for(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  char *name = bridge_name_of(CN_BRIDGE_PREFIX, site);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function) {
    function = add_bridge_function(ctx, site, name);
    LLVMSetGC(function, "statepoint-example");
    copy_barrier_kind(cn_call_target_caller(site), function);
    LLVMSetFunctionCallConv(function, LLVMGetInstructionCallConv(site->call));
    cn_add_enum_attribute(ctx, function, site->count + 1, "nest", 0);
    fill_managed_bridge(ctx, site, function);
  }
  free(name);
  return function;
}
