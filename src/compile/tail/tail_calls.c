/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps calls in tail position tail calls, as in plain C: a call that is marked `tail` becomes musttail if it ends its
 * function. Part of rewrite-statepoints. The caller's frame is gone before a collector could walk it, so a musttail
 * call needs no statepoint (docs/llvm-22.md, "musttail"), and recursion through such calls needs no stack. LLVM's own
 * rewriter turns tail calls into statepoints.
 *
 * A musttail call must have the signature of its caller. The caller's signature suffices for a callee with another
 * signature if both signatures put each argument of the callee in the same register: parameters that the callee lacks
 * get poison, and an unused result is ignored. tail_widen.c handles the other calls at the end of the pipeline.
 *
 * Needs: any function. Provides: cn_tail_make_musttail_calls(), the first step of rewrite-statepoints in a function;
 * after early insertion, attributes that keep the optimiser from inlining these callees or making loops. Breaks: struct
 * cn_cfg; tail calls that share a return get separate returns.
 */
#include "compile/tail/tail.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

static const char *const passing_attributes[] = CN_TAIL_PASSING;
enum { PASSING_ATTRIBUTE_COUNT = sizeof passing_attributes / sizeof *passing_attributes };

/* ---- signatures ---- */

static LLVMTypeRef parameter_type_of(LLVMValueRef function, unsigned i)
{
  return LLVMTypeOf(LLVMGetParam(function, i));
}

static bool argument_has_attribute(LLVMValueRef call, unsigned i, const char *name)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = cn_attribute_kind(name);

  return LLVMGetCallSiteEnumAttribute(call, i + 1, kind) ||
         (callee && i < LLVMCountParams(callee) && LLVMGetEnumAttributeAtIndex(callee, i + 1, kind));
}

/* True if parameter `i` of the caller and argument `i` of the call have one type and are passed alike. Arguments that
 * are copied to the stack are refused, because both copies would be in one place. The result pointer `sret`, which the
 * callee returns in a register, must be the parameter itself. */
static bool is_passed_alike(LLVMValueRef function, LLVMValueRef call, unsigned i)
{
  static const char *const never[] = {"byval", "inalloca", "preallocated", "swifterror"};
  LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));

  if (type != parameter_type_of(function, i))
    return false;
  for (unsigned a = 0; a < sizeof never / sizeof *never; a++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind(never[a])) ||
        argument_has_attribute(call, i, never[a]))
      return false;
  for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++) {
    unsigned kind = cn_attribute_kind(passing_attributes[a]);
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind) != LLVMGetCallSiteEnumAttribute(call, i + 1, kind))
      return false;
    if (!argument_has_attribute(call, i, passing_attributes[a]))
      continue;
    if (!LLVMGetCallSiteEnumAttribute(call, i + 1, kind))
      return false;
  }
  return !argument_has_attribute(call, i, "sret") || LLVMGetArgOperand(call, i) == LLVMGetParam(function, i);
}

static bool has_caller_signature(LLVMValueRef function, LLVMValueRef call)
{
  unsigned count = LLVMCountParams(function);

  if (LLVMGetNumArgOperands(call) != count)
    return false;
  for (unsigned i = 0; i < count; i++)
    if (!is_passed_alike(function, call, i))
      return false;
  return true;
}

static bool lacks_passing_attributes(LLVMValueRef function, LLVMValueRef call)
{
  for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++) {
    unsigned kind = cn_attribute_kind(passing_attributes[a]);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
      if (argument_has_attribute(call, i, passing_attributes[a]))
        return false;
  }
  return true;
}

/* True if the register of a parameter of type `to` can pass an argument of type `from` to the callee; both types have
 * one register class. */
static bool fits_parameter_type(LLVMTypeRef from, LLVMTypeRef to)
{
  if (from == to)
    return true;
  return LLVMGetTypeKind(from) == LLVMIntegerTypeKind && LLVMGetTypeKind(to) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(from) < LLVMGetIntTypeWidth(to) && LLVMGetIntTypeWidth(to) >= 32;
}

/* Find, for each argument of the call, the parameter of the caller in the same register; false if an argument lacks
 * such a parameter. */
