/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that cannot be made precise, for refuse.c. A release build of LLVM's own pass or of its
 * code generator loses each of these without a word, or ends the process. Needs: nothing. Provides:
 * diagnostics. Breaks: nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/lower/special_calls.h"
#include "compile/rewrite/live_operands.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/refuse.h"
#include "compile/rewrite/values/refs.h"
#include "compile/tail/tail.h"
#include "compile/transitions/result_wrappers.h"

/* cn_refuse_at() with a name after the reason. */
static void refuse_named(struct cn_judge *judge, LLVMValueRef at, const char *rule, const char *why,
                         const char *name)
{
  char *text = cn_format("%s%s", why, name);

  cn_refuse_at(judge, at, rule, text);
  free(text);
}

static bool has_parameter_attribute(LLVMValueRef call, unsigned index, const char *name,
                                    LLVMAttributeRef *out)
{
  unsigned kind = cn_attribute_kind(name);

  *out = LLVMGetCallSiteEnumAttribute(call, index, kind);
  return *out != NULL;
}

static void judge_arguments(struct cn_judge *judge, LLVMValueRef call)
{
  static const char *const copies[] = {"byval", "byref", "inalloca", "preallocated"};
  LLVMAttributeRef attribute;
  unsigned arguments = LLVMGetNumArgOperands(call);

  for (unsigned a = 0; a < arguments; a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (LLVMGetTypeKind(type) == LLVMTokenTypeKind || LLVMGetTypeKind(type) == LLVMMetadataTypeKind)
      cn_refuse_at(judge, call, "token-argument",
                   "a call with a token or metadata argument cannot be a safepoint");
    if (LLVMGetCallSiteAttributeCount(call, a + 1) == 0)
      continue;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++)
      if (has_parameter_attribute(call, a + 1, copies[c], &attribute) &&
          cn_holds_ref(LLVMGetTypeAttributeValue(attribute)))
        cn_refuse_at(judge, call, "byval-reference",
                     "an argument copied to the stack holds references that nothing describes");
  }
}

/* Of a call with another bundle, the code generator does what it does not do for a statepoint. */
static bool is_kept(const char *tag, size_t length)
{
  static const char *const kept[] = {"deopt", "gc-transition", "funclet", "gc-live"};

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (strlen(kept[i]) == length && memcmp(kept[i], tag, length) == 0)
      return true;
  return false;
}

static void judge_bundle(struct cn_judge *judge, LLVMValueRef call, LLVMOperandBundleRef bundle)
{
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);

  if (is_kept(tag, length))
    return;
  char *name = cn_format("%.*s", (int)length, tag);
  refuse_named(judge, call, "operand-bundle",
               "a safepoint can carry deopt, gc-transition, gc-live and funclet bundles; it "
               "would lose this one: ",
               name);
  free(name);
}

/* Does LLVM 22 record a single value of the type whole? Of an aggregate it records the first field,
 * or instruction selection fails; it does for vectors without a register, too. */
static bool is_recordable(LLVMTypeRef type)
{
  enum { WIDEST = 128 }; /* bits: a register that each machine has, or two */
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (kind == LLVMVectorTypeKind) {
    LLVMTypeRef element = LLVMGetElementType(type);
    unsigned bits = cn_is_ref(element) || LLVMGetTypeKind(element) == LLVMPointerTypeKind ? 64
                    : LLVMGetTypeKind(element) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element)
                    : LLVMGetTypeKind(element) == LLVMDoubleTypeKind  ? 64
                    : LLVMGetTypeKind(element) == LLVMFloatTypeKind   ? 32
                                                                      : WIDEST + 1;
    return bits >= 8 && bits <= 64 && LLVMGetVectorSize(type) <= WIDEST / bits;
  }
  if (kind == LLVMIntegerTypeKind)
    return LLVMGetIntTypeWidth(type) <= WIDEST;
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
    return false;
  return cn_convention_loses_result(type) /* long double */ || kind == LLVMPointerTypeKind ||
         kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static void judge_bundles(struct cn_judge *judge, LLVMValueRef call)
{
  uint32_t deopt, end;

  cn_calls_bundle(call, "deopt", &deopt, &end);
  CN_ASSERT(deopt <= end && end <= (uint32_t)LLVMGetNumOperands(call));
  for (; deopt < end; deopt++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, deopt));
    if (!is_recordable(type) || (cn_holds_ref(type) && !cn_is_ref(type)))
      cn_refuse_at(
          judge, call, "deopt-aggregate",
          "deoptimisation state holds an aggregate, or a value that is wider than 128 bits: "
          "LLVM records a part of it or fails; pass its scalars, by extractvalue or "
          "extractelement");
  }
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    judge_bundle(judge, call, bundle);
    LLVMDisposeOperandBundle(bundle);
  }
}

