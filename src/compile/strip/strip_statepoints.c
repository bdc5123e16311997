/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass strip-statepoints: every gc.statepoint, from any producer, becomes the call that it wraps, with its convention,
 * attributes and bundles; its gc.result becomes the call's result, and each gc.relocate the value that it relocates
 * (the inverse of statepoints-original, "Intrinsics"). Optimisers then see plain calls again.
 *
 * Needs: any module. Provides: functions without statepoints; "statepoint-id" and the like at call sites where the
 * rewriter would choose otherwise. Breaks: struct cn_cfg. A statepoint that cannot be stripped is reported while the
 * module is still unchanged.
 *
 * Some things stay removed: attributes that a moving collector makes false, and the original places of computations
 * that the rewriter repeats. Phis that only joined relocations of one value go, and so do base pointers that only
 * statepoints needed, slots, and distances from bases.
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
enum { CALLEE_OPERAND = 2, COUNT_OPERAND = 3, FLAGS_OPERAND = 4, FIXED_OPERANDS = CN_STATEPOINT_FIXED_ARGS };

struct wrapped {
  LLVMValueRef statepoint, call; /* the statepoint, and the call that it becomes */
  uint32_t live, live_end;       /* operand numbers of the gc-live bundle */
};

struct relocation {
  LLVMValueRef relocate, value; /* value: null while unknown */
  bool visiting;
};

struct stripper {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  unsigned statepoint_id, relocate_id, result_id; /* intrinsics */
  CN_VECTOR(struct wrapped) wrapped;
  CN_VECTOR(struct relocation) relocations;
  CN_VECTOR(LLVMValueRef) results;
  struct cn_ptrmap tokens;    /* statepoint or landing pad -> index of wrapped */
  struct cn_ptrmap relocates; /* gc.relocate -> index of relocations */
  struct cn_ptrmap allocas;   /* the described ones found so far */
  struct cn_span_table spans;
  bool marked; /* the function has the markers of its spans */
};

static unsigned intrinsic_id(const char *name)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

  CN_CHECK(id != 0);
  return id;
}

static unsigned called_intrinsic(LLVMValueRef i)
{
  if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
    return 0;
  LLVMValueRef callee = cn_direct_callee(i);
  return callee ? LLVMGetIntrinsicID(callee) : 0;
}

/* ---- what a function has ---- */

/* Relocations on an unwind edge have the landing pad for their token. */
static void add_statepoint(struct stripper *u, LLVMValueRef statepoint)
{
  struct wrapped w = {.statepoint = statepoint};

  cn_calls_bundle(statepoint, "gc-live", &w.live, &w.live_end);
  *cn_ptrmap_add(&u->tokens, statepoint, NULL) = u->wrapped.count;
  if (LLVMIsAInvokeInst(statepoint)) {
    LLVMValueRef pad = LLVMGetFirstInstruction(LLVMGetUnwindDest(statepoint));
    while (LLVMIsAPHINode(pad))
      pad = LLVMGetNextInstruction(pad);
    *cn_ptrmap_add(&u->tokens, pad, NULL) = u->wrapped.count;
  }
  cn_push(&u->wrapped, w);
}

static void gather_statepoints(struct stripper *u, LLVMValueRef function)
{
  struct cn_span_marks marks = cn_span_marks(u->ctx);

  u->marked = cn_spans_marked(&marks, function);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      unsigned id = called_intrinsic(i);
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

static void free_function_lists(struct stripper *u)
{
  cn_free(&u->wrapped);
  cn_free(&u->relocations);
  cn_free(&u->results);
  cn_ptrmap_free(&u->tokens);
  cn_ptrmap_free(&u->relocates);
  cn_ptrmap_free(&u->allocas);
}

/* The statepoint of a token; null for an undefined token, in dead code. */
static struct wrapped *statepoint_of(struct stripper *u, LLVMValueRef token)
{
  uint64_t *found = cn_ptrmap_find(&u->tokens, token);

  return found ? &u->wrapped.at[*found] : NULL;
}

/* The value that `relocate` relocates, as the statepoint lists it; null for an undefined token or index. */
static LLVMValueRef listed_value(struct stripper *u, LLVMValueRef relocate)
{
  const struct wrapped *w = statepoint_of(u, LLVMGetOperand(relocate, 0));
  uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(relocate, 2));

  CN_ASSERT(cn_is_call(relocate));
  if (!w || index >= w->live_end - w->live)
    return NULL;
  CN_ASSERT(w->live_end <= (uint32_t)LLVMGetNumOperands(w->statepoint));
  return LLVMGetOperand(w->statepoint, w->live + (unsigned)index);
}

