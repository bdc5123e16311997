/* SPDX-License-Identifier: Apache-2.0
 *
 * What rewrite-statepoints cannot make precise, refused with function, source line and rule
 * before anything is changed (docs/architecture.md, invariant 2). Each of these is silent damage or
 * a crash in a release build of LLVM's own pass (docs/llvm-22.md). Needs: nothing. Provides:
 * diagnostics. Breaks: nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/areas.h"
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/results.h"
#include "compile/rewrite.h"
#include "compile/special_calls.h"
#include "compile/statepoints.h"
#include "compile/tail.h"

struct judge {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg; /* built when something is to be refused: what is unreachable is not */
  bool has_cfg, has_points, rewritten;
};

static bool is_reachable(struct judge *judge, LLVMValueRef instruction)
{
  if (!judge->has_cfg)
    cn_cfg_build_edges(&judge->cfg, judge->function);
  judge->has_cfg = true;
  return cn_cfg_index(&judge->cfg, LLVMGetInstructionParent(instruction)) != CN_NO_BLOCK;
}

static void refuse(struct judge *judge, LLVMValueRef at, const char *rule, const char *why)
{
  char name[96];

  if (!is_reachable(judge, at))
    return;
  if (cn_is_call(at))
    cn_calls_name(at, name, sizeof name);
  else
    cn_value_name(at, name, sizeof name);
  cn_error(judge->ctx, at, rule, "%s: %s", name, why);
}

/* The same, with a name behind it. */
static void refuse_named(struct judge *judge, LLVMValueRef at, const char *rule, const char *why,
                         const char *name)
{
  char *text = cn_format("%s%s", why, name);

  refuse(judge, at, rule, text);
  free(text);
}

static bool holds_scalable(LLVMTypeRef type)
{
  return cn_is_scalable(type) && cn_holds_ref(type);
}

static void judge_cast(struct judge *judge, LLVMValueRef i)
{
  LLVMValueRef from = LLVMGetOperand(i, 0);
  bool to_ref = cn_holds_ref(LLVMTypeOf(i)), from_ref = cn_holds_ref(LLVMTypeOf(from));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMIntToPtr:
    if (to_ref && !LLVMIsConstant(from))
      refuse(judge, i, "integer-to-reference",
             "an integer that becomes a reference does not move with its object");
    break;
  case LLVMAddrSpaceCast:
    if ((to_ref || from_ref) && !LLVMIsConstant(from) && !cn_is_local_cast(i))
      refuse(judge, i, "address-space-cast",
             "a reference and an unmanaged pointer cannot become each other");
    break;
  default:
    break;
  }
}

static bool has_parameter_attribute(LLVMValueRef call, unsigned index, const char *name,
                                    LLVMAttributeRef *out)
{
  unsigned kind = cn_attribute_kind(name);

  *out = LLVMGetCallSiteEnumAttribute(call, index, kind);
  return *out != NULL;
}

static void judge_arguments(struct judge *judge, LLVMValueRef call)
{
  static const char *const copies[] = {"byval", "byref", "inalloca", "preallocated"};
  LLVMAttributeRef attribute;
  unsigned arguments = LLVMGetNumArgOperands(call);

  for (unsigned a = 0; a < arguments; a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (LLVMGetTypeKind(type) == LLVMTokenTypeKind || LLVMGetTypeKind(type) == LLVMMetadataTypeKind)
      refuse(judge, call, "token-argument",
             "a call with a token or metadata argument cannot be a safepoint");
    if (LLVMGetCallSiteAttributeCount(call, a + 1) == 0)
      continue;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++)
      if (has_parameter_attribute(call, a + 1, copies[c], &attribute) &&
          cn_holds_ref(LLVMGetTypeAttributeValue(attribute)))
        refuse(judge, call, "byval-reference",
               "an argument copied to the stack holds references that nothing describes");
  }
}

