/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass strip-statepoints: replaces every gc.statepoint, from any producer, by the call that it wraps, with the
 * convention, attributes and bundles of the statepoint. The result of the call replaces the gc.result, and the original
 * value replaces each gc.relocate (the inverse of statepoints-original, "Intrinsics"). Optimisers then see plain calls
 * again.
 *
 * Needs: any module. Provides: functions without statepoints; directives such as "statepoint-id" at call sites whose
 * statepoints differ from the rewriter's defaults. Breaks: struct cn_cfg. Before any change, the pass reports each
 * statepoint that cannot be stripped.
 *
 * The pass cannot restore invalid attributes, and the original places of rematerialised computations. The pass removes
 * phis that only joined relocations of one value, base pointers that only statepoints needed, slots, and distances from
 * bases.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/strip/strip.h"

enum { FLAG_DEOPT_LIVE_IN = 2 };
enum { CALLEE_OPERAND = 2, ARG_COUNT_OPERAND = 3, FLAGS_OPERAND = 4, FIXED_OPERAND_COUNT = CN_STATEPOINT_FIXED_ARGS };

struct wrapped_call {
  LLVMValueRef statepoint, call; /* the statepoint, and the call that it becomes */
  uint32_t live, live_end;       /* operand numbers of the gc-live bundle */
};

struct relocation {
  LLVMValueRef relocate, value; /* value: null before it is found */
  bool visiting;
};

struct statepoint_stripper {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  unsigned statepoint_id, relocate_id, result_id; /* intrinsics */
  CN_VECTOR(struct wrapped_call) wrapped;
  CN_VECTOR(struct relocation) relocations;
  CN_VECTOR(LLVMValueRef) results;
  struct cn_ptrmap tokens;    /* statepoint or landing pad -> index of wrapped */
  struct cn_ptrmap relocates; /* gc.relocate -> index of relocations */
  struct cn_ptrmap allocas;   /* the described allocas found so far */
  struct cn_span_table spans;
  bool marked; /* the function has the markers of its spans */
};

static unsigned find_intrinsic_id(const char *name)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

  CN_CHECK(id != 0);
  return id;
}

static unsigned called_intrinsic_id(LLVMValueRef i)
{
  if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
    return 0;
  LLVMValueRef callee = cn_direct_callee(i);
  return callee ? LLVMGetIntrinsicID(callee) : 0;
}

/* ---- what a function has ---- */

/* Record a statepoint. The token of relocations on a statepoint's unwind edge is the landing pad. */
static void add_statepoint(struct statepoint_stripper *u, LLVMValueRef statepoint)
{
  struct wrapped_call w = {.statepoint = statepoint};

  cn_calls_find_bundle(statepoint, "gc-live", &w.live, &w.live_end);
  *cn_ptrmap_add(&u->tokens, statepoint, NULL) = u->wrapped.count;
  if (LLVMIsAInvokeInst(statepoint)) {
    LLVMValueRef pad = LLVMGetFirstInstruction(LLVMGetUnwindDest(statepoint));
    while (LLVMIsAPHINode(pad))
      pad = LLVMGetNextInstruction(pad);
    *cn_ptrmap_add(&u->tokens, pad, NULL) = u->wrapped.count;
  }
  cn_push(&u->wrapped, w);
}

static void gather_statepoints(struct statepoint_stripper *u, LLVMValueRef function)
{
  struct cn_span_markers marks = cn_span_markers(u->ctx);

  u->marked = cn_spans_have_markers_in(&marks, function);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      unsigned id = called_intrinsic_id(i);
      if (id == 0)
        continue;
      if (id == u->statepoint_id) {
        add_statepoint(u, i);
      } else if (id == u->relocate_id) {
        *cn_ptrmap_add(&u->relocates, i, NULL) = u->relocations.count;
        cn_push(&u->relocations, (struct relocation){.relocate = i});
      } else if (id == u->result_id) {
        cn_push(&u->results, i);
      }
    }
}

static void free_function_lists(struct statepoint_stripper *u)
{
  cn_free(&u->wrapped);
  cn_free(&u->relocations);
  cn_free(&u->results);
  cn_ptrmap_free(&u->tokens);
  cn_ptrmap_free(&u->relocates);
  cn_ptrmap_free(&u->allocas);
}

/* The statepoint of a token; null for an undefined token, in dead code. */
static struct wrapped_call *statepoint_of(struct statepoint_stripper *u, LLVMValueRef token)
{
  uint64_t *found = cn_ptrmap_find(&u->tokens, token);

  return found ? &u->wrapped.at[*found] : NULL;
}