/* ---- refusals ---- */

static LLVMAttributeRef element_type(LLVMValueRef statepoint)
{
  CN_ASSERT(cn_is_call(statepoint));
  return LLVMGetCallSiteEnumAttribute(statepoint, CALLEE_OPERAND + 1, cn_attribute_kind("elementtype"));
}

static void refuse_statepoints(struct stripper *u)
{
  char name[120], other[120];

  for (size_t i = 0; i < u->wrapped.count; i++) {
    if (!element_type(u->wrapped.at[i].statepoint))
      cn_error(u->ctx, u->wrapped.at[i].statepoint, "statepoint-type",
               "the type of the function that the statepoint calls is unknown");
    if (!u->marked)
      cn_strip_refuse_spans(u->ctx, &u->spans, u->wrapped.at[i].statepoint);
  }
  for (size_t i = 0; i < u->relocations.count; i++) {
    LLVMValueRef relocate = u->relocations.at[i].relocate, value = listed_value(u, relocate);
    if (value && LLVMTypeOf(value) != LLVMTypeOf(relocate))
      cn_error(u->ctx, relocate, "statepoint-type", "%s relocates %s, which has another type",
               cn_value_name(relocate, name, sizeof name), cn_value_name(value, other, sizeof other));
  }
}

/* ---- statepoints ---- */

struct bundles {
  CN_VECTOR(LLVMOperandBundleRef) list;
};

/* The operand in its own address space: the rewriter lists all references in the one that the code generator knows. */
static LLVMValueRef own_operand(LLVMValueRef operand)
{
  LLVMValueRef from = LLVMIsAAddrSpaceCastInst(operand) ? LLVMGetOperand(operand, 0) : NULL;

  return from && LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMPointerTypeKind &&
                 LLVMGetPointerAddressSpace(LLVMTypeOf(from)) != 0
             ? from
             : operand;
}

/* The program's part of the deopt bundle: the descriptions of allocas and spans are handled elsewhere. */
static LLVMOperandBundleRef own_deopt(struct stripper *u, LLVMOperandBundleRef bundle)
{
  uint32_t own = cn_strip_own_deopt(bundle);
  bool described = own < LLVMGetNumOperandBundleArgs(bundle);
  CN_VECTOR(LLVMValueRef) operands = {0};

  for (uint32_t i = 0; i < own; i++)
    cn_push(&operands, own_operand(LLVMGetOperandBundleArgAtIndex(bundle, i)));
  cn_strip_allocas(u->ctx, bundle, own, &u->allocas);
  LLVMDisposeOperandBundle(bundle);
  bundle = own || !described ? LLVMCreateOperandBundle("deopt", 5, operands.at, own) : NULL;
  cn_free(&operands);
  return bundle;
}

static void take_bundles(struct stripper *u, LLVMValueRef statepoint, struct bundles *out)
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
      bundle = own_deopt(u, bundle);
    if (bundle)
      cn_push(&out->list, bundle);
  }
}

static void copy_metadata(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to)
{
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);

  for (unsigned i = 0; i < count; i++) {
    LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
    LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i), LLVMMetadataAsValue(ctx->llvm, node));
  }
  LLVMDisposeValueMetadataEntries(entries);
}