/* What the code generator does for a call with such a bundle it does not do for a statepoint. */
static const char *lost_bundle(LLVMOperandBundleRef bundle)
{
  static const char *const kept[] = {"deopt", "gc-transition", "funclet"};
  static const char *const lost[] = {"kcfi", "ptrauth", "cfguardtarget", "preallocated", "gc-live",
                                     "clang.arc.attachedcall", "convergencectrl"};
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (strlen(kept[i]) == length && memcmp(kept[i], tag, length) == 0)
      return NULL;
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
    if (strlen(lost[i]) == length && memcmp(lost[i], tag, length) == 0)
      return lost[i];
  return "unknown";
}

static void judge_bundles(struct judge *judge, LLVMValueRef call)
{
  uint32_t deopt, end;

  cn_calls_bundle(call, "deopt", &deopt, &end);
  for (; deopt < end; deopt++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, deopt));
    if (cn_holds_ref(type) && !cn_is_ref(type))
      refuse(judge, call, "deopt-aggregate",
             "deoptimisation state holds an aggregate with references");
  }
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    const char *lost = lost_bundle(bundle);
    LLVMDisposeOperandBundle(bundle);
    if (lost)
      refuse_named(judge, call, "operand-bundle",
                   "a safepoint can carry deopt, gc-transition and funclet bundles; it would lose "
                   "this one: ", lost);
  }
}

static void judge_directives(struct judge *judge, LLVMValueRef call)
{
  uint64_t value;
  bool live_in;

  if (!cn_statepoint_directive(call, "statepoint-id", UINT64_MAX, &value))
    refuse(judge, call, "statepoint-directive",
           "\"statepoint-id\" is not a decimal number below 2^64");
  if (!cn_statepoint_directive(call, "statepoint-num-patch-bytes", UINT32_MAX, &value))
    refuse(judge, call, "statepoint-directive",
           "\"statepoint-num-patch-bytes\" is not a decimal number below 2^32");
  if (!cn_statepoint_lowering(call, &live_in))
    refuse(judge, call, "statepoint-directive",
           "\"deopt-lowering\" is neither \"live-in\" nor \"live-through\"");
}

/* Conventions under which LLVM 22 has no room for a statepoint (those of GHC and HiPE pass arguments
 * in all registers), passes arguments otherwise than in a patchpoint (anyregcc), or calls nothing at
 * all on x86-64. */
static void judge_callee_convention(struct judge *judge, LLVMValueRef call)
{
  static const unsigned bad[] = {10, 11, 13, 76, 83, 87, 89, 90, 91, 93, 95, 96, 104, 105};
  unsigned convention = LLVMGetInstructionCallConv(call);
  bool is_bad = false;

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    is_bad |= bad[i] == convention;
  if (is_bad) {
    char number[16];
    snprintf(number, sizeof number, "%u", convention);
    refuse_named(judge, call, "statepoint-convention",
                 "LLVM 22 lowers no safepoint on x86-64 under calling convention ", number);
  }
  unsigned arguments = LLVMGetNumArgOperands(call), error = cn_attribute_kind("swifterror");
  for (unsigned a = 0; a < arguments; a++)
    if (LLVMGetCallSiteEnumAttribute(call, a + 1, error))
      refuse(judge, call, "statepoint-convention",
             "LLVM 22 loses the swifterror argument of a safepoint");
}

static void judge_point(struct judge *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMIsACallBrInst(call)) {
    refuse(judge, call, "callbr", "a callbr of anything but inline assembly cannot be a safepoint");
    return;
  }
  bool special = (callee && LLVMGetIntrinsicID(callee)) ||
                 LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));
  if (special && is_reachable(judge, call))
    cn_special_refuse(judge->ctx, call);
  if (callee && LLVMGetIntrinsicID(callee)) {
    judge_bundles(judge, call);
    judge_directives(judge, call);
    return; /* its own result and arguments go away */
  }
  if (cn_results_use_x87(LLVMTypeOf(call)))
    refuse(judge, call, "x87-result",
           "LLVM 22 miscompiles a safepoint that returns a long double (pass transitions helps)");
  else if (!cn_results_fit(LLVMTypeOf(call)))
    refuse(judge, call, "large-result",
           "LLVM 22 miscompiles a safepoint whose result has no room in registers (pass transitions "
           "helps, if the call has no bundles)");
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetCalledValue(call))) != 0)
    refuse(judge, call, "callee-address-space",
           "the callee of a safepoint must be in address space 0");
  judge_callee_convention(judge, call);
  judge_arguments(judge, call);
  judge_bundles(judge, call);
  judge_directives(judge, call);
}

