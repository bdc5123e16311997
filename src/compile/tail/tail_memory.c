/* SPDX-License-Identifier: Apache-2.0
 *
 * Works around a defect of LLVM 22, which drops the arguments that a musttail call of `tailcc` or `swifttailcc` passes
 * in memory (llvm/llvm-project#199224). The callee finds the caller's own arguments in this memory, among them stale
 * references. LLVM also leaves the caller's arguments on the stack, but the callee pops only its own arguments: the
 * stack shrinks. LLVM passes and pops the arguments of calls marked `tail` correctly, and both conventions guarantee
 * tail calls also for `tail`. Part of pass tail-calls.
 *
 * In a function that gets arguments in memory, or has a tail call that passes some there, all musttail calls of these
 * conventions become `tail`. LLVM 22 may move the prologue behind musttail calls with arguments in registers, which
 * need no frame, but lets these calls pop the space that only the prologue reserves for the moved return address.
 *
 * Needs: all passes that search for safepoints have run, because a call marked `tail` looks like a safepoint. Provides:
 * the musttail calls of these conventions that remain pass their arguments in registers. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/tail/tail.h"

enum { WORD_BITS = 64, VECTOR_REGISTER_BITS = 128 };

/* The most registers that arguments need. */
struct register_usage {
  unsigned long long taken[CN_REGISTER_CLASS_COUNT];
  bool memory; /* some argument may be passed in memory */
};

static void add_register_usage(struct register_usage *r, LLVMTargetDataRef layout, LLVMTypeRef type)
{
  unsigned long long bits;

  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
  case LLVMPointerTypeKind:
    bits = LLVMSizeOfTypeInBits(layout, type);
    r->taken[CN_REGISTER_CLASS_INTEGER] += (bits + WORD_BITS - 1) / WORD_BITS;
    break;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
    r->taken[CN_REGISTER_CLASS_VECTOR]++;
    break;
  case LLVMVectorTypeKind:
    bits = LLVMSizeOfTypeInBits(layout, type);
    r->taken[CN_REGISTER_CLASS_VECTOR] += (bits + VECTOR_REGISTER_BITS - 1) / VECTOR_REGISTER_BITS;
    break;
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      add_register_usage(r, layout, LLVMStructGetTypeAtIndex(type, i));
    break;
  case LLVMArrayTypeKind:
    r->memory |= LLVMGetArrayLength2(type) > WORD_BITS;
    for (unsigned i = 0; !r->memory && i < LLVMGetArrayLength2(type); i++)
      add_register_usage(r, layout, LLVMGetElementType(type));
    break;
  default:
    r->memory = true;
  }
}

static bool exceeds_registers(const struct cn_ctx *ctx, struct register_usage *r)
{
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);

  for (unsigned c = 0; c < CN_REGISTER_CLASS_COUNT; c++)
    r->memory |= r->taken[c] > port->argument_registers[c];
  return r->memory;
}

static bool has_arguments_in_memory(const struct cn_ctx *ctx, LLVMValueRef call)
{
  struct register_usage r = {0};
  unsigned count = LLVMGetNumArgOperands(call);

  for (unsigned i = 0; i < count && !r.memory; i++)
    add_register_usage(&r, ctx->layout, LLVMTypeOf(LLVMGetArgOperand(call, i)));
  return exceeds_registers(ctx, &r);
}

static bool has_parameters_in_memory(const struct cn_ctx *ctx, LLVMValueRef function)
{
  struct register_usage r = {0};
  unsigned count = LLVMCountParams(function);

  for (unsigned i = 0; i < count && !r.memory; i++)
    add_register_usage(&r, ctx->layout, LLVMTypeOf(LLVMGetParam(function, i)));
  return exceeds_registers(ctx, &r);
}

static bool is_musttail_of_tail_convention(LLVMValueRef i)
{
  return cn_calls_is_musttail(i) && cn_convention_has_tail_calls(LLVMGetInstructionCallConv(i));
}

/* True if the function gets arguments in memory, or if a tail call in it may pass arguments in memory. */
static bool uses_argument_memory(const struct cn_ctx *ctx, LLVMValueRef function)
{
  if (has_parameters_in_memory(ctx, function))
    return true;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) != LLVMTailCallKindNone &&
          cn_classify_call(i).kind != CN_CALL_STATEPOINT &&
          cn_convention_has_tail_calls(LLVMGetInstructionCallConv(i)) && has_arguments_in_memory(ctx, i))
        return true;
  return false;
}

/* Drop "disable-tail-calls", which would stop calls marked `tail`; the other calls lose the mark `tail` instead. */
static void enable_tail_calls(LLVMValueRef function)
{
  static const char attribute[] = "disable-tail-calls";

  if (!LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, attribute, sizeof attribute - 1))
    return;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindTail)
        LLVMSetTailCallKind(i, LLVMTailCallKindNone);
  LLVMRemoveStringAttributeAtIndex(function, CN_FUNCTION_INDEX, attribute, sizeof attribute - 1);
}

void cn_tail_relax_musttail_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  bool uses = LLVMGetFirstBasicBlock(function) && uses_argument_memory(ctx, function);

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (uses && is_musttail_of_tail_convention(i)) {
        enable_tail_calls(function);
        LLVMSetTailCallKind(i, LLVMTailCallKindTail);
      }
}
