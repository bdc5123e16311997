/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass rewrite-statepoints: every parse point of a managed function becomes a gc.statepoint (statepoints-original,
 * "Intrinsics"; statepoints-later, "RewriteStatepointsForGC"), and every use after it reads a relocated reference.
 *
 * Needs: polls placed; functions free of gc.statepoint (the pass skips functions that have statepoints). Provides:
 * gc.statepoint, gc.result, gc.relocate; described allocas; only attributes that hold under a moving collector. Breaks:
 * struct cn_cfg, and every analysis of a changed function.
 *
 * Read this before you add a step:
 * 1. A refused module must stay unchanged: before any change cn_refuse_function() refuses forms of IR that would lose
 *    references, in all functions. A step that reports an error later needs a dry run: see may_refuse_late().
 * 2. `refs` describes the function at the time of cn_refs_build(). A step that changes references, their uses or blocks
 *    runs before build_cfg_and_refs(), or is followed by rebuild_refs(). New base phis and selects are the exception:
 *    cn_refs_add_merges() adds them to `refs`, and cn_liveness_compute() runs again. From analyse_liveness_and_bases()
 *    to cn_relocate(), definitions and positions must stay unchanged.
 * 3. An instruction that yields a derived reference must be a merge or have a case in cn_base_adjusted_value_of(): the
 *    result of any other instruction counts as a base. check_result_base() in refuse.c has the opcodes that may yield
 *    references.
 */
#include "compile/rewrite/rewrite.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/cost/cost.h"
#include "compile/lower/lower.h"
#include "compile/markers/markers.h"
#include "compile/rewrite/emit/emitter.h"
#include "compile/rewrite/emit/rematerialise.h"
#include "compile/rewrite/emit/variables.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/refuse.h"
#include "compile/rewrite/values/refs.h"
#include "compile/tail/tail.h"

/* ---- one function ---- */

static void rebuild_refs(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_cfg *cfg, const char *step)
{
  unsigned off = refs->off;

  cn_step_check_after(ctx, cfg->function, step, NULL, 0);
  cn_refs_free(refs);
  cn_refs_build(refs, cfg, off);
}

/* Delete the explicit frees of the function. The safepoints of the function list references without a later use, and an
 * explicit free would leave these references dangling. */
static void delete_explicit_frees(struct cn_ctx *ctx, const struct cn_cfg *cfg)
{
  LLVMValueRef give_back = LLVMGetNamedFunction(ctx->module, CN_GIVE_BACK), next;

  for (uint32_t b = 0; give_back && b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i; i = next) {
      next = LLVMGetNextInstruction(i);
      if (LLVMIsACallInst(i) && cn_direct_callee(i) == give_back)
        LLVMInstructionEraseFromParent(i);
    }
}

static void build_cfg_and_refs(const struct cn_emitter *e, LLVMValueRef function, struct cn_cfg *cfg,
                               struct cn_refs *refs)
{
  struct cn_ctx *ctx = e->ctx;
  unsigned off = ctx->options->relocations_off;

  cn_cfg_build_edges(cfg, function);
  if (cfg->count != LLVMCountBasicBlocks(function))
    cn_unreachable_delete(ctx, cfg);
  cn_redundant_phis_fold(function);
  if (!cn_is_relocation_option_on(ctx, CAIRN_RELOCATION_LIVENESS)) {
    cn_cfg_add_dominators(cfg);
    delete_explicit_frees(ctx, cfg);
  }
  cn_refs_build(refs, cfg, off);
  if (e->bases_asked && cn_pointer_bases_replace_queries(ctx, refs)) {
    cn_refs_free(refs);
    cn_refs_build(refs, cfg, off);
  }
  if (!refs->aggregates)
    return;
  if (cn_slot_mode_wanted(ctx, refs))
    cn_live_intervals_mark_crossing(refs);
  else
    cn_liveness_compute(refs);
  if (cn_aggregates_split(ctx, refs))
    rebuild_refs(ctx, refs, cfg, "split aggregates");
}

/* For functions whose roots must be pairs: keep references live into pads in SSA form. False after a refusal. */
static bool make_token_pads_and_rebuild(const struct cn_emitter *e, struct cn_cfg *cfg, struct cn_refs *refs)
{
  LLVMValueRef function = cfg->function;
  unsigned errors = e->ctx->errors;

  if (!cn_token_pads_make(e->ctx, refs))
    return e->ctx->errors == errors;
  cn_step_check_after(e->ctx, function, "token pads", NULL, 0);
  cn_refs_free(refs);
  cn_cfg_free(cfg);
  build_cfg_and_refs(e, function, cfg, refs);
  cn_refs_leave_out_dead_values(refs);
  refs->off |= 1u << CAIRN_RELOCATION_RECOMPUTE; /* statepoints must list values that a pad reads */
  return true;
}

/* A slot keeps its value until the next store, so explicit frees are deleted. */
static void rebuild_with_slots(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_cfg *cfg, const char *step)
{
  delete_explicit_frees(ctx, cfg);
  rebuild_refs(ctx, refs, cfg, step);
}