/* Operands that are to be listed during the call, and cannot be. */
static void judge_live_operands(struct cn_judge *judge, LLVMValueRef call)
{
  unsigned arguments = cn_live_operands_wanted(judge->ctx, call) ? LLVMGetNumArgOperands(call) : 0;
  uint32_t live, end;

  for (unsigned a = 0; a < arguments; a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (cn_holds_ref(type) && !cn_is_ref(type))
      cn_refuse_at(judge, call, "live-operands",
                   "a vector or aggregate of references that is to be listed during the call: pass "
                   "single references");
  }
  for (cn_calls_bundle(call, "gc-live", &live, &end); live < end; live++) {
    LLVMValueRef value = LLVMGetOperand(call, live);
    if (!cn_is_ref(LLVMTypeOf(value)) && !LLVMIsUndef(value))
      cn_refuse_at(judge, call, "live-operands",
                   "the call's gc-live bundle has something that is no single reference (locals "
                   "that hold references are described without being named there)");
  }
}

static void judge_directives(struct cn_judge *judge, LLVMValueRef call)
{
  uint64_t value;
  bool live_in;

  if (!cn_statepoint_directive(call, "statepoint-id", UINT64_MAX, &value))
    cn_refuse_at(judge, call, "statepoint-directive",
                 "\"statepoint-id\" is not a decimal number below 2^64");
  if (!cn_statepoint_directive(call, "statepoint-num-patch-bytes", UINT32_MAX, &value))
    cn_refuse_at(judge, call, "statepoint-directive",
                 "\"statepoint-num-patch-bytes\" is not a decimal number below 2^32");
  if (!cn_statepoint_lowering(call, &live_in))
    cn_refuse_at(judge, call, "statepoint-directive",
                 "\"deopt-lowering\" is neither \"live-in\" nor \"live-through\"");
}

/* Conventions under which LLVM 22 has no room for a statepoint (those of GHC and HiPE pass
 * arguments in all registers), passes arguments otherwise than in a patchpoint (anyregcc), or calls
 * nothing at all. */
static void judge_callee_convention(struct cn_judge *judge, LLVMValueRef call)
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
                 "LLVM 22 lowers no safepoint on this target under calling convention ", number);
  }
  unsigned arguments = LLVMGetNumArgOperands(call), error = cn_attribute_kind("swifterror");
  for (unsigned a = 0; a < arguments; a++)
    if (LLVMGetCallSiteEnumAttribute(call, a + 1, error))
      cn_refuse_at(judge, call, "statepoint-convention",
                   "LLVM 22 loses the swifterror argument of a safepoint");
}

