/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a call or statepoint again, with another callee, more arguments or another convention. The new call keeps the
 * bundles, attributes, metadata and destinations. Needs: nothing. Provides: cn_rebuild_call(),
 * cn_rebuild_call_through_stub(); the test for attributes of the C convention. Breaks: nothing.
 *
 * A variadic call gets a function type made of its arguments' types, because a statepoint cannot express that its
 * callee is variadic (docs/llvm-22.md, "variadic callees"). Two kinds of calls keep their type: an existing statepoint,
 * and a musttail call, which passes on its function's variable arguments.
 */
#include "compile/transitions/rebuild.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"

typedef CN_VECTOR(LLVMTypeRef) type_vector;
enum { CALLEE_OPERAND = 2, ARG_COUNT_OPERAND = 3 }; /* operands of a statepoint */

static unsigned added_argument_count_of(const struct cn_call_change *change)
{
  CN_CHECK(change->first_count <= sizeof change->first / sizeof *change->first);
  CN_CHECK(change->more_count <= sizeof change->more / sizeof *change->more);
  return change->first_count + change->more_count;
}

/* ---- the type ---- */

static LLVMTypeRef rebuilt_type_of(const struct cn_call_target *site, const struct cn_call_change *change)
{
  bool variadic = LLVMIsFunctionVarArg(site->type), hands_on = cn_calls_is_musttail(site->call);
  type_vector types = {0};

  if (variadic && site->is_statepoint)
    return site->type;
  for (unsigned i = 0; i < change->first_count; i++)
    cn_push(&types, LLVMTypeOf(change->first[i]));
  for (unsigned i = 0; i < site->count; i++)
    cn_push(&types, LLVMTypeOf(LLVMGetOperand(site->call, site->first + i)));
  for (unsigned i = 0; i < change->more_count; i++)
    cn_push(&types, LLVMTypeOf(change->more[i]));
  LLVMTypeRef type =
      LLVMFunctionType(LLVMGetReturnType(site->type), types.at, (unsigned)types.count, variadic && hands_on);
  cn_free(&types);
  return type;
}

/* ---- operands ---- */

static void gather_operands(struct cn_ctx *ctx, const struct cn_call_target *site, const struct cn_call_change *change,
                            struct cn_operands *operands)
{
  unsigned all = LLVMGetNumArgOperands(site->call), end = site->first + site->count;

  for (unsigned i = 0; i < site->first; i++)
    cn_push(&operands->values, LLVMGetOperand(site->call, i));
  for (unsigned i = 0; i < change->first_count; i++)
    cn_push(&operands->values, change->first[i]);
  for (unsigned i = site->first; i < end; i++)
    cn_push(&operands->values, LLVMGetOperand(site->call, i));
  for (unsigned i = 0; i < change->more_count; i++)
    cn_push(&operands->values, change->more[i]);
  for (unsigned i = end; i < all; i++)
    cn_push(&operands->values, LLVMGetOperand(site->call, i));
  if (!site->is_statepoint)
    return;
  operands->values.at[CALLEE_OPERAND] = change->callee;
  operands->values.at[ARG_COUNT_OPERAND] =
      LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), added_argument_count_of(change) + site->count, false);
}

static bool has_tag(LLVMOperandBundleRef bundle, const char *tag)
{
  size_t length;
  const char *name = LLVMGetOperandBundleTag(bundle, &length);

  return length == strlen(tag) && memcmp(name, tag, length) == 0;
}