static bool find_caller_parameters(LLVMValueRef function, LLVMValueRef call, unsigned *places)
{
  unsigned count = LLVMCountParams(function), next[CN_REGISTER_CLASS_COUNT] = {0};
  const struct cn_convention_port *port = cn_convention_port_at(call);
  unsigned used[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned p = 0; p < count; p++)
    if (cn_register_class_of(parameter_type_of(function, p)) == CN_REGISTER_CLASS_OTHER)
      return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));
    enum cn_register_class class = cn_register_class_of(type);
    if (class == CN_REGISTER_CLASS_OTHER || used[class]++ == port->argument_registers[class])
      return false;
    unsigned p = next[class];
    while (p < count && cn_register_class_of(parameter_type_of(function, p)) != class)
      p++;
    if (p == count || !fits_parameter_type(type, parameter_type_of(function, p)))
      return false;
    places[i] = p;
    next[class] = p + 1;
  }
  return true;
}

/* ---- the change ---- */

/* Blocks that got separate returns, and the shared return blocks that they branched to. */
struct split_returns {
  struct cn_ptrmap blocks;
  CN_VECTOR(LLVMBasicBlockRef) shared;
};

/* Remove the inputs of split blocks from the phis of `block`: build each phi once again. */
static void drop_split_edges(struct cn_ctx *ctx, LLVMBasicBlockRef block, const struct split_returns *split)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
    unsigned count = LLVMCountIncoming(phi);
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef copy = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
    LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(phi));
    for (unsigned n = 0; n < count; n++) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, n);
      LLVMBasicBlockRef source = LLVMGetIncomingBlock(phi, n);
      if (!cn_ptrmap_find(&split->blocks, source))
        LLVMAddIncoming(copy, &value, &source, 1);
    }
    cn_emit_replace_instruction(phi, copy);
  }
  LLVMDisposeBuilder(builder);
}

static bool has_predecessor(LLVMBasicBlockRef block)
{
  return LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) != NULL;
}

static void add_own_return(struct cn_ctx *ctx, LLVMValueRef call, struct split_returns *split)
{
  LLVMValueRef end = cn_tail_terminator_after(call), ret = cn_tail_return_of(call);
  CN_CHECK(end && ret); /* cn_is_in_tail_position() */
  LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  for (LLVMValueRef i; (i = LLVMGetNextInstruction(call)) != end;)
    cn_move_instruction_before(ctx, i, call);
  if (end != ret) {
    LLVMBasicBlockRef shared = LLVMGetInstructionParent(ret);
    LLVMPositionBuilderBefore(builder, end);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(ret));
    if (LLVMGetNumOperands(ret))
      LLVMBuildRet(builder, call);
    else
      LLVMBuildRetVoid(builder);
    LLVMInstructionEraseFromParent(end);
    *cn_ptrmap_add(&split->blocks, block, NULL) = 1;
    if (split->shared.count == 0 || split->shared.at[split->shared.count - 1] != shared)
      cn_push(&split->shared, shared);
  }
  LLVMDisposeBuilder(builder);
}

static LLVMValueRef widen_argument(LLVMBuilderRef builder, LLVMValueRef call, unsigned i, LLVMTypeRef type)
{
  LLVMValueRef value = LLVMGetArgOperand(call, i);

  if (LLVMTypeOf(value) == type)
    return value;
  return argument_has_attribute(call, i, "signext") ? LLVMBuildSExt(builder, value, type, "")
                                                    : LLVMBuildZExt(builder, value, type, "");
}

static void copy_extension_attributes(LLVMValueRef call, unsigned i, LLVMValueRef to, unsigned place,
                                      struct cn_ctx *ctx)
{
  static const char *const names[] = {"zeroext", "signext"};

  for (size_t a = 0; a < sizeof names / sizeof *names; a++)
    if (argument_has_attribute(call, i, names[a]))
      LLVMAddCallSiteAttribute(to, place + 1, LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(names[a]), 0));
}

void cn_tail_copy_promise(LLVMValueRef from, LLVMValueRef to)
{
  LLVMAttributeRef promise = LLVMGetCallSiteStringAttribute(from, CN_FUNCTION_INDEX, CN_ATTR_MANAGED_CALLEE,
                                                            (unsigned)strlen(CN_ATTR_MANAGED_CALLEE));

  if (promise)
    LLVMAddCallSiteAttribute(to, CN_FUNCTION_INDEX, promise);
}

