/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass call-targets: routes calls through pointers. A managed target needs only an ordinary call; a call of a native
 * target must leave an anchor. The mark before managed functions shows the kind of a target:
 *
 *   r = call f(args)     %m = load i64, ptr (f rounded down to 16)
 *                        %c = select (%m == mark), (f + ENTRY_SIZE), @cairn_call_native
 *                        r = call %c(args, ptr nest f)
 *
 * A `nest` argument has a separate register: a managed callee ignores it, and the stub reads its target from it. At -Os
 * and -Oz the stubs cairn_vcall_any and cairn_call_managed test the mark, which saves 30 bytes per call. The entry of a
 * managed function is 8 bytes after a multiple of 16, and the mark is in these 8 bytes. The load thus reads within the
 * aligned 16 bytes that contain the start of the target, which are readable for any target.
 *
 *   target of the call                         callee of the routed call
 *   managed by an attribute of the call        the target
 *   native: static, or declared as native      a stub, without a test; if possible the short stub (short_calls.c)
 *   any, with a convention like tailcc         the target, or a managed bridge to it (bridges.c)
 *   any, with a convention of native code only the stub, with a native bridge
 *   any, if the call passes a reference        the target, or a stub that ends the program
 *
 * Caller and callee of a musttail call must have one signature, so a caller of the C convention gets a `nest` parameter
 * too. Callers of this function may ignore the parameter.
 *
 * Needs: functions whose statepoints are final; routed calls of named functions (transitions.c). Provides: each call
 * that reaches native code leaves an anchor; managed functions have their entries (entries.c); errors for musttail
 * calls and hardened calls that no stub supports. Breaks: functions that get a parameter move to the module's end.
 */
#include "compile/transitions/transitions.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/transitions/callees.h"
#include "compile/transitions/rebuild.h"

typedef CN_VECTOR(struct cn_call_target) call_site_vector;

/* ---- one call ---- */

/* Build a choice between the address `offset` bytes after `target`, if `target` has the mark, and `other`. At -O3
 * branch weights make LLVM turn the choice into a branch: the code is longer, but calls need not wait for the mark. The
 * freeze is needed because LLVM 22 calls a wrong result of some nodes in a statepoint (docs/llvm-22.md, "multi-result
 * callees"). */
static LLVMValueRef select_callee_by_mark(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef target,
                                          uint64_t offset, LLVMValueRef other)
{
  CN_ASSERT(LLVMGetTypeKind(LLVMTypeOf(target)) == LLVMPointerTypeKind);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);

  LLVMPositionBuilderBefore(builder, site->call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(site->call));
  LLVMValueRef address = LLVMBuildPtrToInt(builder, target, i64, "");
  address = LLVMBuildAnd(builder, address, LLVMConstInt(i64, (uint64_t)-16, true), "");
  address = LLVMBuildIntToPtr(builder, address, pointer, "");
  LLVMValueRef word = LLVMBuildLoad2(builder, i64, address, "");
  LLVMSetAlignment(word, 16);
  LLVMValueRef mark = LLVMConstInt(i64, CAIRN_ABI_MANAGED_MARK, false);
  LLVMValueRef managed = LLVMBuildICmp(builder, LLVMIntEQ, word, mark, "managed");
  LLVMValueRef size = LLVMConstInt(i64, offset, false);
  LLVMValueRef body = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(ctx->llvm), target, &size, 1, "");
  LLVMValueRef callee = LLVMBuildSelect(builder, managed, body, other, "");
  if (LLVMIsASelectInst(callee) && ctx->options->opt_level > 2)
    cn_emit_branch_weights(ctx, callee, CN_MOSTLY, 1);
  if (LLVMIsAInstruction(callee))
    callee = LLVMBuildFreeze(builder, callee, "callee");
  LLVMDisposeBuilder(builder);
  return callee;
}

/* End the program if the callee of a large result's wrapper is native, because the wrapper passes references to its
 * callee. */