/* A reference in inline assembly: nobody knows what becomes of it there, nor whether one that comes
 * out is the start of its object. Without an instruction in it, it is how fresh memory becomes a
 * reference (allocate.c). */
static void judge_assembly(struct judge *judge, LLVMValueRef call)
{
  size_t length;

  LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length);
  bool refs = cn_holds_ref(LLVMTypeOf(call)) && length > 0;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call) && !refs; a++) {
    LLVMAttributeRef type =
        LLVMGetCallSiteEnumAttribute(call, a + 1, cn_attribute_kind("elementtype"));
    refs = cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, a))) ||
           (type && cn_holds_ref(LLVMGetTypeAttributeValue(type)));
  }
  if (refs)
    refuse(judge, call, "asm-reference",
           "a reference is an operand of inline assembly, which the collector cannot look into");
}

/* Intrinsics whose references have a known base: an operand's, or none since they stay. */
static bool yields_bases(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.ptrmask", "llvm.launder.invariant.group",
                                      "llvm.strip.invariant.group", "llvm.ptr.annotation",
                                      "llvm.threadlocal.address",
                                      "llvm.experimental.deoptimize", /* returned at once */
                                      "llvm.experimental.gc.get.pointer.base"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cn_calls_intrinsic(call, names[i]))
      return true;
  return cn_forms_knows(call);
}

/* LLVM 22's code generator ends the process over a musttail call whose result has no room in
 * registers, and at -O0 makes an ordinary call, one without a record, of one whose result is not
 * extended as its function's. */
static void judge_musttail(struct judge *judge, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  if (!cn_results_fit(type))
    refuse(judge, call, "musttail-result",
           "LLVM 22 cannot lower a musttail call whose result has no room in registers");
  else if (!cn_results_use_x87(type) && !cn_tail_results_agree(call, type))
    refuse(judge, call, "musttail-result",
           "a musttail call and its function extend their results differently (zeroext, signext): "
           "LLVM 22 makes an ordinary call of it at -O0");
}

static void judge_call(struct judge *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    judge_assembly(judge, call);
  if (cn_calls_have(call, "returns_twice"))
    refuse(judge, call, "returns-twice",
           "a call that returns twice leaves references of its first return behind");
  if (callee && LLVMGetIntrinsicID(callee) && cn_holds_ref(LLVMTypeOf(call)) && !yields_bases(call))
    refuse(judge, call, "unknown-intrinsic",
           "the base of the reference that this intrinsic returns is not known");
  switch (cn_classify_call(call).kind) {
  case CN_CALL_PARSE:
    judge->has_points = true;
    judge_point(judge, call);
    break;
  case CN_CALL_STATEPOINT:
    judge->rewritten = true;
    break;
  case CN_CALL_MUSTTAIL:
    judge_musttail(judge, call);
    break;
  default:
    break;
  }
}

/* Every instruction that may yield a reference is listed; one that is not would be a base by
 * accident. */
static void judge_result(struct judge *judge, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);

  if (!cn_holds_ref(type))
    return;
  if (holds_scalable(type)) {
    refuse(judge, i, "scalable-vector", "a scalable vector of references cannot be described");
    return;
  }
  if (cn_leaf_count(type) > CN_LEAF_LIMIT) {
    refuse(judge, i, "large-aggregate",
           "an aggregate of so many values cannot be split for relocation");
    return;
  }
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMCallBr:
    refuse(judge, i, "callbr", "the result of a callbr arrives at several places");
    return;
  case LLVMInvoke: case LLVMLoad: case LLVMCall: case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW: case LLVMGetElementPtr: case LLVMBitCast: case LLVMFreeze: case LLVMPHI:
  case LLVMSelect: case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector:
  case LLVMExtractValue: case LLVMInsertValue: case LLVMIntToPtr: case LLVMAddrSpaceCast:
    return;
  case LLVMAlloca:
    return;
  case LLVMVAArg:
    refuse(judge, i, "va-arg-reference",
           "a reference in a variable argument list lies where nothing describes it");
    return;
  default:
    refuse(judge, i, "unsupported-instruction",
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

/* A block with a catchswitch has no room for loads: what its phis choose is loaded behind it. Where
 * other ways lead there too, the wrong one would be loaded. */
static void judge_catchswitch(struct judge *judge, LLVMValueRef i)
{
  LLVMBasicBlockRef unwind = LLVMGetUnwindDest(i);
  unsigned entries = 0;

  if (!unwind || !has_ref_phi(LLVMGetInstructionParent(i)))
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(unwind)); use;
       use = LLVMGetNextUse(use))
    entries++;
  if (entries > 1 || LLVMIsACatchSwitchInst(LLVMGetBasicBlockTerminator(unwind)))
    refuse(judge, i, "funclet-phi",
           "a phi of references in a block with a catchswitch that unwinds to a pad that is entered "
           "otherwise, too, or to another catchswitch");
}