static LLVMValueRef rebuild_with_caller_signature(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef call,
                                                  const unsigned *places)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  unsigned count = LLVMCountParams(function);
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments);

  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  for (unsigned p = 0; p < count; p++)
    arguments[p] = LLVMGetPoison(parameter_type_of(function, p));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    arguments[places[i]] = widen_argument(builder, call, i, parameter_type_of(function, places[i]));
  LLVMValueRef made =
      LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), LLVMGetCalledValue(call), arguments, count, "");
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    copy_extension_attributes(call, i, made, places[i], ctx);
  cn_tail_copy_promise(call, made);
  if (LLVMTypeOf(made) == LLVMTypeOf(call)) {
    cn_emit_copy_attributes(call, LLVMAttributeReturnIndex, made, LLVMAttributeReturnIndex, NULL);
    LLVMReplaceAllUsesWith(call, made);
  }
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
  free(arguments);
  return made;
}

/* True if cn_register_class_of() describes the registers of the convention. */
static bool is_plain_convention(unsigned convention)
{
  return convention == LLVMCCallConv || convention == LLVMFastCallConv || convention == LLVMColdCallConv;
}

bool cn_tail_is_guaranteed(LLVMValueRef call)
{
  static const char *const registers[] = {"swiftself", "swiftasync"};
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  unsigned convention = LLVMGetInstructionCallConv(call);

  if (!cn_convention_has_tail_calls(convention) || LLVMGetFunctionCallConv(function) != convention ||
      LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) ||
      LLVMTypeOf(call) != LLVMGetReturnType(LLVMGlobalGetValueType(function)))
    return false;
  for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++) {
    bool allowed = false;
    for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
      allowed |= strcmp(passing_attributes[a], registers[r]) == 0;
    for (unsigned i = 0; !allowed && i < LLVMGetNumArgOperands(call); i++)
      if (argument_has_attribute(call, i, passing_attributes[a]))
        return false;
    unsigned kind = cn_attribute_kind(passing_attributes[a]);
    for (unsigned i = 0; !allowed && i < LLVMCountParams(function); i++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
        return false;
  }
  return true;
}

static void make_musttail(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef call)
{
  CN_CHECK(LLVMIsAReturnInst(LLVMGetNextInstruction(call))); /* add_own_return() */
  unsigned convention = LLVMGetInstructionCallConv(call);

  if (LLVMGetFunctionCallConv(function) != convention || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return;
  unsigned *places = cn_alloc((LLVMGetNumArgOperands(call) + 1) * sizeof *places);
  if ((has_caller_signature(function, call) &&
       LLVMTypeOf(call) == LLVMGetReturnType(LLVMGlobalGetValueType(function))) ||
      cn_tail_is_guaranteed(call))
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
  else if (is_plain_convention(convention) && lacks_passing_attributes(function, call) &&
           find_caller_parameters(function, call, places))
    LLVMSetTailCallKind(rebuild_with_caller_signature(ctx, function, call, places), LLVMTailCallKindMustTail);
  free(places);
}

/* Keep the optimiser after early insertion from inlining the callee of a tail call, and from turning a recursive tail
 * call into a loop: the statepoints of such code would list neither the locals of this function nor the bases of its
 * arguments. */
static void protect_tail_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned noinline = cn_attribute_kind("noinline");
  bool any = false;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_classify_call(i).kind == CN_CALL_MUSTTAIL) {
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx->llvm, noinline, 0));
        any = true;
      }
  if (any) /* the code generator still makes musttail calls tail calls */
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(ctx->llvm, "disable-tail-calls", 18, "true", 4));
}

/* Clean up the shared returns, which the list may contain several times. */
static void clean_shared_returns(struct cn_ctx *ctx, struct split_returns *split)
{
  struct cn_ptrmap done = {0};

  for (size_t i = 0; i < split->shared.count; i++) {
    LLVMBasicBlockRef shared = split->shared.at[i];
    if (cn_ptrmap_find(&done, shared))
      continue;
    *cn_ptrmap_add(&done, shared, NULL) = 1;
    drop_split_edges(ctx, shared, split);
    if (!has_predecessor(shared))
      LLVMDeleteBasicBlock(shared);
  }
  cn_ptrmap_free(&done);
  cn_ptrmap_free(&split->blocks);
  cn_free(&split->shared);
}

void cn_tail_make_musttail_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) calls = {0};
  struct split_returns split = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_in_tail_position(i))
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++) {
    add_own_return(ctx, calls.at[i], &split);
    make_musttail(ctx, function, calls.at[i]);
  }
  clean_shared_returns(ctx, &split);
  if (ctx->options->safepoints == CAIRN_SAFEPOINTS_EARLY)
    protect_tail_calls(ctx, function);
  cn_free(&calls);
}
