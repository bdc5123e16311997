/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares spans for the optimiser: replaces metadata of spans by markers, promotes locals with keys, and describes the
 * markers by attributes. Part of pass prepare.
 *
 * Needs: any function. Provides: functions that close all their spans before they return, so that they can be inlined.
 * Breaks: nothing.
 *
 * A function that an exception may leave inside a span is never inlined, because the code of a caller's landing pad
 * would be in that span.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"
#include "compile/markers/spans.h"

void cn_spans_add_marker_attributes(struct cn_ctx *ctx)
{
  cn_markers_add_attributes(ctx, CN_SPAN_BEGIN);
  cn_markers_add_attributes(ctx, CN_SPAN_END);
}

void cn_spans_build_marker(struct cn_ctx *ctx, LLVMValueRef before, LLVMMetadataRef location, LLVMValueRef key,
                           LLVMValueRef value)
{
  const char *name = value ? CN_SPAN_BEGIN : CN_SPAN_END;
  unsigned count = value ? 2 : 1;
  LLVMTypeRef types[] = {LLVMInt64TypeInContext(ctx->llvm), LLVMPointerTypeInContext(ctx->llvm, 0)};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, count, false);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name), arguments[] = {key, value};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_ASSERT(LLVMIsAInstruction(before));
  if (!function)
    function = LLVMAddFunction(ctx->module, name, type);
  cn_markers_add_attributes(ctx, name);
  LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, location);
  LLVMBuildCall2(builder, type, function, arguments, count, "");
  LLVMDisposeBuilder(builder);
}

/* ---- metadata ---- */

/* Replace metadata by markers, because the optimiser keeps calls in order but may drop metadata. An invoke keeps its
 * metadata, because its span would end on two edges. */
static void replace_metadata_by_markers(struct cn_ctx *ctx, struct cn_spans *none, LLVMValueRef call)
{
  uint32_t open = cn_spans_open_during_call(none, call, 0);
  CN_VECTOR(struct cn_open_span) spans = {0};
  struct cn_open_span one;
  LLVMValueRef next = LLVMGetNextInstruction(call);
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);

  while (cn_spans_pop_innermost(none, &open, &one))
    cn_push(&spans, one);
  for (size_t i = 0; i < spans.count; i++) {
    const struct cn_open_span *s = &spans.at[spans.count - 1 - i];
    cn_spans_build_marker(ctx, call, location, s->key, s->value);
    cn_spans_build_marker(ctx, next, location, spans.at[i].key, NULL);
  }
  if (spans.count) {
    cn_span_set_metadata(call, NULL);
    LLVMSetTailCallKind(call, LLVMTailCallKindNone);
  }
  cn_free(&spans);
}

static void replace_all_metadata_by_markers(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_spans none = {0};

  cn_triples_add(&none.open, (struct cn_word_triple){0, 0, 0});
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && !cn_calls_is_musttail(i))
        replace_metadata_by_markers(ctx, &none, i);
  cn_spans_free(&none);
}

/* ---- the ends of a function ---- */

/* The state of closing a function's spans. */
struct span_closer {
  struct cn_ctx *ctx;
  struct cn_span_markers marks;
  struct cn_cfg cfg;
  struct cn_spans spans;
  uint32_t *ends; /* per block: the open spans at its end */
  bool *idle;
  bool *mixed; /* per block: the block is idle, and paths with different open spans enter it */
};

/* True if an exception of `i` may leave the function. */
static bool may_throw_out_of_function(const struct span_closer *c, LLVMValueRef i)
{
  if (LLVMIsAInvokeInst(i))
    return c->idle[cn_cfg_index_of(&c->cfg, LLVMGetUnwindDest(i))];
  return (LLVMIsACallInst(i) && !cn_calls_has_attribute(i, "nounwind") && !cn_calls_some_intrinsic(i)) ||
         LLVMIsAResumeInst(i) || (LLVMIsACleanupReturnInst(i) && LLVMGetNumSuccessors(i) == 0);
}

static void forbid_inlining(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMRemoveEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("alwaysinline"));
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "noinline"));
}