static LLVMValueRef build_changed_call(struct cn_ctx *ctx, const struct cn_call_target *site,
                                       const struct cn_call_change *change, LLVMTypeRef type, LLVMValueRef callee,
                                       const struct cn_operands *operands)
{
  LLVMValueRef old = site->call;
  CN_CHECK(LLVMIsACallInst(old) || LLVMIsAInvokeInst(old)); /* callers pass only calls and invokes */
  unsigned count = 0, size = (unsigned)operands->values.count;
  LLVMOperandBundleRef *bundles = cn_alloc((LLVMGetNumOperandBundles(old) + 1) * sizeof *bundles);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  for (unsigned i = 0; i < LLVMGetNumOperandBundles(old); i++) {
    bundles[count] = LLVMGetOperandBundleAtIndex(old, i);
    if (change->without && has_tag(bundles[count], change->without))
      LLVMDisposeOperandBundle(bundles[count]);
    else
      count++;
  }
  LLVMPositionBuilderBefore(builder, old);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(old));
  LLVMValueRef made =
      LLVMIsAInvokeInst(old)
          ? LLVMBuildInvokeWithOperandBundles(builder, type, callee, operands->values.at, size, LLVMGetNormalDest(old),
                                              LLVMGetUnwindDest(old), bundles, count, "")
          : LLVMBuildCallWithOperandBundles(builder, type, callee, operands->values.at, size, bundles, count, "");
  for (unsigned i = 0; i < count; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  LLVMDisposeBuilder(builder);
  free(bundles);
  return made;
}

/* ---- attributes of the call ---- */

bool cn_attribute_is_of_c_convention(LLVMAttributeRef attribute)
{
  static const char *const kept[] = {"zeroext", "signext", "byval", "noundef", "align"};

  if (!LLVMIsEnumAttribute(attribute) && !LLVMIsTypeAttribute(attribute))
    return false;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (LLVMGetEnumAttributeKind(attribute) == cn_attribute_kind(kept[i]))
      return true;
  return false;
}

static void copy_call_properties(struct cn_ctx *ctx, const struct cn_call_target *site,
                                 const struct cn_call_change *change, LLVMTypeRef type, LLVMValueRef made)
{
  LLVMValueRef old = site->call;
  LLVMAttributeIndex last = site->first + site->count;

  cn_emit_copy_attributes(old, CN_FUNCTION_INDEX, made, CN_FUNCTION_INDEX, NULL);
  cn_emit_copy_attributes(old, LLVMAttributeReturnIndex, made, LLVMAttributeReturnIndex, NULL);
  for (LLVMAttributeIndex i = site->first + 1; i <= last; i++)
    cn_emit_copy_attributes(old, i, made, i + change->first_count,
                            change->keeps_passing ? NULL : cn_attribute_is_of_c_convention);
  if (change->more_count)
    LLVMAddCallSiteAttribute(made, last + added_argument_count_of(change), cn_enum_attribute_of_name(ctx, "nest"));
  if (site->is_statepoint)
    LLVMAddCallSiteAttribute(made, CALLEE_OPERAND + 1,
                             LLVMCreateTypeAttribute(ctx->llvm, cn_attribute_kind("elementtype"), type));
  LLVMSetInstructionCallConv(made, change->convention);
  if (LLVMIsACallInst(old))
    LLVMSetTailCallKind(made, LLVMGetTailCallKind(old));
  cn_emit_copy_metadata(ctx, old, made);
}

LLVMValueRef cn_rebuild_call(struct cn_ctx *ctx, const struct cn_call_target *site, const struct cn_call_change *change)
{
  CN_CHECK(site->type && change->callee); /* an earlier check refuses a statepoint without a type */
  LLVMTypeRef type = rebuilt_type_of(site, change);
  struct cn_operands operands = {0};
  LLVMValueRef old = site->call, made;

  gather_operands(ctx, site, change, &operands);
  CN_CHECK(operands.values.count == LLVMGetNumArgOperands(old) + added_argument_count_of(change));
  if (site->is_statepoint)
    made = build_changed_call(ctx, site, change, LLVMGetCalledFunctionType(old), LLVMGetCalledValue(old), &operands);
  else
    made = build_changed_call(ctx, site, change, type, change->callee, &operands);
  copy_call_properties(ctx, site, change, type, made);
  cn_emit_replace_instruction(old, made);
  cn_free(&operands.values);
  return made;
}

void cn_rebuild_call_through_stub(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef stub,
                                  LLVMValueRef target)
{
  const struct cn_call_change change = {.callee = stub,
                                        .more = {target},
                                        .more_count = 1,
                                        .convention = LLVMGetInstructionCallConv(site->call),
                                        .keeps_passing = true};

  cn_rebuild_call(ctx, site, &change);
}