/* Demote references that are live into pads, or all references in slot mode. False after a refusal. */
static bool demote_references(struct cn_emitter *e, struct cn_cfg *cfg, struct cn_refs *refs)
{
  if (cn_pairs_are_required(e->ctx))
    return make_token_pads_and_rebuild(e, cfg, refs);
  if (cn_pad_phis_replace(e->ctx, refs))
    rebuild_with_slots(e->ctx, refs, cfg, "phis of pads");
  if (cn_slot_mode_demote(e->ctx, refs, &e->described.stored))
    rebuild_with_slots(e->ctx, refs, cfg, "slot mode");
  if (cn_unwind_demote(e->ctx, refs, &e->described.stored))
    rebuild_with_slots(e->ctx, refs, cfg, "demotion for pads");
  return true;
}

static void analyse_liveness_and_bases(struct cn_refs *refs)
{
  struct cn_base_map bases;

  CN_CHECK(refs->points.count > 0);
  cn_liveness_compute(refs);
  cn_bases_find(&bases, refs);
  if (bases.made.count)
    cn_refs_add_merges(refs, bases.made.at, bases.made.count);
  if (cn_refs_attach_bases(refs, &bases) || bases.made.count)
    cn_liveness_compute(refs);
  CN_ASSERT_VALID(cn_unwind_wrong(refs));
  cn_rematerialise_choose_values(refs);
  cn_bases_free(&bases);
}

/* True if rematerialised copies serve all uses of `value`. A GEP is dead too if all values computed from it are
 * dead. */
static bool is_dead_after_rematerialisation(const struct cn_refs *refs, uint32_t value, bool reached)
{
  const struct cn_ref_value *v = &refs->values.at[value];

  if (!v->value || LLVMGetFirstUse(v->value))
    return false;
  return v->root != value || v->rematerialised || (reached && LLVMIsAGetElementPtrInst(v->value));
}

static void delete_dead_values(struct cn_refs *refs)
{
  CN_VECTOR(uint32_t) work = {0};

  for (uint32_t first = 0; first < refs->values.count; first++) {
    cn_push(&work, first);
    while (work.count) {
      uint32_t value = work.at[--work.count];
      struct cn_ref_value *v = &refs->values.at[value];
      if (!is_dead_after_rematerialisation(refs, value, value != first))
        continue;
      if (v->root != value)
        cn_push(&work, v->from);
      for (int o = 0; o < LLVMGetNumOperands(v->value); o++) {
        uint32_t from = cn_refs_index(refs, LLVMGetOperand(v->value, (unsigned)o));
        if (from != CN_NO_INDEX)
          cn_push(&work, from);
      }
      LLVMInstructionEraseFromParent(v->value);
      v->value = NULL;
    }
  }
  cn_free(&work);
}

static void rewrite_function(struct cn_emitter *e, LLVMValueRef function)
{
  struct cn_cfg cfg;
  struct cn_refs refs;
  struct cn_variables variables;

  cn_dead_phis_drop(e->ctx, function);
  cn_unwind_split_edges(e->ctx, function);
  cn_step_check_after(e->ctx, function, "split unwind edges", NULL, 0);
  build_cfg_and_refs(e, function, &cfg, &refs);
  if (refs.points.count && demote_references(e, &cfg, &refs)) {
    cn_variables_gather(&variables, e->ctx, &refs);
    analyse_liveness_and_bases(&refs);
    cn_variables_plan(&variables, &refs);
    for (size_t v = 0; v < refs.values.count; v++)
      CN_CHECK(refs.values.at[v].scalar || !refs.values.at[v].cross_count);
    cn_describe_allocas(e->ctx, function, &e->described);
    e->relocations += refs.crossings.count;
    e->names = cn_refs_may_name_values(&refs) && e->relocations <= CN_NAMED_RELOCATIONS;
    cn_span_operands_begin_function(&e->spans, &cfg);
    for (size_t p = 0; p < refs.points.count; p++)
      cn_emit_statepoint(e, &refs, &refs.points.at[p]);
    cn_span_operands_end_function(&e->spans);
    cn_relocate(e, &refs, &variables);
    cn_variables_insert_lost(&variables, &refs);
    delete_dead_values(&refs);
    cn_variables_free(&variables);
    cn_free(&e->described.operands);
    cn_ptrmap_free(&e->described.stored);
  }
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}

/* True if the statepoint has an id, a patch space, flags or bundles that a tail call would lose. */
static bool needs_statepoint_record(LLVMValueRef statepoint)
{
  CN_ASSERT(cn_classify_call(statepoint).kind == CN_CALL_STATEPOINT);
  return LLVMGetNumOperandBundles(statepoint) != 0 ||
         LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 0)) != CAIRN_ABI_STATEPOINT_ID_DEFAULT ||
         LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 1)) != 0 ||
         LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 4)) != 0;
}

/* Make pass tail-calls keep statepoints of a front end that need their record. */
static void forbid_tail_calls_with_records(LLVMModuleRef module)
{
  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindTail &&
            cn_classify_call(i).kind == CN_CALL_STATEPOINT && needs_statepoint_record(i))
          LLVMSetTailCallKind(i, LLVMTailCallKindNone);
}