static void judge_point(struct cn_judge *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMIsACallBrInst(call)) {
    cn_refuse_at(judge, call, "callbr",
                 "a callbr of anything but inline assembly cannot be a safepoint");
    return;
  }
  bool special = (callee && LLVMGetIntrinsicID(callee)) ||
                 LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));
  if (special && cn_refuse_reachable(judge, call))
    cn_special_refuse(judge->ctx, call);
  if (callee && LLVMGetIntrinsicID(callee)) {
    judge_bundles(judge, call);
    judge_directives(judge, call);
    return; /* its own result and arguments go away */
  }
  if (cn_convention_loses_result(LLVMTypeOf(call)))
    cn_refuse_at(
        judge, call, "x87-result",
        "LLVM 22 miscompiles a safepoint that returns a long double (pass transitions helps)");
  else if (!cn_convention_returns(LLVMTypeOf(call)))
    cn_refuse_at(
        judge, call, "large-result",
        "LLVM 22 miscompiles a safepoint whose result has no room in registers (pass transitions "
        "helps, if the call has no bundles)");
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetCalledValue(call))) != 0)
    cn_refuse_at(judge, call, "callee-address-space",
                 "the callee of a safepoint must be in address space 0");
  judge_callee_convention(judge, call);
  judge_arguments(judge, call);
  judge_live_operands(judge, call);
  judge_bundles(judge, call);
  judge_directives(judge, call);
}

/* A reference in inline assembly: nobody knows what becomes of it there, nor whether one that comes
 * out is the start of its object. Without an instruction in it, it is how fresh memory becomes a
 * reference (allocate.c). */
static void judge_assembly(struct cn_judge *judge, LLVMValueRef call)
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
    cn_refuse_at(
        judge, call, "asm-reference",
        "a reference is an operand of inline assembly, which the collector cannot look into");
}

/* Intrinsics whose references have a known base: an operand's, or none since they stay. */
static bool yields_bases(LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_of(call);

  switch (row ? row->effect : CN_EFFECT_NONE) {
  case CN_EFFECT_SAME:
  case CN_EFFECT_INSIDE:
  case CN_EFFECT_BASE:
    return true;
  case CN_EFFECT_CALL: /* its result is returned at once */
    return cn_calls_intrinsic(call, "llvm.experimental.deoptimize");
  default:
    return cn_vector_intrinsics_know(call);
  }
}

/* LLVM 22's code generator ends the process over a musttail call whose result has no room in
 * registers, and at -O0 makes an ordinary call, one without a record, of one whose result is not
 * extended as its function's. */
static void judge_musttail(struct cn_judge *judge, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  if (!cn_convention_returns(type))
    cn_refuse_at(judge, call, "musttail-result",
                 "LLVM 22 cannot lower a musttail call whose result has no room in registers");
  else if (!cn_convention_loses_result(type) && !cn_tail_results_agree(call, type))
    cn_refuse_at(
        judge, call, "musttail-result",
        "a musttail call and its function extend their results differently (zeroext, signext): "
        "LLVM 22 makes an ordinary call of it at -O0");
}

void cn_refuse_call(struct cn_judge *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  CN_ASSERT(cn_is_call(call));
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    judge_assembly(judge, call);
  if (cn_calls_have(call, "returns_twice") || cn_calls_intrinsic(call, "llvm.eh.sjlj.setjmp"))
    cn_refuse_at(judge, call, "returns-twice",
                 "a call that returns twice leaves references of its first return behind");
  if (callee && LLVMGetIntrinsicID(callee) && cn_holds_ref(LLVMTypeOf(call)) && !yields_bases(call))
    cn_refuse_at(judge, call, "unknown-intrinsic",
                 "the base of the reference that this intrinsic returns is not known");
  else if (cn_intrinsic_is_unknown(call))
    cn_refuse_at(judge, call, "unknown-intrinsic",
                 "what this intrinsic does to the reference that it is given is not known; load, "
                 "store or compute by instructions instead");
  switch (cn_classify_call(call).kind) {
  case CN_CALL_PARSE:
    cn_refuse_hardening(judge, call);
    judge->has_points = true;
    judge_point(judge, call);
    break;
  case CN_CALL_MUSTTAIL:
    judge_musttail(judge, call);
    break;
  default:
    break;
  }
}
