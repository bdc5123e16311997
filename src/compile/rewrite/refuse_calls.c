/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses calls whose statepoints would be imprecise, for refuse.c; also intrinsics of unknown effect on references,
 * inline assembly with references, calls that return twice, and some results of musttail calls. A release build of
 * LLVM's own pass or code generator silently loses references at each refused call, or ends the process. Part of
 * rewrite-statepoints. Needs: any call. Provides: diagnostics. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/effects/points.h"
#include "compile/core/convention.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/lower/lower.h"
#include "compile/rewrite/rewrite.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/refuse.h"
#include "compile/rewrite/values/refs.h"
#include "compile/tail/tail.h"

/* Refuse operands that the statepoint must list during the call but cannot list. */
static void check_live_operands(struct cn_function_check *judge, LLVMValueRef call)
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
  for (cn_calls_find_bundle(call, "gc-live", &live, &end); live < end; live++) {
    LLVMValueRef value = LLVMGetOperand(call, live);
    if (!cn_is_ref(LLVMTypeOf(value)) && !LLVMIsUndef(value))
      cn_refuse_at(judge, call, "live-operands",
                   "the call's gc-live bundle has a value that is not a single reference (locals that hold "
                   "references are described without being named there)");
  }
}

/* Refuse a statepoint with patch bytes whose record would be untrue, or longer than a record of points. */
static void check_patch_bytes(struct cn_function_check *judge, LLVMValueRef call, uint64_t bytes)
{
  uint32_t i, end;

  if (bytes > CAIRN_ABI_POINT_REGION_MAX)
    cn_refuse_at(judge, call, "patch-point", "more than 65535 patch bytes");
  if (bytes % cn_convention_port_of(judge->ctx->module)->point_unit)
    cn_refuse_at(judge, call, "patch-point", "the number of patch bytes is no multiple of an instruction's");
  for (cn_calls_find_bundle(call, "deopt", &i, &end); bytes && i < end; i++) {
    const char *flaw = cn_point_type_flaw(LLVMTypeOf(LLVMGetOperand(call, i)));
    if (flaw) {
      char *why = cn_format("a value in the deopt bundle of a patchable safepoint is %s", flaw);
      cn_refuse_at(judge, call, "patch-point", why);
      free(why);
    }
  }
}

static void check_directives(struct cn_function_check *judge, LLVMValueRef call)
{
  uint64_t value, bytes = 0;
  bool live_in;

  if (!cn_statepoint_parse_directive(call, "statepoint-id", UINT64_MAX, &value))
    cn_refuse_at(judge, call, "statepoint-directive", "\"statepoint-id\" is not a decimal number below 2^64");
  if (!cn_statepoint_parse_directive(call, "statepoint-num-patch-bytes", UINT32_MAX, &bytes))
    cn_refuse_at(judge, call, "statepoint-directive",
                 "\"statepoint-num-patch-bytes\" is not a decimal number below 2^32");
  if (!cn_statepoint_deopt_lowering(call, &live_in))
    cn_refuse_at(judge, call, "statepoint-directive", "\"deopt-lowering\" is neither \"live-in\" nor \"live-through\"");
  check_patch_bytes(judge, call, bytes);
}

static void refuse_statepoint_flaw(void *judge, LLVMValueRef call, const char *rule, const char *why)
{
  cn_refuse_at(judge, call, rule, why);
}

static void check_parse_point(struct cn_function_check *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMIsACallBrInst(call)) {
    cn_refuse_at(judge, call, "callbr", "a callbr can be a safepoint only if it is of inline assembly");
    return;
  }
  bool special = (callee && LLVMGetIntrinsicID(callee)) || LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));
  if (special && cn_refuse_is_reachable(judge, call))
    cn_special_refuse_call(judge->ctx, call);
  if (callee && LLVMGetIntrinsicID(callee)) {
    cn_report_bundle_flaws(call, refuse_statepoint_flaw, judge);
    check_directives(judge, call);
    return; /* the lowering of the intrinsic replaces result and arguments */
  }
  if (cn_is_returned_on_x87_stack(LLVMTypeOf(call)))
    cn_refuse_at(judge, call, "x87-result",
                 "LLVM 22 miscompiles a safepoint that returns a long double (pass transitions helps)");
  else if (!cn_is_returned_in_registers(judge->ctx->module, LLVMTypeOf(call)))
    cn_refuse_at(judge, call, "large-result",
                 "LLVM 22 miscompiles a safepoint whose result has no room in registers (pass transitions "
                 "helps, if the call has no bundles)");
  cn_report_parse_point_flaws(call, refuse_statepoint_flaw, judge);
  check_live_operands(judge, call);
  check_directives(judge, call);
}

