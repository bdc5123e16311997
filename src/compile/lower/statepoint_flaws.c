/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds flaws of statepoints from front ends, and of calls that become statepoints. LLVM 22 silently drops each flawed
 * part, or aborts (docs/llvm-22.md). Needs, breaks: nothing. Provides: flaws for refuse_calls.c, and diagnostics for
 * statepoints that exist before the rewriter and for other calls with a bundle "deopt".
 */
#include "compile/lower/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"

struct flaw_report {
  cn_flaw_callback *report;
  void *to;
  LLVMValueRef call;
};

static void report_flaw(const struct flaw_report *flaws, const char *rule, const char *why)
{
  flaws->report(flaws->to, flaws->call, rule, why);
}

static void report_named_flaw(const struct flaw_report *flaws, const char *rule, const char *why, const char *name,
                              size_t length)
{
  char *text = cn_format("%s%.*s", why, (int)length, name);

  report_flaw(flaws, rule, text);
  free(text);
}

/* ---- bundles ---- */

/* True for a bundle that a statepoint keeps. The code generator handles other bundles only at ordinary calls. */
static bool is_kept_bundle(const char *tag, size_t length)
{
  static const char *const kept[] = {"deopt", "gc-transition", "funclet", "gc-live"};

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (strlen(kept[i]) == length && memcmp(kept[i], tag, length) == 0)
      return true;
  return false;
}

/* The size of an element in bits if LLVM records vectors of such elements in their register form, else 0. */
static unsigned recorded_lane_bits(LLVMTypeRef element)
{
  switch (LLVMGetTypeKind(element)) {
  case LLVMPointerTypeKind:
    return cn_is_ref(element) ? 0 : 64;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(element);
  case LLVMDoubleTypeKind:
    return 64;
  case LLVMFloatTypeKind:
    return 32;
  default:
    return 0;
  }
}

/* True if LLVM 22 records a value of the type completely. For an aggregate, LLVM records only the first field, or
 * instruction selection fails. Instruction selection also fails for a vector without a register. */
static bool is_recordable(LLVMTypeRef type)
{
  enum { MAX_RECORDED_BITS = 128 }; /* the size of a vector register, or of two integer registers */

  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind: {
    unsigned bits = recorded_lane_bits(LLVMGetElementType(type));
    return bits >= 8 && bits <= 64 && LLVMGetVectorSize(type) <= MAX_RECORDED_BITS / bits;
  }
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= MAX_RECORDED_BITS;
  case LLVMPointerTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    return true;
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
    return false;
  default:
    return cn_is_returned_on_x87_stack(type); /* long double */
  }
}

/* True if the deopt values need to be live only at the start of the call, so that LLVM may leave them in registers. */
static bool has_live_in_values(LLVMValueRef call)
{
  enum { FLAGS_OPERAND = 4, LIVE_IN_FLAG = 2 };
  bool live_in = false;

  if (cn_classify_call(call).kind == CN_CALL_STATEPOINT)
    return LLVMConstIntGetZExtValue(LLVMGetOperand(call, FLAGS_OPERAND)) & LIVE_IN_FLAG;
  return cn_statepoint_deopt_lowering(call, &live_in) && live_in;
}

/* True if the target's code generator fails over a vector of this size, which no register has. */
static bool is_odd_vector(const struct cn_convention_port *port, LLVMTypeRef type)
{
  unsigned lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;

  return port->lacks_odd_vectors && (lanes & (lanes - 1)) != 0;
}

void cn_report_deopt_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to)
{
  const struct flaw_report flaws = {report, to, call};
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  const struct cn_convention_port *port = cn_convention_port_of(LLVMGetGlobalParent(function));
  uint32_t i, end;

  CN_ASSERT(cn_is_call(call));
  for (cn_calls_find_bundle(call, "deopt", &i, &end); i < end; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));
    if (cn_is_returned_on_x87_stack(type) && has_live_in_values(call))
      report_flaw(&flaws, "deopt-aggregate",
                  "LLVM 22 leaves a long double out of a record with \"deopt-lowering\"=\"live-in\", so that later "
                  "values take its place; use \"live-through\", or pass its bits");
    else if (is_odd_vector(port, type))
      report_flaw(&flaws, "deopt-aggregate",
                  "deoptimisation state holds a vector whose number of elements is no power of two, which LLVM 22 "
                  "fails over on this target; add elements by shufflevector");
    else if (!is_recordable(type))
      report_flaw(&flaws, "deopt-aggregate",
                  "deoptimisation state holds an aggregate, or another value that LLVM 22 records in part or "
                  "fails over; pass pointers, numbers and vectors of up to 128 bits, by extractvalue or "
                  "extractelement");
  }
}

void cn_report_bundle_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to)
{
  const struct flaw_report flaws = {report, to, call};
  size_t length;

  cn_report_deopt_flaws(call, report, to);
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    if (!is_kept_bundle(tag, length))
      report_named_flaw(&flaws, "operand-bundle",
                        "a safepoint can carry deopt, gc-transition, gc-live and funclet bundles; it "
                        "would lose this one: ",
                        tag, length);
    LLVMDisposeOperandBundle(bundle);
  }
}

static void check_operand_count(const struct flaw_report *flaws)
{
  uint32_t deopt, deopt_end, live, live_end, operands = (uint32_t)LLVMGetNumOperands(flaws->call);

  cn_calls_find_bundle(flaws->call, "deopt", &deopt, &deopt_end);
  cn_calls_find_bundle(flaws->call, "gc-live", &live, &live_end);
  uint32_t recorded = deopt_end - deopt, listed = live_end - live;
  CN_ASSERT(recorded + listed <= operands);
  if (cn_statepoint_is_too_long(recorded, listed, operands - recorded - listed))
    report_flaw(flaws, "statepoint-operands", cn_statepoint_too_long_reason);
}