static void judge_funclet(struct judge *judge, LLVMValueRef pad)
{
  for (unsigned a = 0; a < LLVMGetNumArgOperands(pad); a++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(pad, a))))
      refuse(judge, pad, "funclet-argument",
             "a funclet pad takes a reference, which cannot be loaded before it");
}

static void judge_instruction(struct judge *judge, LLVMValueRef i)
{
  judge_result(judge, i);
  if (LLVMIsACastInst(i))
    judge_cast(judge, i);
  if (cn_is_call(i))
    judge_call(judge, i);
  if (LLVMIsACatchSwitchInst(i))
    judge_catchswitch(judge, i);
  if (LLVMIsACatchPadInst(i) || LLVMIsACleanupPadInst(i))
    judge_funclet(judge, i);
}

static void judge_parameters(struct judge *judge)
{
  static const char *const copies[] = {"byval", "inalloca", "preallocated"};

  for (unsigned p = 0; p < LLVMCountParams(judge->function); p++) {
    if (holds_scalable(LLVMTypeOf(LLVMGetParam(judge->function, p))))
      cn_error(judge->ctx, judge->function, "scalable-vector",
               "parameter %u is a scalable vector of references", p + 1);
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
      unsigned kind = cn_attribute_kind(copies[c]);
      LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(judge->function, p + 1, kind);
      if (attribute && (cn_holds_ref(LLVMGetTypeAttributeValue(attribute)) ||
                        cn_areas_carry(judge->ctx, LLVMGetParam(judge->function, p))))
        cn_error(judge->ctx, judge->function, "byval-reference",
                 "parameter %u is a copy on the stack that holds references that nothing describes",
                 p + 1);
    }
  }
}

/* Conventions under which the callee saves registers that the walker takes from elsewhere. */
static void judge_convention(struct judge *judge)
{
  unsigned convention = LLVMGetFunctionCallConv(judge->function);

  if (convention == LLVMPreserveMostCallConv || convention == LLVMPreserveAllCallConv ||
      convention == LLVMWin64CallConv)
    cn_error(judge->ctx, judge->function, "calling-convention",
             "a managed function of calling convention %u (preserve_most, preserve_all, ms_abi) "
             "saves registers that frame maps do not describe; give it the usual one",
             convention);
}

/* The attribute "cairn" asks for a strategy that the code generator lowers; the function may name
 * it, but no other. */
static void judge_strategy(struct judge *judge)
{
  const char *gc = LLVMGetGC(judge->function);

  if (gc && !cn_is_strategy(gc))
    cn_error(judge->ctx, judge->function, "gc-strategy",
             "a function with attribute \"cairn\" has gc \"%s\", which is lowered otherwise", gc);
}

bool cn_refuse(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct judge judge = {.ctx = ctx, .function = function};
  unsigned errors = ctx->errors;

  judge_strategy(&judge);
  if (cn_has_statepoints(function))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      judge_instruction(&judge, i);
  if (judge.has_points) {
    judge_parameters(&judge);
    judge_convention(&judge);
    cn_refuse_allocas(ctx, function);
    cn_stack_objects_refuse(ctx, function);
  }
  if (judge.has_cfg)
    cn_cfg_free(&judge.cfg);
  return ctx->errors == errors;
}
