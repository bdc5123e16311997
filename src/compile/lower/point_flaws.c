/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses the calls of stackmap and patchpoint that LLVM 22 cannot lower, or whose records would be untrue. LLVM's code
 * generator checks none of this: it ends the process, never ends, or writes another record (docs/llvm-22.md,
 * "patchpoints"). Part of pass describe-points. Needs: any function. Provides: diagnostics of rule patch-point. Breaks:
 * nothing.
 */
#include "compile/lower/point_flaws.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"

enum { MAX_OPERANDS = 512 }; /* instruction selection fails for far more operands */

struct flaw_search {
  struct cn_ctx *ctx;
  const struct cn_point_call *point;
  bool found;
};

static void report_flaw(struct flaw_search *search, const char *why)
{
  char name[96];

  cn_error(search->ctx, search->point->call, "patch-point", "%s: %s",
           cn_calls_describe(search->point->call, name, sizeof name), why);
  search->found = true;
}

static void report_numbered_flaw(struct flaw_search *search, const char *format, uint64_t number, uint64_t limit)
{
  char *why = cn_format(format, (unsigned long long)number, (unsigned long long)limit);

  report_flaw(search, why);
  free(why);
}

/* ---- the place ---- */

static void check_function(struct flaw_search *search)
{
  LLVMValueRef call = search->point->call, function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));

  if (!cn_is_managed(function))
    report_flaw(search, "it is in an unmanaged function, whose frames Cairn does not record");
  if (LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("speculative_load_hardening")))
    report_flaw(search, "speculative load hardening would change the code of the region");
  if (search->point->target && !LLVMIsNull(search->point->target) && cn_has_indirect_call_thunks(function))
    report_flaw(search,
                "its call is indirect, and would not go through the function's thunk (target feature retpoline, "
                "lvi-cfi or seses)");
}

static void check_call(struct flaw_search *search)
{
  static const unsigned known[] = {
      LLVMCCallConv,          LLVMFastCallConv, LLVMColdCallConv, CN_CONVENTION_ANY_REGISTER, LLVMPreserveMostCallConv,
      LLVMPreserveAllCallConv};
  LLVMValueRef call = search->point->call;
  unsigned convention = LLVMGetInstructionCallConv(call);
  bool is_known = false;

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    is_known |= known[i] == convention;
  if (!is_known)
    report_numbered_flaw(search,
                         "calling convention %llu; a point has ccc, fastcc, coldcc, anyregcc, preserve_mostcc or "
                         "preserve_allcc",
                         convention, 0);
  if (LLVMGetNumOperandBundles(call))
    report_flaw(search, "it has an operand bundle, which LLVM 22 loses; deoptimisation state is in the live values");
  if (cn_calls_is_musttail(call))
    report_flaw(search, "it is a musttail call, after which its frame is gone");
}

/* ---- the region ---- */

/* True for the targets that LLVM 22 can call from a region: a number or a symbol. */
static bool is_callable_target(LLVMValueRef target)
{
  if (LLVMIsAGlobalValue(target))
    return true;
  bool cast =
      LLVMIsAIntToPtrInst(target) || (LLVMIsAConstantExpr(target) && LLVMGetConstOpcode(target) == LLVMIntToPtr);
  return cast && LLVMIsAConstantInt(LLVMGetOperand(target, 0));
}

static void check_target(struct flaw_search *search)
{
  const struct cn_point_call *p = search->point;

  if (LLVMIsAConstantPointerNull(p->target))
    return;
  if (!is_callable_target(p->target))
    report_flaw(search, "its target varies, or is not a symbol, a number or null");
  else if (LLVMIsAFunction(p->target) && cn_is_managed(p->target))
    report_flaw(search, "its target is a managed function, which may collect: use a patchable statepoint "
                        "(\"statepoint-num-patch-bytes\")");
  unsigned call_bytes = cn_convention_port_of(search->ctx->module)->point_target_bytes;
  if (!call_bytes)
    report_flaw(search, "it has a target, and on this machine LLVM 22 calls the address that the symbol has in the "
                        "compiler: the target is null, and the runtime writes the call");
  else if (p->bytes < call_bytes)
    report_numbered_flaw(search, "%llu bytes are reserved, and the call of its target takes %llu", p->bytes,
                         call_bytes);
}