static void init_emitter(struct cn_emitter *e, struct cn_ctx *ctx)
{
  LLVMTypeRef native = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMTypeRef reference = LLVMPointerTypeInContext(ctx->llvm, CAIRN_ABI_ADDRESS_SPACE);

  *e = (struct cn_emitter){.ctx = ctx,
                           .builder = LLVMCreateBuilderInContext(ctx->llvm),
                           .statepoint = cn_intrinsic(ctx, "llvm.experimental.gc.statepoint", &native, 1),
                           .relocate = cn_intrinsic(ctx, "llvm.experimental.gc.relocate", &reference, 1),
                           .i32 = LLVMInt32TypeInContext(ctx->llvm),
                           .i64 = LLVMInt64TypeInContext(ctx->llvm),
                           .elementtype = cn_attribute_kind("elementtype"),
                           .bases_asked = cn_pointer_bases_are_queried(ctx->module)};
  cn_span_operands_begin_module(ctx, &e->spans);
}

static void free_emitter(struct cn_emitter *e)
{
  cn_span_operands_end_module(e->ctx, &e->spans);
  cn_templates_free(&e->templates);
  if (!LLVMGetFirstUse(e->statepoint))
    LLVMDeleteFunction(e->statepoint);
  if (!LLVMGetFirstUse(e->relocate))
    LLVMDeleteFunction(e->relocate);
  LLVMDisposeBuilder(e->builder);
  cn_free(&e->scratch.args.values);
  cn_free(&e->scratch.deopt.values);
  cn_free(&e->scratch.transition.values);
  cn_free(&e->scratch.live.values);
  cn_free(&e->scratch.funclet.values);
}

static bool rewrite_module(struct cn_ctx *ctx)
{
  CN_VECTOR(LLVMValueRef) todo = {0};
  struct cn_emitter emitter;
  unsigned errors = ctx->errors;

  cn_stationary_calls_set_recorded(ctx);
  cn_address_spaces_check(ctx);
  cn_spans_check_markers(ctx);
  cn_span_table_check(ctx);
  cn_user_roots_check_marker(ctx);
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && cn_refuse_function(ctx, f))
      cn_push(&todo, f);
  if (ctx->errors == errors) {
    forbid_tail_calls_with_records(ctx->module);
    for (size_t i = 0; i < todo.count; i++) {
      cn_live_operands_mark(ctx, todo.at[i]);
      cn_special_lower_intrinsics(ctx, todo.at[i]);
      cn_special_lower_variadic(ctx, todo.at[i]);
    }
    init_emitter(&emitter, ctx);
    if (todo.count)
      cn_strip_attributes_declarations(ctx);
    for (size_t i = 0; i < todo.count; i++) {
      cn_use_lowered_strategy(todo.at[i]);
      /* Remove "optnone": LLVM's pass that moves references to places that the frame-map walker finds would skip the
       * function. */
      LLVMRemoveEnumAttributeAtIndex(todo.at[i], CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
      cn_strip_attributes_function(ctx, todo.at[i]);
      cn_undef_replace_references(todo.at[i]);
      cn_null_results_choose(ctx, todo.at[i]);
      cn_vector_intrinsics_lower(ctx, todo.at[i]);
      cn_managed_allocas_lower(ctx, todo.at[i]);
      cn_merge_locals(ctx, todo.at[i]);
      cn_tail_make_musttail_calls(ctx, todo.at[i]);
      cn_step_check_after(ctx, todo.at[i], "tail calls", NULL, 0);
      rewrite_function(&emitter, todo.at[i]);
      if (ctx->options->safepoints != CAIRN_SAFEPOINTS_EARLY)
        cn_deopt_operands_replace(ctx, todo.at[i]);
      cn_address_spaces_lower(ctx, todo.at[i]);
      cn_step_check_after(ctx, todo.at[i], "statepoints", NULL, 0);
    }
    free_emitter(&emitter);
  }
  cn_free(&todo);
  return ctx->errors == errors;
}

/* True if a statepoint's list of references may become too long. Only lists of pairs may become too long: lists of
 * slots and locals are short. */
static bool may_exceed_statepoint_length(LLVMValueRef function)
{
  unsigned instructions = LLVMCountParams(function);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      instructions++;
  return cn_statepoint_is_too_long(0, instructions, 0);
}

/* True if the pass may report an error after its first change: a list of references that is too long, or a landing pad
 * that cannot return a token. */
static bool may_refuse_late(struct cn_ctx *ctx)
{
  if (!cn_pairs_are_required(ctx))
    return false;
  CN_EACH_FUNCTION(f, ctx->module)
    if (may_exceed_statepoint_length(f) || (cn_is_managed(f) && cn_token_pads_refusal_reason(f)))
      return true;
  return false;
}

bool cn_rewrite_statepoints(struct cn_ctx *ctx)
{
  return may_refuse_late(ctx) ? cn_dry_run(ctx, rewrite_module) : rewrite_module(ctx);
}
