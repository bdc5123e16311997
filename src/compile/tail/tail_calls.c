/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in tail position stay tail calls, as in plain C: where a call that is marked `tail` is the
 * last thing that its function does, it becomes musttail. No frame is left that a collector could
 * look at, so there is no statepoint (docs/llvm-22.md, "musttail"), and recursion through such
 * calls does not use up the stack. LLVM's own rewriter wraps them.
 *
 * musttail must have the caller's signature. It will do for a callee with another one if
 * each of its arguments lies in the register that the caller's signature has it in: parameters that
 * the callee does not have are passed poison, and a result that nobody wants is ignored.
 * tail_widen.c has another way for the rest, at the end of the pipeline.
 *
 * Needs: nothing. Provides: cn_tail_calls(), the first step of rewrite-statepoints in a function.
 * Breaks: struct cn_cfg; a return that several tail calls share is made one for each.
 */
#include "compile/tail/tail.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"
#include "compile/transitions/callees.h"

static const char *const passing[] = CN_TAIL_PASSING;
enum { PASSING = sizeof passing / sizeof *passing };

/* ---- signatures ---- */

static LLVMTypeRef parameter_type(LLVMValueRef function, unsigned i)
{
  return LLVMTypeOf(LLVMGetParam(function, i));
}

/* An attribute of an argument: the caller of a function and the function itself may each have it.
 */
static bool argument_has(LLVMValueRef call, unsigned i, const char *name)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = cn_attribute_kind(name);

  return LLVMGetCallSiteEnumAttribute(call, i + 1, kind) ||
         (callee && i < LLVMCountParams(callee) &&
          LLVMGetEnumAttributeAtIndex(callee, i + 1, kind));
}

/* Are parameter `i` of the caller and argument `i` of the call passed in one way? A copy on the
 * stack is not: the two would be at one place. What comes back in a register must be the same. */
static bool passed_alike(LLVMValueRef function, LLVMValueRef call, unsigned i)
{
  static const char *const never[] = {"byval", "inalloca", "preallocated", "swifterror"};
  LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));

  if (type != parameter_type(function, i))
    return false;
  for (unsigned a = 0; a < sizeof never / sizeof *never; a++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind(never[a])) ||
        argument_has(call, i, never[a]))
      return false;
  for (unsigned a = 0; a < PASSING; a++) {
    unsigned kind = cn_attribute_kind(passing[a]);
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind) !=
        LLVMGetCallSiteEnumAttribute(call, i + 1, kind))
      return false;
    if (!argument_has(call, i, passing[a]))
      continue;
    if (!LLVMGetCallSiteEnumAttribute(call, i + 1, kind))
      return false;
  }
  return !argument_has(call, i, "sret") || LLVMGetArgOperand(call, i) == LLVMGetParam(function, i);
}

static bool has_own_signature(LLVMValueRef function, LLVMValueRef call)
{
  unsigned count = LLVMCountParams(function);

  if (LLVMGetNumArgOperands(call) != count)
    return false;
  for (unsigned i = 0; i < count; i++)
    if (!passed_alike(function, call, i))
      return false;
  return true;
}

static bool is_passed_plainly(LLVMValueRef function, LLVMValueRef call)
{
  for (unsigned a = 0; a < PASSING; a++) {
    unsigned kind = cn_attribute_kind(passing[a]);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
      if (argument_has(call, i, passing[a]))
        return false;
  }
  return true;
}

/* An argument of type `from` can be passed as a parameter of type `to` of the same class: what is
 * in the register is what the callee expects. */
static bool can_pass(LLVMTypeRef from, LLVMTypeRef to)
{
  if (from == to)
    return true;
  return LLVMGetTypeKind(from) == LLVMIntegerTypeKind &&
         LLVMGetTypeKind(to) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(from) < LLVMGetIntTypeWidth(to) && LLVMGetIntTypeWidth(to) >= 32;
}

/* The caller's parameter in whose register each argument of the call is passed; false if there is
 * none. */