/* The value that `relocate` names in the statepoint's list; null for an undefined token or index. */
static LLVMValueRef listed_value_of(struct statepoint_stripper *u, LLVMValueRef relocate)
{
  const struct wrapped_call *w = statepoint_of(u, LLVMGetOperand(relocate, 0));
  uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(relocate, 2));

  CN_ASSERT(cn_is_call(relocate));
  if (!w || index >= w->live_end - w->live)
    return NULL;
  CN_ASSERT(w->live_end <= (uint32_t)LLVMGetNumOperands(w->statepoint));
  return LLVMGetOperand(w->statepoint, w->live + (unsigned)index);
}

/* ---- refusals ---- */

static LLVMAttributeRef elementtype_attribute_of(LLVMValueRef statepoint)
{
  CN_ASSERT(cn_is_call(statepoint));
  return LLVMGetCallSiteEnumAttribute(statepoint, CALLEE_OPERAND + 1, cn_attribute_kind("elementtype"));
}

static void refuse_statepoints(struct statepoint_stripper *u)
{
  char name[120], other[120];

  for (size_t i = 0; i < u->wrapped.count; i++) {
    if (!elementtype_attribute_of(u->wrapped.at[i].statepoint))
      cn_error(u->ctx, u->wrapped.at[i].statepoint, "statepoint-type",
               "the type of the function that the statepoint calls is unknown");
    if (!u->marked)
      cn_strip_refuse_spans(u->ctx, &u->spans, u->wrapped.at[i].statepoint);
  }
  for (size_t i = 0; i < u->relocations.count; i++) {
    LLVMValueRef relocate = u->relocations.at[i].relocate, value = listed_value_of(u, relocate);
    if (value && LLVMTypeOf(value) != LLVMTypeOf(relocate))
      cn_error(u->ctx, relocate, "statepoint-type", "%s relocates %s, which has another type",
               cn_value_name(relocate, name, sizeof name), cn_value_name(value, other, sizeof other));
  }
}

/* ---- statepoints ---- */

struct bundle_list {
  CN_VECTOR(LLVMOperandBundleRef) list;
};

/* The operand in its original address space, before the cast to the address space that the code generator accepts. */
static LLVMValueRef operand_in_own_space(LLVMValueRef operand)
{
  LLVMValueRef from = LLVMIsAAddrSpaceCastInst(operand) ? LLVMGetOperand(operand, 0) : NULL;

  return from && LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMPointerTypeKind &&
                 LLVMGetPointerAddressSpace(LLVMTypeOf(from)) != 0
             ? from
             : operand;
}

/* The program's part of the deopt bundle, without the descriptions of allocas and spans. */
static LLVMOperandBundleRef program_deopt_bundle(struct statepoint_stripper *u, LLVMOperandBundleRef bundle)
{
  uint32_t own = cn_strip_count_own_deopt(bundle);
  bool described = own < LLVMGetNumOperandBundleArgs(bundle);
  CN_VECTOR(LLVMValueRef) operands = {0};

  for (uint32_t i = 0; i < own; i++)
    cn_push(&operands, operand_in_own_space(LLVMGetOperandBundleArgAtIndex(bundle, i)));
  cn_strip_alloca_preparations(u->ctx, bundle, own, &u->allocas);
  LLVMDisposeOperandBundle(bundle);
  bundle = own || !described ? LLVMCreateOperandBundle("deopt", 5, operands.at, own) : NULL;
  cn_free(&operands);
  return bundle;
}

static void gather_bundles(struct statepoint_stripper *u, LLVMValueRef statepoint, struct bundle_list *out)
{
  CN_ASSERT(cn_is_call(statepoint));
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(statepoint); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(statepoint, i);
    size_t length;
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    bool live = length == 7 && memcmp(tag, "gc-live", 7) == 0;
    if (live) {
      LLVMDisposeOperandBundle(bundle);
      continue;
    }
    if (length == 5 && memcmp(tag, "deopt", 5) == 0)
      bundle = program_deopt_bundle(u, bundle);
    if (bundle)
      cn_push(&out->list, bundle);
  }
}