static void add_string(struct cn_ctx *ctx, LLVMValueRef call, const char *name, const char *value)
{
  LLVMAddCallSiteAttribute(
      call, CN_FUNCTION_INDEX,
      LLVMCreateStringAttribute(ctx->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* Write a directive at the call site if the rewriter would choose otherwise. */
static void write_directive(struct cn_ctx *ctx, LLVMValueRef call, const char *name, uint64_t chosen, uint64_t wanted)
{
  CN_CHECK(cn_statepoint_directive(call, name, UINT64_MAX, &chosen));
  if (chosen == wanted)
    return;
  char *digits = cn_format("%llu", (unsigned long long)wanted);
  add_string(ctx, call, name, digits);
  free(digits);
}

static void copy_facts(struct stripper *u, const struct wrapped *w, unsigned args)
{
  LLVMValueRef s = w->statepoint;

  LLVMSetInstructionCallConv(w->call, LLVMGetInstructionCallConv(s));
  if (LLVMIsACallInst(s))
    LLVMSetTailCallKind(w->call, LLVMGetTailCallKind(s));
  cn_emit_attributes_of(s, CN_FUNCTION_INDEX, w->call, CN_FUNCTION_INDEX, NULL);
  for (unsigned i = 0; i < args; i++)
    cn_emit_attributes_of(s, FIXED_OPERANDS + i + 1, w->call, i + 1, NULL);
  copy_metadata(u->ctx, s, w->call);
  write_directive(u->ctx, w->call, "statepoint-id", cn_statepoint_default_id(w->call),
                  LLVMConstIntGetZExtValue(LLVMGetOperand(s, 0)));
  write_directive(u->ctx, w->call, "statepoint-num-patch-bytes", 0, LLVMConstIntGetZExtValue(LLVMGetOperand(s, 1)));
  if (LLVMConstIntGetZExtValue(LLVMGetOperand(s, FLAGS_OPERAND)) & FLAG_DEOPT_LIVE_IN)
    add_string(u->ctx, w->call, "deopt-lowering", "live-in");
}

static void build_call(struct stripper *u, struct wrapped *w)
{
  LLVMValueRef s = w->statepoint, callee = LLVMGetOperand(s, CALLEE_OPERAND);
  LLVMTypeRef type = LLVMGetTypeAttributeValue(element_type(s));
  unsigned count = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(s, COUNT_OPERAND));
  CN_CHECK(FIXED_OPERANDS + count <= (unsigned)LLVMGetNumOperands(s));
  CN_VECTOR(LLVMValueRef) args = {0};
  struct bundles bundles = {0};

  for (unsigned i = 0; i < count; i++)
    cn_push(&args, LLVMGetOperand(s, FIXED_OPERANDS + i));
  take_bundles(u, s, &bundles);
  LLVMPositionBuilderBefore(u->builder, s);
  LLVMSetCurrentDebugLocation2(u->builder, LLVMInstructionGetDebugLoc(s));
  if (LLVMIsAInvokeInst(s))
    w->call =
        LLVMBuildInvokeWithOperandBundles(u->builder, type, callee, args.at, count, LLVMGetNormalDest(s),
                                          LLVMGetUnwindDest(s), bundles.list.at, (unsigned)bundles.list.count, "");
  else
    w->call = LLVMBuildCallWithOperandBundles(u->builder, type, callee, args.at, count, bundles.list.at,
                                              (unsigned)bundles.list.count, "");
  copy_facts(u, w, count);
  if (!u->marked)
    cn_strip_spans(u->ctx, &u->spans, s, w->call);
  for (size_t i = 0; i < bundles.list.count; i++)
    LLVMDisposeOperandBundle(bundles.list.at[i]);
  cn_free(&bundles.list);
  cn_free(&args);
}

/* ---- results and relocations ---- */

static void replace_results(struct stripper *u)
{
  for (size_t i = 0; i < u->results.count; i++) {
    LLVMValueRef result = u->results.at[i];
    const struct wrapped *w = statepoint_of(u, LLVMGetOperand(result, 0));
    LLVMValueRef to = w ? w->call : LLVMGetPoison(LLVMTypeOf(result));
    size_t length;
    char *name = cn_strdup(LLVMGetValueName2(result, &length));
    if (w)
      cn_emit_attributes_of(result, 0, w->call, 0, NULL);
    LLVMReplaceAllUsesWith(result, to);
    LLVMInstructionEraseFromParent(result);
    if (w && length)
      LLVMSetValueName2(w->call, name, length);
    free(name);
  }
}

/* The value at the start of relocation `r`: the end of a chain of relocations, each listed by the next one's
 * statepoint. A ring of them, in dead code, yields poison. */
static LLVMValueRef unrelocated_value_of(struct stripper *u, size_t r)
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
    LLVMValueRef listed = relocation->visiting ? NULL : listed_value(u, relocation->relocate);
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

static void replace_relocations(struct stripper *u)
{
  for (size_t i = 0; i < u->relocations.count; i++)
    unrelocated_value_of(u, i);
  for (size_t i = 0; i < u->relocations.count; i++)
    LLVMReplaceAllUsesWith(u->relocations.at[i].relocate, u->relocations.at[i].value);
  for (size_t i = 0; i < u->relocations.count; i++)
    LLVMInstructionEraseFromParent(u->relocations.at[i].relocate);
}

/* ---- functions ---- */

static void strip_function(struct stripper *u, LLVMValueRef function, struct cn_stripped *out)
{
  for (size_t i = 0; i < u->wrapped.count; i++)
    build_call(u, &u->wrapped.at[i]);
  replace_results(u);
  replace_relocations(u);
  for (size_t i = 0; i < u->wrapped.count; i++) {
    CN_CHECK(u->wrapped.at[i].call);
    LLVMInstructionEraseFromParent(u->wrapped.at[i].statepoint);
    if (out)
      cn_push(&out->calls, u->wrapped.at[i].call);
  }
  cn_strip_fold_casts(function);
  if (u->allocas.count) { /* some may be slots that the rewriter made */
    cn_strip_dead(function);
    cn_strip_promote(u->ctx, function);
  }
  cn_strip_join_phis(function);
  cn_strip_fold_distances(function);
  cn_strip_dead(function);
}

static void init_stripper(struct stripper *u, struct cn_ctx *ctx)
{
  *u = (struct stripper){.ctx = ctx,
                         .builder = LLVMCreateBuilderInContext(ctx->llvm),
                         .statepoint_id = intrinsic_id("llvm.experimental.gc.statepoint"),
                         .relocate_id = intrinsic_id("llvm.experimental.gc.relocate"),
                         .result_id = intrinsic_id("llvm.experimental.gc.result")};
  cn_span_table_read(ctx, &u->spans); /* other sections of that name have been refused, or are empty */
}

static void dispose_stripper(struct stripper *u)
{
  cn_triples_free(&u->spans.entries);
  LLVMDisposeBuilder(u->builder);
}

void cn_strip_refuse(struct cn_ctx *ctx)
{
  struct stripper u;

  cn_span_table_check(ctx);
  init_stripper(&u, ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    gather_statepoints(&u, f);
    refuse_statepoints(&u);
    free_function_lists(&u);
  }
  dispose_stripper(&u);
}

/* Drop declarations without uses. */
static void drop_declarations(struct stripper *u)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(u->ctx->module), next; f; f = next) {
    unsigned id = LLVMGetIntrinsicID(f);
    next = LLVMGetNextFunction(f);
    bool ours = id && (id == u->statepoint_id || id == u->relocate_id || id == u->result_id);
    if (ours && !LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
}

void cn_strip_module(struct cn_ctx *ctx, bool managed_only, struct cn_stripped *out)
{
  struct stripper u;

  init_stripper(&u, ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    if (managed_only && !cn_is_managed(f))
      continue;
    gather_statepoints(&u, f);
    if (u.wrapped.count || u.relocations.count || u.results.count)
      strip_function(&u, f, out);
    free_function_lists(&u);
  }
  drop_declarations(&u);
  dispose_stripper(&u);
}

bool cn_strip_statepoints(struct cn_ctx *ctx)
{
  unsigned errors = ctx->errors;

  cn_strip_refuse(ctx);
  if (ctx->errors == errors)
    cn_strip_module(ctx, false, NULL);
  return ctx->errors == errors;
}
