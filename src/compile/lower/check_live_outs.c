/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `check-live-outs`: refuses functions for which LLVM 22 would crash while it lists the registers that are live
 * after a patchpoint (LLVM issue 53828). The list would have a register without a number: the control register of
 * floating-point arithmetic, or the shadow stack pointer, which ordinary calls read.
 *
 * Needs: a module for the code generator. Provides: diagnostics of rule patch-point, if cairn_compile_live_outs() asks
 * for the lists. Breaks: nothing.
 *
 * The code generator merges, copies and reorders blocks, so the check covers whole functions. Statepoints are fit.
 */
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/effects/points.h"
#include "compile/lower/live_outs.h"

static bool is_wanted;

void cn_live_outs_set_wanted(bool wanted)
{
  is_wanted = wanted;
}

static bool is_floating(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
    return true;
  case LLVMVectorTypeKind:
    return is_floating(LLVMGetElementType(type));
  default:
    return cn_is_returned_on_x87_stack(type); /* long double */
  }
}

static bool has_floating_operand_or_result(LLVMValueRef instruction)
{
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_floating(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
      return true;
  return is_floating(LLVMTypeOf(instruction));
}

static bool is_long_double(LLVMValueRef value)
{
  return cn_is_returned_on_x87_stack(LLVMTypeOf(value));
}

/* True for instructions that only move or choose values. Moves of a long double read a control register, too. */
static bool only_moves(LLVMValueRef instruction)
{
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_long_double(LLVMGetOperand(instruction, (unsigned)i)))
      return false;
  if (is_long_double(instruction))
    return false;
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMRet:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
    return true;
  default:
    return false;
  }
}

/* True for copies and fills of memory that LLVM may turn into calls: at -O0, of many bytes, or of a varying number. */
static bool may_call_memory_function(const struct cn_ctx *ctx, LLVMValueRef call)
{
  enum { LENGTH_OPERAND = 2, MAX_BYTES_IN_LINE = 32 };

  if (!cn_calls_intrinsic(call, "llvm.memcpy") && !cn_calls_intrinsic(call, "llvm.memmove") &&
      !cn_calls_intrinsic(call, "llvm.memset"))
    return false;
  LLVMValueRef length = LLVMGetOperand(call, LENGTH_OPERAND);
  return ctx->options->opt_level == 0 || !LLVMIsAConstantInt(length) ||
         LLVMConstIntGetZExtValue(length) > MAX_BYTES_IN_LINE;
}

static bool may_be_ordinary_call(const struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (!cn_is_call(instruction) || LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
    return false;
  return !cn_calls_some_intrinsic(instruction) || may_call_memory_function(ctx, instruction);
}

/* True for operations on more than 64 bits that LLVM turns into calls of its library. */
static bool is_library_operation(LLVMValueRef instruction)
{
  LLVMTypeRef type = LLVMTypeOf(instruction);

  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMAtomicCmpXchg:
    type = LLVMTypeOf(LLVMGetOperand(instruction, 1));
    break;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
  case LLVMMul:
  case LLVMAtomicRMW:
    break;
  case LLVMResume:
    return true;
  default:
    return false;
  }
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

/* True if the address of a thread-local may come from a call: with the general and the local dynamic model. */
static bool is_dynamic_thread_local(LLVMValueRef value)
{
  if (LLVMIsAGlobalVariable(value))
    return LLVMGetThreadLocalMode(value) == LLVMGeneralDynamicTLSModel ||
           LLVMGetThreadLocalMode(value) == LLVMLocalDynamicTLSModel;
  if (!LLVMIsAConstantExpr(value))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (is_dynamic_thread_local(LLVMGetOperand(value, (unsigned)i)))
      return true;
  return false;
}

static bool uses_dynamic_thread_local(LLVMValueRef instruction)
{
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_dynamic_thread_local(LLVMGetOperand(instruction, (unsigned)i)))
      return true;
  return false;
}

/* True for intrinsics of the machine, and for those that read or write control registers. */
static bool is_machine_intrinsic(LLVMValueRef instruction)
{
  const char *const prefixes[] = {cn_convention_port_at(instruction)->intrinsic_prefix, "llvm.get.", "llvm.set.",
                                  "llvm.reset.", "llvm.clear_cache"};
  size_t length;

  if (!cn_is_call(instruction) || !cn_direct_callee(instruction))
    return false;
  const char *name = LLVMGetValueName2(cn_direct_callee(instruction), &length);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

static const char *flaw_of(const struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (cn_is_point_call(instruction) || cn_calls_intrinsic(instruction, "llvm.experimental.gc.statepoint"))
    return NULL;
  if (may_be_ordinary_call(ctx, instruction) || is_library_operation(instruction))
    return "a call that is no safepoint";
  if (uses_dynamic_thread_local(instruction))
    return "a thread-local of a dynamic model, whose address may come from a call";
  if (is_machine_intrinsic(instruction))
    return "an intrinsic of the machine";
  return has_floating_operand_or_result(instruction) && !only_moves(instruction) ? "floating-point arithmetic" : NULL;
}

/* A patchpoint that may have code after it in its block. An invoke ends its block. */
static LLVMValueRef find_patchpoint(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && cn_is_point_call(i) && cn_point_call_of(i).is_patchpoint)
        return i;
  return NULL;
}

static void check_function(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef patchpoint)
{
  const char *flaw;
  char name[96];

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if ((flaw = flaw_of(ctx, i)) != NULL) {
        cn_error(ctx, i, "patch-point",
                 "the function has %s and %s, for which LLVM 22 cannot list the live registers (-fcairn-live-outs)",
                 flaw, cn_calls_describe(patchpoint, name, sizeof name));
        return;
      }
}

bool cn_check_live_outs(struct cn_ctx *ctx)
{
  if (!is_wanted)
    return true;
  CN_EACH_FUNCTION(f, ctx->module) {
    LLVMValueRef patchpoint = find_patchpoint(f);
    if (patchpoint)
      check_function(ctx, f, patchpoint);
  }
  return ctx->errors == 0;
}