static void check_region(struct flaw_search *search)
{
  uint64_t longest = search->point->is_patchpoint ? CAIRN_ABI_POINT_REGION_MAX : CAIRN_ABI_POINT_SHADOW_MAX;
  unsigned unit = cn_convention_port_of(search->ctx->module)->point_unit;

  if (search->point->is_patchpoint)
    check_target(search);
  if (search->point->bytes % unit)
    report_numbered_flaw(search, "%llu bytes are reserved, and instructions have %llu", search->point->bytes, unit);
  if (search->point->bytes > longest)
    report_numbered_flaw(search, "%llu bytes are reserved, and at most %llu can be", search->point->bytes, longest);
}

/* ---- values ---- */

static void check_type(struct flaw_search *search, const char *what, LLVMTypeRef type)
{
  const char *flaw = cn_point_type_flaw(type);

  if (!flaw)
    return;
  char *why = cn_format("%s is %s", what, flaw);
  report_flaw(search, why);
  free(why);
}

/* Refuse arguments that are passed otherwise than by their type. */
static void check_argument_attributes(struct flaw_search *search, unsigned operand)
{
  static const char *const names[] = {"byval",     "byref", "inalloca",   "preallocated", "sret",
                                      "swiftself", "nest",  "swifterror", "swiftasync",   "inreg"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (LLVMGetCallSiteEnumAttribute(search->point->call, operand + 1, cn_attribute_kind(names[i]))) {
      char *why = cn_format("an argument has the attribute %s", names[i]);
      report_flaw(search, why);
      free(why);
    }
}

static void check_values(struct flaw_search *search)
{
  const struct cn_point_call *p = search->point;

  for (unsigned i = p->first; i < p->end; i++) {
    LLVMValueRef value = LLVMGetOperand(p->call, i);
    check_type(search, i < p->live ? "an argument" : "a live value", LLVMTypeOf(value));
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64 &&
        LLVMConstIntGetZExtValue(value) == CAIRN_ABI_POINT_MARK)
      report_flaw(search, "a value is the constant by which Cairn finds the description of points");
  }
  for (unsigned i = p->first; i < p->live; i++)
    check_argument_attributes(search, i);
  if (LLVMGetTypeKind(LLVMTypeOf(p->call)) != LLVMVoidTypeKind)
    check_type(search, "its result", LLVMTypeOf(p->call));
}

static void check_counts(struct flaw_search *search)
{
  const struct cn_point_call *p = search->point;
  unsigned most_in_registers = cn_convention_port_of(search->ctx->module)->any_register_arguments;
  uint64_t values = p->end - p->first, described = p->end + values + 1 + 5;

  if (p->arguments > values)
    report_numbered_flaw(search, "it announces %llu arguments, and has %llu values", p->arguments, values);
  else if (cn_point_records_arguments(p) && p->arguments > most_in_registers)
    report_numbered_flaw(search, "%llu arguments of anyregcc, and registers suffice for %llu", p->arguments,
                         most_in_registers);
  if (described > MAX_OPERANDS)
    report_numbered_flaw(search, "with its description it has %llu operands, and at most %llu can be", described,
                         MAX_OPERANDS);
}

bool cn_refuse_point_flaws(struct cn_ctx *ctx, const struct cn_point_call *point)
{
  struct flaw_search search = {.ctx = ctx, .point = point};

  CN_ASSERT(cn_is_point_call(point->call));
  check_function(&search);
  check_call(&search);
  check_region(&search);
  check_counts(&search);
  check_values(&search);
  return !search.found;
}