/* Refuse references in inline assembly, which may copy an operand, and whose result may point anywhere into its object.
 * Empty assembly is exempt: allocate.c uses it to turn fresh memory into a reference. */
static void check_inline_assembly(struct cn_function_check *judge, LLVMValueRef call)
{
  size_t length;

  LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length);
  bool refs = cn_holds_ref(LLVMTypeOf(call)) && length > 0;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call) && !refs; a++) {
    LLVMAttributeRef type = LLVMGetCallSiteEnumAttribute(call, a + 1, cn_attribute_kind("elementtype"));
    refs =
        cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, a))) || (type && cn_holds_ref(LLVMGetTypeAttributeValue(type)));
  }
  if (refs)
    cn_refuse_at(judge, call, "asm-reference",
                 "a reference is an operand of inline assembly, which the collector cannot read");
}

/* True for intrinsics that yield references whose base is the base of an operand, or null for references that never
 * move. */
static bool has_result_with_known_base(LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  switch (row ? row->effect : CN_EFFECT_NONE) {
  case CN_EFFECT_SAME:
  case CN_EFFECT_INSIDE:
  case CN_EFFECT_BASE:
  case CN_EFFECT_POINT: /* the patched code returns objects, like a leaf */
    return true;
  case CN_EFFECT_CALL: /* the function returns the result of deoptimize directly */
    return cn_calls_intrinsic(call, "llvm.experimental.deoptimize");
  default:
    return cn_vector_intrinsics_can_lower(call);
  }
}

/* Refuse results of musttail calls that LLVM 22 cannot handle. LLVM's code generator ends the process at a result that
 * needs more than the registers. At -O0 a musttail call whose result has another extension than its function's becomes
 * an ordinary call without a record. */
static void check_musttail_result(struct cn_function_check *judge, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  if (!cn_is_returned_in_registers(judge->ctx->module, type))
    cn_refuse_at(judge, call, "musttail-result",
                 "LLVM 22 cannot lower a musttail call whose result has no room in registers");
  else if (!cn_is_returned_on_x87_stack(type) && !cn_tail_results_agree(call, type))
    cn_refuse_at(judge, call, "musttail-result",
                 "a musttail call and its function extend their results differently (zeroext, signext): "
                 "LLVM 22 makes an ordinary call of it at -O0");
}

void cn_refuse_call(struct cn_function_check *judge, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  CN_ASSERT(cn_is_call(call));
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    check_inline_assembly(judge, call);
  if (cn_calls_has_attribute(call, "returns_twice") || cn_calls_intrinsic(call, "llvm.eh.sjlj.setjmp"))
    cn_refuse_at(judge, call, "returns-twice",
                 "a call that returns twice leaves references of its first return behind");
  if (callee && LLVMGetIntrinsicID(callee) && cn_holds_ref(LLVMTypeOf(call)) && !has_result_with_known_base(call))
    cn_refuse_at(judge, call, "unknown-intrinsic",
                 "the base of the reference that this intrinsic returns is not known");
  else if (cn_calls_is_unknown_intrinsic(call))
    cn_refuse_at(judge, call, "unknown-intrinsic",
                 "the effect of this intrinsic on its reference is unknown; load, store or compute by instructions "
                 "instead");
  switch (cn_classify_call(call).kind) {
  case CN_CALL_PARSE_POINT:
    cn_refuse_hardening(judge, call);
    judge->has_points = true;
    check_parse_point(judge, call);
    break;
  case CN_CALL_MUSTTAIL:
    check_musttail_result(judge, call);
    cn_report_deopt_flaws(call, refuse_statepoint_flaw, judge);
    break;
  default:
    cn_report_deopt_flaws(call, refuse_statepoint_flaw, judge);
    break;
  }
}
