/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers managed address spaces other than 1. LLVM's strategies accept references in address space 1 only (its
 * verifier: "gc.relocate: must return gc pointer"). A statepoint therefore lists an addrspacecast of a reference in
 * another space, and an addrspacecast follows each gc.relocate. A cast between spaces below 256 is free
 * (docs/llvm-22.md, "address spaces"). The earlier steps of rewrite-statepoints use the original types
 * (statepoints-original, "Distinguishing references").
 *
 * Needs: functions with statepoints and relocates. Provides: gc-live operands, deopt operands and relocates are in
 * address space 1 only; an error for a managed address space that is 0, is defined by the target, or has pointers of
 * other than 64 bits. Breaks: nothing.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/emit/emitter.h"
#include "compile/rewrite/values/refs.h"

static bool check_address_space(struct cn_ctx *ctx, unsigned space)
{
  const char *why = NULL;

  if (space == 0)
    why = "there ordinary pointers live";
  else if (space >= CN_FIRST_TARGET_ADDRESS_SPACE)
    why = cn_convention_port_of(ctx->module)->own_spaces_reason;
  else if (LLVMPointerSizeForAS(ctx->layout, space) != 8)
    why = "its pointers are not of 64 bits";
  if (why)
    cn_error(ctx, NULL, "managed-space", "address space %u cannot be a managed one: %s", space, why);
  return !why;
}

bool cn_address_spaces_check(struct cn_ctx *ctx)
{
  const struct cairn_compile_options *o = ctx->options;
  bool ok = true;

  if (!o->address_space_count)
    return check_address_space(ctx, CAIRN_ABI_ADDRESS_SPACE);
  for (size_t i = 0; i < o->address_space_count; i++)
    ok &= check_address_space(ctx, o->address_spaces[i]);
  return ok;
}

struct space_lowering {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMTypeRef reference; /* ptr addrspace(1) */
};

static bool is_reference_in_other_space(const struct space_lowering *l, LLVMTypeRef type)
{
  return cn_is_ref(type) && type != l->reference;
}

static void lower_bundle_references(struct space_lowering *l, LLVMValueRef statepoint, const char *tag)
{
  uint32_t i, end;

  CN_ASSERT(cn_is_call(statepoint));
  for (cn_calls_find_bundle(statepoint, tag, &i, &end); i < end; i++) {
    LLVMValueRef operand = LLVMGetOperand(statepoint, i);
    if (!is_reference_in_other_space(l, LLVMTypeOf(operand)))
      continue;
    LLVMPositionBuilderBefore(l->builder, statepoint);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(statepoint));
    LLVMSetOperand(statepoint, i, LLVMBuildAddrSpaceCast(l->builder, operand, l->reference, ""));
  }
}

/* Returns the cast that replaces the relocate. */
static LLVMValueRef lower_relocate(struct space_lowering *l, LLVMValueRef relocate)
{
  LLVMValueRef declaration = cn_intrinsic(l->ctx, "llvm.experimental.gc.relocate", &l->reference, 1);
  LLVMValueRef old = LLVMGetCalledValue(relocate);
  LLVMValueRef args[] = {LLVMGetOperand(relocate, 0), LLVMGetOperand(relocate, 1), LLVMGetOperand(relocate, 2)};

  CN_ASSERT(cn_is_call(relocate));
  CN_CHECK(LLVMTypeOf(relocate) != l->reference);
  LLVMPositionBuilderBefore(l->builder, relocate);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(relocate));
  LLVMValueRef moved = LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(declaration), declaration, args, 3, "");
  LLVMSetInstructionCallConv(moved, LLVMGetInstructionCallConv(relocate));
  LLVMValueRef cast = LLVMBuildAddrSpaceCast(l->builder, moved, LLVMTypeOf(relocate), "");
  cn_emit_replace_instruction(relocate, cast);
  if (!LLVMGetFirstUse(old))
    LLVMDeleteFunction(old);
  return cast;
}

static LLVMValueRef lower_statepoint_or_relocate(struct space_lowering *l, LLVMValueRef i)
{
  if (is_reference_in_other_space(l, LLVMTypeOf(i)) && cn_calls_intrinsic(i, "llvm.experimental.gc.relocate"))
    return lower_relocate(l, i);
  if (cn_calls_intrinsic(i, "llvm.experimental.gc.statepoint")) {
    lower_bundle_references(l, i, "deopt");
    lower_bundle_references(l, i, "gc-live");
  }
  return i;
}

void cn_address_spaces_lower(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct space_lowering l = {.ctx = ctx, .reference = cn_ref_type(ctx)};

  CN_ASSERT(LLVMIsAFunction(function));
  if (!ctx->options->address_space_count)
    return;
  l.builder = LLVMCreateBuilderInContext(ctx->llvm);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      i = lower_statepoint_or_relocate(&l, i);
  LLVMDisposeBuilder(l.builder);
}