static void guard_wrapped_callee(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  unsigned operand = site->first + CN_RESULT_CALLEE_ARGUMENT;
  LLVMValueRef callee = LLVMGetOperand(site->call, operand);

  CN_CHECK(site->count > CN_RESULT_CALLEE_ARGUMENT);
  if (!cn_target_managed_function(callee))
    LLVMSetOperand(site->call, operand,
                   select_callee_by_mark(ctx, site, callee, 0, cn_declare_stub(ctx, CN_REFUSE_NATIVE)));
}

static void lower_call_site(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  CN_CHECK(cn_is_managed(cn_call_target_caller(site)) && site->type);
  LLVMValueRef target = cn_call_target_callee(site), stub = cn_declare_stub(ctx, CN_CALL_NATIVE);
  enum cn_convention convention = cn_convention_of(site->call);
  unsigned entry_size = cn_convention_port_of(ctx->module)->entry_size;

  bool shown = cn_call_target_passes_reference(ctx, site) && !cn_target_is_native(target);

  if (convention == CN_CONVENTION_NATIVE || cn_call_target_uses_nest(site)) {
    if (shown) { /* the target must be managed, but the bridge is native */
      target = select_callee_by_mark(ctx, site, target, 0, cn_declare_stub(ctx, CN_REFUSE_NATIVE));
      stub = cn_declare_stub(ctx, CN_CALL_PASSING);
    }
    const struct cn_call_change change = {.callee = stub,
                                          .more_count = 2,
                                          .more = {target, cn_bridge_native_for(ctx, site)},
                                          .convention = LLVMCCallConv};
    cn_rebuild_call(ctx, site, &change);
    return;
  }
  if (cn_result_wrapper_passes_refs(target)) {
    guard_wrapped_callee(ctx, site);
    cn_rebuild_call_through_stub(ctx, site, cn_declare_stub(ctx, CN_CALL_PASSING), target);
    return;
  }
  if (shown)
    stub = cn_declare_stub(ctx, CN_CALL_MANAGED);
  else if (convention == CN_CONVENTION_BRIDGED)
    stub = cn_bridge_managed_for(ctx, site);
  else if (cn_target_is_native(target)) {
    if (cn_shorten_call(ctx, site))
      return;
    target = NULL;
  }
  if (target && site->is_statepoint && cn_has_indirect_call_thunks(cn_call_target_caller(site)))
    cn_error(ctx, site->call, "hardening",
             "LLVM 22 cannot lower an indirect call in a statepoint "
             "that is to go through a thunk (target feature retpoline, lvi-cfi or seses)");
  else if (target && convention == CN_CONVENTION_PLAIN && ctx->options->size_level)
    cn_rebuild_call_through_stub(ctx, site, shown ? stub : cn_declare_stub(ctx, CN_VCALL_ANY), target);
  else if (target)
    cn_rebuild_call_through_stub(ctx, site, select_callee_by_mark(ctx, site, target, entry_size, stub), target);
  else
    cn_rebuild_call_through_stub(ctx, site, stub, cn_call_target_callee(site));
}

/* ---- musttail ---- */

static bool needs_nest_parameter(const struct cn_call_target *site)
{
  return cn_calls_is_musttail(site->call) && !cn_convention_has_tail_calls(LLVMGetInstructionCallConv(site->call));
}

static bool has_nest_parameter(LLVMValueRef function)
{
  unsigned kind = cn_attribute_kind("nest");

  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
      return true;
  return false;
}

static LLVMTypeRef type_with_nest_parameter(struct cn_ctx *ctx, LLVMTypeRef type)
{
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = cn_alloc((count + 1) * sizeof *types);

  LLVMGetParamTypes(type, types);
  types[count] = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef longer = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, LLVMIsFunctionVarArg(type));
  free(types);
  return longer;
}

/* Add a `nest` parameter to `function`. The function's musttail calls of named functions must also pass a `nest`
 * argument, which is poison. */