/* ---- callee and arguments ---- */

static void check_arguments(const struct flaw_report *flaws, const struct cn_call_target *site)
{
  static const char *const copies[] = {"byval", "inalloca", "preallocated"};

  for (unsigned a = site->first; a < site->first + site->count; a++) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(site->call, a)));
    if (kind == LLVMTokenTypeKind || kind == LLVMMetadataTypeKind)
      report_flaw(flaws, "token-argument", "a call with a token or metadata argument cannot be a safepoint");
    if (LLVMGetCallSiteAttributeCount(site->call, a + 1) == 0)
      continue;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
      LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(site->call, a + 1, cn_attribute_kind(copies[c]));
      if (attribute && cn_holds_ref(LLVMGetTypeAttributeValue(attribute)))
        report_flaw(flaws, "byval-reference", "an argument copied to the stack holds references that no map describes");
    }
    if (LLVMGetCallSiteEnumAttribute(site->call, a + 1, cn_attribute_kind("swifterror")))
      report_flaw(flaws, "statepoint-convention", "LLVM 22 loses the swifterror argument of a safepoint");
  }
}

/* Refuse the conventions that fail at statepoints in LLVM 22. The conventions of GHC and HiPE use all registers for
 * arguments, anyregcc passes arguments differently from patchpoints, and the other conventions make the call disappear.
 */
static void check_convention(const struct flaw_report *flaws)
{
  static const unsigned bad[] = {10, 11, 13, 76, 83, 87, 89, 90, 91, 93, 95, 96, 104, 105};
  unsigned convention = LLVMGetInstructionCallConv(flaws->call);
  char number[16];

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (bad[i] == convention)
      report_named_flaw(flaws, "statepoint-convention",
                        "LLVM 22 lowers no safepoint on this target under calling convention ", number,
                        (size_t)snprintf(number, sizeof number, "%u", convention));
}

void cn_report_parse_point_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to)
{
  const struct flaw_report flaws = {report, to, call};
  struct cn_call_target site = cn_call_target_of(call);

  CN_ASSERT(cn_is_call(call));
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(cn_call_target_callee(&site))) != 0)
    report_flaw(&flaws, "callee-address-space", "the callee of a safepoint must be in address space 0");
  check_convention(&flaws);
  check_arguments(&flaws, &site);
  cn_report_bundle_flaws(call, report, to);
  check_operand_count(&flaws);
}

/* ---- statepoints of the module itself ---- */

struct flaw_judge {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg; /* built at the first flaw */
  bool has_cfg;
};

static void refuse_flawed_call(void *to, LLVMValueRef call, const char *rule, const char *why)
{
  struct flaw_judge *judge = to;
  char name[96];

  if (!judge->has_cfg)
    cn_cfg_build_edges(&judge->cfg, judge->function);
  judge->has_cfg = true;
  if (cn_cfg_index_of(&judge->cfg, LLVMGetInstructionParent(call)) != CN_NO_BLOCK)
    cn_error(judge->ctx, call, rule, "%s: %s", cn_calls_describe(call, name, sizeof name), why);
}

/* Check that the bundle gc-live has only references, vectors of references, undefined values and locals. The object
 * side accepts a local only if the record of the local has no effect. */
static void check_listed_references(struct flaw_judge *judge, LLVMValueRef statepoint)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, "gc-live", &i, &end); i < end; i++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, i);
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!cn_is_ref(type) && !cn_is_ref_vector(type) && !LLVMIsUndef(value) && !LLVMIsAAllocaInst(value))
      refuse_flawed_call(judge, statepoint, "live-operands",
                         "the statepoint's gc-live bundle has a value that is not a reference: LLVM drops it");
  }
}

static void refuse_flaws_of_statepoint(struct flaw_judge *judge, LLVMValueRef statepoint)
{
  struct cn_call_target site = cn_call_target_of(statepoint);
  LLVMValueRef callee = cn_call_target_callee(&site);

  cn_report_parse_point_flaws(statepoint, refuse_flawed_call, judge);
  check_listed_references(judge, statepoint);
  if (site.type && !cn_is_returned_in_registers(judge->ctx->module, LLVMGetReturnType(site.type)))
    refuse_flawed_call(judge, statepoint, "large-result",
                       "a statepoint whose result does not come back in registers: LLVM 22 miscompiles it");
  if (cn_calls_has_attribute(statepoint, "returns_twice") ||
      (LLVMIsAFunction(callee) &&
       LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, cn_attribute_kind("returns_twice"))))
    refuse_flawed_call(judge, statepoint, "returns-twice",
                       "a call that returns twice leaves references of its first return behind");
}

void cn_refuse_statepoint_flaws_in(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct flaw_judge judge = {.ctx = ctx, .function = function};
  bool managed = cn_is_managed(function);

  CN_ASSERT(LLVMIsAFunction(function) && !LLVMIsDeclaration(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (!cn_is_call(i))
        continue;
      if (managed && cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        refuse_flaws_of_statepoint(&judge, i);
      else if (LLVMGetNumOperandBundles(i))
        cn_report_deopt_flaws(i, refuse_flawed_call, &judge);
    }
  if (judge.has_cfg)
    cn_cfg_free(&judge.cfg);
}

void cn_refuse_statepoint_flaws(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f))
      cn_refuse_statepoint_flaws_in(ctx, f);
}
