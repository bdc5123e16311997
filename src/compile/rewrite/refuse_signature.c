/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses functions whose parameters, convention, gc strategy or frame would make all their statepoints imprecise
 * (docs/refused.md). Part of rewrite-statepoints. Needs: any function. Provides: diagnostics. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/refuse.h"
#include "compile/rewrite/values/refs.h"
#include "compile/tail/tail.h"

bool cn_is_scalable_reference_vector(LLVMTypeRef type)
{
  return cn_holds_scalable_vector(type) && cn_holds_ref(type);
}

static void check_parameters(struct cn_ctx *ctx, LLVMValueRef function)
{
  static const char *const copies[] = {"byval", "inalloca", "preallocated"};

  for (unsigned p = 0; p < LLVMCountParams(function); p++) {
    if (cn_is_scalable_reference_vector(LLVMTypeOf(LLVMGetParam(function, p))))
      cn_error(ctx, function, "scalable-vector", "parameter %u is a scalable vector of references", p + 1);
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
      unsigned kind = cn_attribute_kind(copies[c]);
      LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, p + 1, kind);
      if (attribute && (cn_holds_ref(LLVMGetTypeAttributeValue(attribute)) ||
                        cn_alloca_uses_access_references(ctx, LLVMGetParam(function, p))))
        cn_error(ctx, function, "byval-reference",
                 "parameter %u is a copy on the stack whose references no map describes", p + 1);
    }
  }
}

static void check_swifterror(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned kind = cn_attribute_kind("swifterror");

  for (unsigned p = 0; p < LLVMCountParams(function); p++)
    if (LLVMGetEnumAttributeAtIndex(function, p + 1, kind) &&
        cn_alloca_uses_access_references(ctx, LLVMGetParam(function, p)))
      cn_error(ctx, function, "swifterror-reference",
               "parameter %u, a swifterror one, lies in a register that no map describes", p + 1);
}

/* Refuse conventions whose callees save registers at places that frame maps cannot describe. */
static void check_calling_convention(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned convention = LLVMGetFunctionCallConv(function);

  if (convention == LLVMPreserveMostCallConv || convention == LLVMPreserveAllCallConv ||
      convention == LLVMWin64CallConv || convention == LLVMColdCallConv)
    cn_error(ctx, function, "calling-convention",
             "a managed function of calling convention %u (preserve_most, preserve_all, ms_abi, "
             "coldcc) saves registers that frame maps do not describe; give it the usual one",
             convention);
  if (LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("naked")))
    cn_error(ctx, function, "naked-function",
             "a function without prologue has no frame in which references could survive a call");
}

/* Refuse another strategy on a function with attribute "cairn", which asks for the strategy that the code generator
 * lowers. */
void cn_refuse_strategy(struct cn_ctx *ctx, LLVMValueRef function)
{
  const char *gc = LLVMGetGC(function);

  CN_ASSERT(LLVMIsAFunction(function));
  if (gc && !cn_is_managed_gc_strategy(gc))
    cn_error(ctx, function, "gc-strategy",
             "a function with attribute \"cairn\" has gc \"%s\", which is lowered otherwise", gc);
}

void cn_refuse_signature(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  check_parameters(ctx, function);
  check_swifterror(ctx, function);
  check_calling_convention(ctx, function);
}

static void check_state_attributes(struct cn_function_check *judge, const char *start)
{
  unsigned count = LLVMGetAttributeCountAtIndex(judge->function, CN_FUNCTION_INDEX), length;
  LLVMAttributeRef *list = cn_alloc(count * sizeof *list);

  LLVMGetAttributesAtIndex(judge->function, CN_FUNCTION_INDEX, list);
  for (unsigned i = 0; i < count; i++) {
    const char *name = LLVMIsStringAttribute(list[i]) ? LLVMGetStringAttributeKind(list[i], &length) : "";
    if (strncmp(name, start, strlen(start)) == 0)
      cn_error(judge->ctx, judge->function, "processor-state",
               "the attribute \"%s\" changes the processor's state for calls, which LLVM 22 leaves out at a safepoint",
               name);
  }
  free(list);
}

static bool has_scalable_value(LLVMValueRef instruction)
{
  if (cn_holds_scalable_vector(LLVMTypeOf(instruction)) ||
      (LLVMIsAAllocaInst(instruction) && cn_holds_scalable_vector(LLVMGetAllocatedType(instruction))))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (cn_holds_scalable_vector(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
      return true;
  return false;
}

/* True for musttail calls, and for those that cn_tail_make_musttail_calls() makes so. */
static bool never_returns_here(LLVMValueRef call)
{
  return cn_calls_is_musttail(call) || (cn_is_in_tail_position(call) && cn_tail_is_guaranteed(call));
}

/* True for a call whose callee pops arguments that may be in memory. */
static bool has_popped_arguments(const struct cn_convention_port *port, LLVMValueRef call)
{
  unsigned used[CN_REGISTER_CLASS_OTHER + 1] = {0};

  if (!LLVMIsACallInst(call) && !LLVMIsAInvokeInst(call))
    return false;
  if (!cn_convention_has_tail_calls(LLVMGetInstructionCallConv(call)) || never_returns_here(call))
    return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    used[cn_register_class_of(LLVMTypeOf(LLVMGetOperand(call, i)))]++;
  return used[CN_REGISTER_CLASS_INTEGER] > port->argument_registers[CN_REGISTER_CLASS_INTEGER] ||
         used[CN_REGISTER_CLASS_VECTOR] > port->argument_registers[CN_REGISTER_CLASS_VECTOR] ||
         used[CN_REGISTER_CLASS_OTHER] > 0;
}

static void refuse_popped_arguments(struct cn_function_check *judge, const struct cn_convention_port *port)
{
  CN_EACH_BLOCK(b, judge->function)
    CN_EACH_INSTRUCTION(i, b)
      if (has_popped_arguments(port, i)) {
        cn_refuse_at(
            judge, i, "calling-convention",
            "a call of tailcc or swifttailcc with arguments in memory, which is no tail call: LLVM 22 may read the "
            "frame there before it restores the stack pointer; pass fewer arguments");
        return;
      }
}

static void refuse_scalable_values(struct cn_function_check *judge)
{
  CN_EACH_BLOCK(b, judge->function)
    CN_EACH_INSTRUCTION(i, b)
      if (has_scalable_value(i)) {
        cn_refuse_at(judge, i, "scalable-vector",
                     "a scalable vector in a function with safepoints: stack maps do not describe the scalable part of "
                     "a frame; use vectors of a fixed length, or a native function");
        return;
      }
}

void cn_refuse_for_target(struct cn_function_check *judge)
{
  const struct cn_convention_port *port = cn_convention_port_of(judge->ctx->module);

  CN_ASSERT(judge->has_points);
  if (port->state_attribute_start)
    check_state_attributes(judge, port->state_attribute_start);
  if (port->loses_popped_arguments)
    refuse_popped_arguments(judge, port);
  if (port->has_scalable_frames)
    refuse_scalable_values(judge);
}