static LLVMValueRef add_nest_parameter(struct cn_ctx *ctx, LLVMValueRef function, const call_site_vector *through)
{
  call_site_vector others = {0};
  LLVMValueRef poison = LLVMGetPoison(LLVMPointerTypeInContext(ctx->llvm, 0));

  CN_CHECK(!has_nest_parameter(function) && cn_can_retype_function(function)); /* check_musttail() */
  function = cn_retype(ctx, function, type_with_nest_parameter(ctx, LLVMGlobalGetValueType(function)));
  cn_add_enum_attribute(ctx, function, LLVMCountParams(function), "nest", 0);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      bool other = cn_calls_is_musttail(i);
      for (size_t s = 0; other && s < through->count; s++)
        other = through->at[s].call != i;
      if (other)
        cn_push(&others, cn_call_target_of(i));
    }
  for (size_t i = 0; i < others.count; i++)
    cn_rebuild_call_through_stub(ctx, &others.at[i], cn_call_target_callee(&others.at[i]), poison);
  cn_free(&others);
  return function;
}

static bool check_musttail(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_call_target *site)
{
  const char *why = NULL;

  if (!cn_calls_is_musttail(site->call))
    return true;
  if (cn_call_target_uses_nest(site))
    why = "passes a nest argument, whose register the transition stubs use";
  else if (needs_nest_parameter(site) && has_nest_parameter(function))
    why = "is in a function with a nest parameter, whose register the transition stubs use";
  else if (needs_nest_parameter(site) && !cn_can_retype_function(function))
    why = "is in a function whose blocks' addresses are taken";
  if (why)
    cn_error(ctx, site->call, "transition-convention", "a musttail call that may reach native code %s", why);
  return !why;
}

/* ---- functions ---- */

/* True if the callee is a pointer, or a named function that thunks cannot reach. */
static bool is_call_through_pointer(LLVMValueRef i, const struct cn_call_target *site)
{
  LLVMValueRef callee = cn_call_target_callee(site);

  if (LLVMIsAInlineAsm(callee) || cn_target_is_promised_managed(i) || cn_target_managed_function(callee))
    return false;
  if (LLVMIsAFunction(callee) && (cn_target_is_stub(callee) || LLVMGetIntrinsicID(callee)))
    return false;
  return !LLVMIsAFreezeInst(callee) ||
         !cn_call_target_uses_nest(site); /* select_callee_by_mark() has routed the call already */
}

static void gather_call_sites(struct cn_ctx *ctx, LLVMValueRef function, call_site_vector *sites, bool *parameter)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      if (kind == CN_CALL_NONE || kind == CN_CALL_LEAF)
        continue;
      struct cn_call_target site = cn_call_target_of(i);
      if (!site.type || !is_call_through_pointer(i, &site) || !check_musttail(ctx, function, &site))
        continue;
      *parameter |= needs_nest_parameter(&site);
      cn_push(sites, site);
    }
}

void cn_route_pointer_calls_in(struct cn_ctx *ctx, LLVMValueRef function)
{
  call_site_vector sites = {0};
  bool parameter = false;

  CN_CHECK(LLVMIsAFunction(function) && !LLVMIsDeclaration(function) && cn_is_managed(function));
  gather_call_sites(ctx, function, &sites, &parameter);
  if (parameter && ctx->errors == 0)
    function = add_nest_parameter(ctx, function, &sites);
  for (size_t i = 0; i < sites.count && ctx->errors == 0; i++)
    lower_call_site(ctx, &sites.at[i]);
  if (ctx->errors == 0)
    cn_tail_frames_fix(ctx, function);
  cn_free(&sites);
}

bool cn_route_pointer_calls(struct cn_ctx *ctx)
{
  CN_VECTOR(LLVMValueRef) functions = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++)
    cn_route_pointer_calls_in(ctx, functions.at[i]);
  cn_free(&functions);
  if (ctx->errors == 0)
    cn_entries_add(ctx);
  return ctx->errors == 0;
}