static void find_open_spans_at_end(struct span_closer *c, uint32_t b)
{
  LLVMBasicBlockRef block = c->cfg.blocks[b].block;
  uint32_t open = c->spans.starts[b];

  CN_EACH_INSTRUCTION(i, block) {
    if (open && may_throw_out_of_function(c, i))
      forbid_inlining(c->ctx, c->cfg.function);
    open = cn_spans_open_after(&c->spans, &c->marks, i, open);
  }
  c->ends[b] = open;
}

static bool is_entered_with_mixed_spans(const struct span_closer *c, uint32_t b)
{
  const struct cn_cfg_block *block = &c->cfg.blocks[b];
  bool mixed = false;

  for (uint32_t n = 0; c->idle[b] && n < block->pred_count; n++)
    mixed |= c->mixed[block->preds[n]] || c->ends[block->preds[n]] != c->spans.starts[b];
  return mixed;
}

static bool is_unwind_pad(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsALandingPadInst(i) || LLVMIsACleanupPadInst(i) || LLVMIsACatchSwitchInst(i);
}

/* Close the open spans before a return, and before a jump to a return that other paths reach with other open spans.
 * Spans stay open on the path of an exception. */
static void close_spans_in_block(struct span_closer *c, uint32_t b)
{
  const struct cn_cfg_block *block = &c->cfg.blocks[b];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
  LLVMValueRef call = LLVMGetPreviousInstruction(end);
  LLVMValueRef at = call && cn_calls_is_musttail(call) ? call : end;
  uint32_t mixed = 0, ways = 0, open = c->ends[b];
  struct cn_open_span one;

  for (uint32_t n = 0; n < block->succ_count; n++)
    if (!is_unwind_pad(c->cfg.blocks[block->succs[n]].block)) {
      mixed += c->mixed[block->succs[n]];
      ways++;
    }
  if (!open || c->mixed[b] || (!mixed && !LLVMIsAReturnInst(end)))
    return;
  if (mixed != ways || LLVMIsAInvokeInst(end)) { /* the edge would need a split */
    cn_error(c->ctx, end, "span-nesting",
             "the function is left from here in a span, and from elsewhere not; end it before");
    return;
  }
  while (cn_spans_pop_innermost(&c->spans, &open, &one))
    cn_spans_build_marker(c->ctx, at, LLVMInstructionGetDebugLoc(end), one.key, NULL);
}

static void close_spans_in_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct span_closer c = {.ctx = ctx, .marks = cn_span_markers(ctx)};

  cn_cfg_build_edges(&c.cfg, function);
  cn_spans_find_open(&c.spans, &c.marks, &c.cfg);
  c.idle = cn_spans_find_call_free_tails(&c.cfg);
  c.ends = cn_alloc(c.cfg.count * sizeof *c.ends);
  c.mixed = cn_alloc(c.cfg.count * sizeof *c.mixed);
  for (uint32_t b = 0; b < c.cfg.count; b++)
    find_open_spans_at_end(&c, b);
  for (uint32_t b = 0; b < c.cfg.count; b++) /* edges of idle blocks are never retreating */
    c.mixed[b] = is_entered_with_mixed_spans(&c, b);
  for (uint32_t b = 0; b < c.cfg.count; b++)
    close_spans_in_block(&c, b);
  free(c.mixed);
  free(c.ends);
  free(c.idle);
  cn_spans_free(&c.spans);
  cn_cfg_free(&c.cfg);
}

/* Turn keys that the front end keeps in locals into constants. The passes preserve the control flow, so each return
 * stays in its block, and they split critical edges, so that ends of spans can be inserted before a shared return. */
static bool promote_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPassesOnFunction(function, "sroa<preserve-cfg>,break-crit-edges", ctx->machine, options);

  LLVMDisposePassBuilderOptions(options);
  return cn_check_llvm_error(ctx, function, error);
}

void cn_spans_prepare(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_span_markers marks = cn_span_markers(ctx);
  unsigned errors = ctx->errors;

  CN_ASSERT(LLVMIsAFunction(function));
  if (!cn_spans_are_in_function(&marks, function) || !promote_locals(ctx, function))
    return;
  cn_spans_check(ctx, function, false);
  if (ctx->errors != errors)
    return;
  replace_all_metadata_by_markers(ctx, function);
  close_spans_in_function(ctx, function);
}