static bool find_places(LLVMValueRef function, LLVMValueRef call, unsigned *places)
{
  unsigned count = LLVMCountParams(function), next[CN_CLASSES] = {0};
  unsigned used[CN_CLASSES] = {0};

  for (unsigned p = 0; p < count; p++)
    if (cn_convention_class(parameter_type(function, p)) == CN_CLASS_OTHER)
      return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));
    enum cn_register_class class = cn_convention_class(type);
    if (class == CN_CLASS_OTHER || used[class]++ == cn_convention_registers(class))
      return false;
    unsigned p = next[class];
    while (p < count && cn_convention_class(parameter_type(function, p)) != class)
      p++;
    if (p == count || !can_pass(type, parameter_type(function, p)))
      return false;
    places[i] = p;
    next[class] = p + 1;
  }
  return true;
}

/* ---- the change ---- */

/* Blocks that got returns of their own, and the shared ones that they went to before. */
struct parted {
  struct cn_ptrmap from;
  CN_VECTOR(LLVMBasicBlockRef) shared;
};

/* Take the edges from blocks that were parted away from the phis of `block`: they are built again,
 * once for all of its edges. */
static void drop_incoming(struct cn_ctx *ctx, LLVMBasicBlockRef block, const struct parted *parted)
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
      if (!cn_ptrmap_find(&parted->from, source))
        LLVMAddIncoming(copy, &value, &source, 1);
    }
    cn_emit_instead(phi, copy);
  }
  LLVMDisposeBuilder(builder);
}

static bool has_predecessor(LLVMBasicBlockRef block)
{
  return LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) != NULL;
}

/* Put a return of its own right behind the call. */
static void give_return(struct cn_ctx *ctx, LLVMValueRef call, struct parted *parted)
{
  LLVMValueRef end = cn_tail_end(call), ret = cn_tail_return(call);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  for (LLVMValueRef i; (i = LLVMGetNextInstruction(call)) != end;)
    cn_move_before(ctx, i, call);
  if (end != ret) {
    LLVMBasicBlockRef shared = LLVMGetInstructionParent(ret);
    LLVMPositionBuilderBefore(builder, end);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(ret));
    if (LLVMGetNumOperands(ret))
      LLVMBuildRet(builder, call);
    else
      LLVMBuildRetVoid(builder);
    LLVMInstructionEraseFromParent(end);
    *cn_ptrmap_add(&parted->from, block, NULL) = 1;
    if (parted->shared.count == 0 || parted->shared.at[parted->shared.count - 1] != shared)
      cn_push(&parted->shared, shared);
  }
  LLVMDisposeBuilder(builder);
}

static LLVMValueRef widen(LLVMBuilderRef builder, LLVMValueRef call, unsigned i, LLVMTypeRef type)
{
  LLVMValueRef value = LLVMGetArgOperand(call, i);

  if (LLVMTypeOf(value) == type)
    return value;
  return argument_has(call, i, "signext") ? LLVMBuildSExt(builder, value, type, "")
                                          : LLVMBuildZExt(builder, value, type, "");
}

static void copy_extension(LLVMValueRef call, unsigned i, LLVMValueRef to, unsigned place,
                           struct cn_ctx *ctx)
{
  static const char *const names[] = {"zeroext", "signext"};

  for (size_t a = 0; a < sizeof names / sizeof *names; a++)
    if (argument_has(call, i, names[a]))
      LLVMAddCallSiteAttribute(to, place + 1,
                               LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(names[a]), 0));
}

/* The same call by the signature of `function`. */
static LLVMValueRef build_as(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef call,
                             const unsigned *places)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  unsigned count = LLVMCountParams(function);
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments);

  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  for (unsigned p = 0; p < count; p++)
    arguments[p] = LLVMGetPoison(parameter_type(function, p));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    arguments[places[i]] = widen(builder, call, i, parameter_type(function, places[i]));
  LLVMValueRef made = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function),
                                     LLVMGetCalledValue(call), arguments, count, "");
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    copy_extension(call, i, made, places[i], ctx);
  if (LLVMTypeOf(made) == LLVMTypeOf(call)) {
    cn_emit_attributes_of(call, LLVMAttributeReturnIndex, made, LLVMAttributeReturnIndex, NULL);
    LLVMReplaceAllUsesWith(call, made);
  }
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
  free(arguments);
  return made;
}

