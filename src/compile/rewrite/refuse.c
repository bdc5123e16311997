/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses functions whose statepoints would be imprecise, with function, source line and rule, while the module is
 * still unchanged (docs/architecture.md, invariant 2). Part of rewrite-statepoints. This file judges casts to
 * references, instructions without a base, aggregates, funclets and existing statepoints; other files judge calls,
 * kinds, signatures, words and locals. A release build of LLVM's own pass miscompiles or crashes on each refused
 * construct (docs/llvm-22.md). Needs: any function. Provides: diagnostics. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/markers/spans.h"
#include "compile/markers/markers.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/refuse.h"
#include "compile/rewrite/values/refs.h"

static void check_cast(struct cn_function_check *judge, LLVMValueRef i)
{
  LLVMValueRef from = LLVMGetOperand(i, 0);
  bool to_ref = cn_holds_ref(LLVMTypeOf(i)), from_ref = cn_holds_ref(LLVMTypeOf(from));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMIntToPtr:
    if (to_ref && !LLVMIsConstant(from))
      cn_refuse_at(judge, i, "integer-to-reference",
                   "an integer that becomes a reference does not move with its object");
    break;
  case LLVMAddrSpaceCast:
    if ((to_ref || from_ref) && !LLVMIsConstant(from) && !cn_is_local_cast(i))
      cn_refuse_at(judge, i, "address-space-cast", "a reference and an unmanaged pointer cannot become each other");
    break;
  default:
    break;
  }
}

/* The switch must list every instruction that may yield a reference: bases.c takes any other result as a base. */
static void check_result_base(struct cn_function_check *judge, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);

  if (!cn_holds_ref(type))
    return;
  if (cn_is_scalable_reference_vector(type)) {
    cn_refuse_at(judge, i, "scalable-vector", "a scalable vector of references cannot be described");
    return;
  }
  if (cn_part_count(type) > CN_PART_LIMIT) {
    cn_refuse_at(judge, i, "large-aggregate", "an aggregate of so many values cannot be split for relocation");
    return;
  }
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMCallBr:
    cn_refuse_at(judge, i, "callbr", "the result of a callbr arrives at several places");
    return;
  case LLVMInvoke:
  case LLVMLoad:
  case LLVMCall:
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMFreeze:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
    return;
  case LLVMAlloca:
    return;
  case LLVMVAArg:
    cn_refuse_at(judge, i, "va-arg-reference",
                 "a reference in a variable argument list lies in a place that no map describes");
    return;
  default:
    cn_refuse_at(judge, i, "unsupported-instruction",
                 "the base of the reference that this instruction yields is not known");
  }
}

static bool has_ref_phi(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    if (cn_holds_ref(LLVMTypeOf(i)) && LLVMCountIncoming(i) > 1)
      return true;
  return false;
}

/* Refuse phis of a catchswitch's block if the pad after it has further predecessors. The block has space for phis only:
 * pad_phis.c loads the values of its phis in the pad after it, and would load wrong values on the edges from further
 * predecessors. */
static void check_catchswitch_phis(struct cn_function_check *judge, LLVMValueRef i)
{
  LLVMBasicBlockRef unwind = LLVMGetUnwindDest(i);
  unsigned entries = 0;

  if (!unwind || !has_ref_phi(LLVMGetInstructionParent(i)))
    return;
  CN_EACH_USE(use, LLVMBasicBlockAsValue(unwind))
    entries++;
  CN_ASSERT(entries > 0); /* the edge from the catchswitch */
  if (entries > 1 || LLVMIsACatchSwitchInst(LLVMGetBasicBlockTerminator(unwind)))
    cn_refuse_at(judge, i, "funclet-phi",
                 "a phi of references in a block with a catchswitch that unwinds to a pad that is entered "
                 "otherwise, too, or to another catchswitch");
}

static void check_funclet_arguments(struct cn_function_check *judge, LLVMValueRef pad)
{
  for (unsigned a = 0; a < LLVMGetNumArgOperands(pad); a++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(pad, a))))
      cn_refuse_at(judge, pad, "funclet-argument", "a funclet pad takes a reference, which cannot be loaded before it");
}

static void check_instruction(struct cn_function_check *judge, LLVMValueRef i)
{
  cn_refuse_instruction_kinds(judge, i);
  check_result_base(judge, i);
  if (LLVMIsACastInst(i))
    check_cast(judge, i);
  if (cn_is_call(i))
    cn_refuse_call(judge, i);
  if (LLVMIsACatchSwitchInst(i))
    check_catchswitch_phis(judge, i);
  if (LLVMIsACatchPadInst(i) || LLVMIsACleanupPadInst(i))
    check_funclet_arguments(judge, i);
}

/* Check a function that has statepoints already, from a front end or an earlier execution of the pass. */
static void check_statepoints(struct cn_function_check *judge)
{
  cn_refuse_statepoint_flaws_in(judge->ctx, judge->function);
  CN_EACH_BLOCK(b, judge->function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        cn_refuse_hardening(judge, i);
}

bool cn_refuse_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_function_check judge = {.ctx = ctx, .function = function};
  unsigned errors = ctx->errors;

  CN_ASSERT(LLVMIsAFunction(function) && !LLVMIsDeclaration(function));
  cn_refuse_strategy(ctx, function);
  if (cn_has_statepoints(function)) {
    check_statepoints(&judge);
    return false;
  }
  cn_refuse_signature_kinds(&judge);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      check_instruction(&judge, i);
  if (judge.has_points) {
    cn_refuse_signature(ctx, function);
    cn_refuse_for_target(&judge);
    cn_alloca_layouts_report_bad(ctx, function);
    cn_managed_allocas_refuse(ctx, function);
  }
  cn_refuse_unaligned_words(ctx, function, &judge);
  cn_pairs_refuse_other_roots(ctx, function);
  cn_user_roots_check_function(ctx, function);
  if (judge.has_cfg)
    cn_cfg_free(&judge.cfg);
  cn_ptrmap_free(&judge.known);
  cn_spans_check(ctx, function, true);
  return ctx->errors == errors;
}