static void add_string_attribute(struct cn_ctx *ctx, LLVMValueRef call, const char *name, const char *value)
{
  LLVMAddCallSiteAttribute(
      call, CN_FUNCTION_INDEX,
      LLVMCreateStringAttribute(ctx->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* Add directive `name` to the call if the rewriter would choose another number than `wanted`. */
static void write_directive(struct cn_ctx *ctx, LLVMValueRef call, const char *name, uint64_t chosen, uint64_t wanted)
{
  CN_CHECK(cn_statepoint_parse_directive(call, name, UINT64_MAX, &chosen));
  if (chosen == wanted)
    return;
  char *digits = cn_format("%llu", (unsigned long long)wanted);
  add_string_attribute(ctx, call, name, digits);
  free(digits);
}

static void copy_call_properties(struct statepoint_stripper *u, const struct wrapped_call *w, unsigned args)
{
  LLVMValueRef s = w->statepoint;

  LLVMSetInstructionCallConv(w->call, LLVMGetInstructionCallConv(s));
  if (LLVMIsACallInst(s))
    LLVMSetTailCallKind(w->call, LLVMGetTailCallKind(s));
  cn_emit_copy_attributes(s, CN_FUNCTION_INDEX, w->call, CN_FUNCTION_INDEX, NULL);
  for (unsigned i = 0; i < args; i++)
    cn_emit_copy_attributes(s, FIXED_OPERAND_COUNT + i + 1, w->call, i + 1, NULL);
  cn_emit_copy_metadata(u->ctx, s, w->call);
  write_directive(u->ctx, w->call, "statepoint-id", cn_statepoint_default_id(w->call),
                  LLVMConstIntGetZExtValue(LLVMGetOperand(s, 0)));
  write_directive(u->ctx, w->call, "statepoint-num-patch-bytes", 0, LLVMConstIntGetZExtValue(LLVMGetOperand(s, 1)));
  if (LLVMConstIntGetZExtValue(LLVMGetOperand(s, FLAGS_OPERAND)) & FLAG_DEOPT_LIVE_IN)
    add_string_attribute(u->ctx, w->call, "deopt-lowering", "live-in");
}

static void build_wrapped_call(struct statepoint_stripper *u, struct wrapped_call *w)
{
  LLVMValueRef s = w->statepoint, callee = LLVMGetOperand(s, CALLEE_OPERAND);
  LLVMTypeRef type = LLVMGetTypeAttributeValue(elementtype_attribute_of(s));
  unsigned count = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(s, ARG_COUNT_OPERAND));
  CN_CHECK(FIXED_OPERAND_COUNT + count <= (unsigned)LLVMGetNumOperands(s));
  CN_VECTOR(LLVMValueRef) args = {0};
  struct bundle_list bundles = {0};

  for (unsigned i = 0; i < count; i++)
    cn_push(&args, LLVMGetOperand(s, FIXED_OPERAND_COUNT + i));
  gather_bundles(u, s, &bundles);
  LLVMPositionBuilderBefore(u->builder, s);
  LLVMSetCurrentDebugLocation2(u->builder, LLVMInstructionGetDebugLoc(s));
  if (LLVMIsAInvokeInst(s))
    w->call =
        LLVMBuildInvokeWithOperandBundles(u->builder, type, callee, args.at, count, LLVMGetNormalDest(s),
                                          LLVMGetUnwindDest(s), bundles.list.at, (unsigned)bundles.list.count, "");
  else
    w->call = LLVMBuildCallWithOperandBundles(u->builder, type, callee, args.at, count, bundles.list.at,
                                              (unsigned)bundles.list.count, "");
  copy_call_properties(u, w, count);
  if (!u->marked)
    cn_strip_spans_to_markers(u->ctx, &u->spans, s, w->call);
  for (size_t i = 0; i < bundles.list.count; i++)
    LLVMDisposeOperandBundle(bundles.list.at[i]);
  cn_free(&bundles.list);
  cn_free(&args);
}

/* ---- results and relocations ---- */

static void replace_gc_results(struct statepoint_stripper *u)
{
  for (size_t i = 0; i < u->results.count; i++) {
    LLVMValueRef result = u->results.at[i];
    const struct wrapped_call *w = statepoint_of(u, LLVMGetOperand(result, 0));
    LLVMValueRef to = w ? w->call : LLVMGetPoison(LLVMTypeOf(result));
    size_t length;
    char *name = cn_strdup(LLVMGetValueName2(result, &length));
    if (w)
      cn_emit_copy_attributes(result, 0, w->call, 0, NULL);
    LLVMReplaceAllUsesWith(result, to);
    LLVMInstructionEraseFromParent(result);
    if (w && length)
      LLVMSetValueName2(w->call, name, length);
    free(name);
  }
}

/* The original value of relocation `r`. Relocations of relocations form a chain that ends in the original value. A
 * cycle in dead code yields poison. */
static LLVMValueRef unrelocated_value_of(struct statepoint_stripper *u, size_t r)
{
  CN_VECTOR(size_t) path = {0};
  LLVMValueRef value = NULL;

  for (size_t at = r; !value;) {
    struct relocation *relocation = &u->relocations.at[at];
    if (relocation->value) {
      value = relocation->value;
      break;
    }
    cn_push(&path, at);
    LLVMValueRef listed = relocation->visiting ? NULL : listed_value_of(u, relocation->relocate);
    uint64_t *next = listed ? cn_ptrmap_find(&u->relocates, listed) : NULL;
    relocation->visiting = true;
    if (next)
      at = *next;
    else
      value = listed ? listed : LLVMGetPoison(LLVMTypeOf(relocation->relocate));
  }
  CN_CHECK(value);
  for (size_t i = 0; i < path.count; i++)
    u->relocations.at[path.at[i]].value = value;
  cn_free(&path);
  return value;
}

static void replace_relocations(struct statepoint_stripper *u)
{
  for (size_t i = 0; i < u->relocations.count; i++)
    unrelocated_value_of(u, i);
  for (size_t i = 0; i < u->relocations.count; i++)
    LLVMReplaceAllUsesWith(u->relocations.at[i].relocate, u->relocations.at[i].value);
  for (size_t i = 0; i < u->relocations.count; i++)
    LLVMInstructionEraseFromParent(u->relocations.at[i].relocate);
}

/* ---- functions ---- */

static void strip_function(struct statepoint_stripper *u, LLVMValueRef function, struct cn_stripped_calls *out)
{
  for (size_t i = 0; i < u->wrapped.count; i++)
    build_wrapped_call(u, &u->wrapped.at[i]);
  replace_gc_results(u);
  replace_relocations(u);
  for (size_t i = 0; i < u->wrapped.count; i++) {
    CN_CHECK(u->wrapped.at[i].call);
    LLVMInstructionEraseFromParent(u->wrapped.at[i].statepoint);
    if (out)
      cn_push(&out->calls, u->wrapped.at[i].call);
  }
  cn_strip_fold_casts(function);
  if (u->allocas.count) { /* some described allocas may be slots of the rewriter */
    cn_strip_dead_pointers(function);
    cn_strip_promote_locals(u->ctx, function);
  }
  cn_strip_redundant_phis(function);
  cn_strip_fold_distances(function);
  cn_strip_dead_pointers(function);
}

static void init_stripper(struct statepoint_stripper *u, struct cn_ctx *ctx)
{
  *u = (struct statepoint_stripper){.ctx = ctx,
                                    .builder = LLVMCreateBuilderInContext(ctx->llvm),
                                    .statepoint_id = find_intrinsic_id("llvm.experimental.gc.statepoint"),
                                    .relocate_id = find_intrinsic_id("llvm.experimental.gc.relocate"),
                                    .result_id = find_intrinsic_id("llvm.experimental.gc.result")};
  cn_span_table_read(ctx, &u->spans); /* sections of this name with other contents are refused or empty */
}

static void dispose_stripper(struct statepoint_stripper *u)
{
  cn_triples_free(&u->spans.entries);
  LLVMDisposeBuilder(u->builder);
}

void cn_strip_refuse_statepoints(struct cn_ctx *ctx)
{
  struct statepoint_stripper u;

  cn_span_table_check(ctx);
  init_stripper(&u, ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    gather_statepoints(&u, f);
    refuse_statepoints(&u);
    free_function_lists(&u);
  }
  dispose_stripper(&u);
}

static void drop_intrinsic_declarations(struct statepoint_stripper *u)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(u->ctx->module), next; f; f = next) {
    unsigned id = LLVMGetIntrinsicID(f);
    next = LLVMGetNextFunction(f);
    bool ours = id && (id == u->statepoint_id || id == u->relocate_id || id == u->result_id);
    if (ours && !LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
}

void cn_strip_module_statepoints(struct cn_ctx *ctx, bool managed_only, struct cn_stripped_calls *out)
{
  struct statepoint_stripper u;

  init_stripper(&u, ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    if (managed_only && !cn_is_managed(f))
      continue;
    gather_statepoints(&u, f);
    if (u.wrapped.count || u.relocations.count || u.results.count)
      strip_function(&u, f, out);
    free_function_lists(&u);
  }
  drop_intrinsic_declarations(&u);
  dispose_stripper(&u);
}

bool cn_strip_statepoints(struct cn_ctx *ctx)
{
  unsigned errors = ctx->errors;

  cn_strip_refuse_statepoints(ctx);
  if (ctx->errors == errors)
    cn_strip_module_statepoints(ctx, false, NULL);
  return ctx->errors == errors;
}