/* The conventions whose registers cn_convention_class() knows. */
static bool is_plain(unsigned convention)
{
  return convention == LLVMCCallConv || convention == LLVMFastCallConv ||
         convention == LLVMColdCallConv;
}

/* A convention that guarantees tail calls asks for no common signature. */
static bool is_guaranteed(LLVMValueRef function, LLVMValueRef call)
{
  static const char *const registers[] = {"swiftself", "swiftasync"};

  if (!cn_convention_is_tail(LLVMGetInstructionCallConv(call)) ||
      LLVMTypeOf(call) != LLVMGetReturnType(LLVMGlobalGetValueType(function)))
    return false;
  for (unsigned a = 0; a < PASSING; a++) {
    bool allowed = false;
    for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
      allowed |= strcmp(passing[a], registers[r]) == 0;
    for (unsigned i = 0; !allowed && i < LLVMGetNumArgOperands(call); i++)
      if (argument_has(call, i, passing[a]))
        return false;
    unsigned kind = cn_attribute_kind(passing[a]);
    for (unsigned i = 0; !allowed && i < LLVMCountParams(function); i++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
        return false;
  }
  return true;
}

static void make_must(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef call)
{
  unsigned convention = LLVMGetInstructionCallConv(call);

  if (LLVMGetFunctionCallConv(function) != convention ||
      LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return;
  unsigned *places = cn_alloc((LLVMGetNumArgOperands(call) + 1) * sizeof *places);
  if ((has_own_signature(function, call) &&
       LLVMTypeOf(call) == LLVMGetReturnType(LLVMGlobalGetValueType(function))) ||
      is_guaranteed(function, call))
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
  else if (is_plain(convention) && is_passed_plainly(function, call) &&
           find_places(function, call, places))
    LLVMSetTailCallKind(build_as(ctx, function, call, places), LLVMTailCallKindMustTail);
  free(places);
}

/* With early insertion the optimiser comes later. Neither may it inline what is called instead of
 * this function nor make a loop of it: the statepoints in there name neither the locals of this
 * function nor the bases of its arguments. */
static void pin(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned noinline = cn_attribute_kind("noinline");
  bool any = false;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_classify_call(i).kind == CN_CALL_MUSTTAIL) {
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX,
                                 LLVMCreateEnumAttribute(ctx->llvm, noinline, 0));
        any = true;
      }
  if (any) /* what is musttail stays a tail call in the code generator */
    LLVMAddAttributeAtIndex(
        function, CN_FUNCTION_INDEX,
        LLVMCreateStringAttribute(ctx->llvm, "disable-tail-calls", 18, "true", 4));
}

/* What is left of the shared returns. One may be listed more than once. */
static void clean_shared(struct cn_ctx *ctx, struct parted *parted)
{
  struct cn_ptrmap done = {0};

  for (size_t i = 0; i < parted->shared.count; i++) {
    LLVMBasicBlockRef shared = parted->shared.at[i];
    if (cn_ptrmap_find(&done, shared))
      continue;
    *cn_ptrmap_add(&done, shared, NULL) = 1;
    drop_incoming(ctx, shared, parted);
    if (!has_predecessor(shared))
      LLVMDeleteBasicBlock(shared);
  }
  cn_ptrmap_free(&done);
  cn_ptrmap_free(&parted->from);
  cn_free(&parted->shared);
}

void cn_tail_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) calls = {0};
  struct parted parted = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_tail_position(i))
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++) {
    give_return(ctx, calls.at[i], &parted);
    make_must(ctx, function, calls.at[i]);
  }
  clean_shared(ctx, &parted);
  if (ctx->options->safepoints == CAIRN_SAFEPOINTS_EARLY)
    pin(ctx, function);
  cn_free(&calls);
}
