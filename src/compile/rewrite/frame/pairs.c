/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots as base and derived pairs alone (options->roots; docs/frontends.md, "Which roots are
 * where"): nothing of Cairn's own is appended to deopt operands. What could be described only there
 * is refused: locals in memory that hold references, words of the language's own, spans, and what
 * lives into an unwind pad. Slot mode is off.
 *
 * Part of rewrite-statepoints. Needs: struct cn_refs, of the second. Provides: diagnostic
 * roots-pairs. Breaks: nothing.
 */
#include "compile/rewrite/frame/pairs.h"

#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/names.h"
#include "compile/markers/user_roots.h"
#include "compile/rewrite/frame/demote.h"
#include "compile/rewrite/values/refs.h"

bool cn_pairs_only(const struct cn_ctx *ctx)
{
  return ctx->options->roots == CAIRN_ROOTS_PAIRS;
}

static void refuse_areas(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_area_maps maps;
  char name[120];

  cn_areas_find(ctx, function, &maps);
  for (size_t i = 0; i < maps.maps.count; i++)
    if (cn_area_holds_refs(&maps.maps.at[i]))
      cn_error(ctx, maps.maps.at[i].alloca, "roots-pairs",
               "local %s holds references in memory, where no pair describes them: promote it "
               "(LLVM's sroa, mem2reg), or do not take its address",
               cn_value_name(maps.maps.at[i].alloca, name, sizeof name));
  cn_areas_free(&maps);
}

static void refuse_words(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_user_roots words;

  cn_user_roots_find(ctx, function, &words);
  if (words.at.count)
    cn_error(ctx, words.at.at[0].alloca, "roots-pairs",
             "a word of the language's own is no pair of references");
  cn_free(&words.at);
}

static void refuse_spans(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMValueRef begin = LLVMGetNamedFunction(ctx->module, CN_SPAN_BEGIN);

  for (LLVMUseRef use = begin ? LLVMGetFirstUse(begin) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMIsACallInst(LLVMGetUser(use));
    if (call && LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) == function)
      cn_error(ctx, call, "roots-pairs",
               "a span would be told behind the program's own deoptimisation state");
  }
}

void cn_pairs_refuse(struct cn_ctx *ctx, LLVMValueRef function)
{
  if (!cn_pairs_only(ctx))
    return;
  refuse_areas(ctx, function);
  refuse_words(ctx, function);
  refuse_spans(ctx, function);
}

static void refuse_unwound(struct cn_ctx *ctx, LLVMValueRef invoke, LLVMValueRef value)
{
  char name[120], call[160];

  cn_error(ctx, invoke, "roots-pairs",
           "%s lives into the landing pad of the %s, where no pair is relocated: keep it out of the "
           "pad's code", cn_value_name(value, name, sizeof name),
           cn_calls_name(invoke, call, sizeof call));
}

/* Phis of references at the head of the pad. */
static bool refuse_phis(struct cn_ctx *ctx, LLVMValueRef invoke)
{
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetUnwindDest(invoke));

  while (LLVMIsAPHINode(i) && !cn_holds_ref(LLVMTypeOf(i)))
    i = LLVMGetNextInstruction(i);
  if (!LLVMIsAPHINode(i))
    return false;
  refuse_unwound(ctx, invoke, i);
  return true;
}

bool cn_pairs_refuse_unwound(struct cn_ctx *ctx, struct cn_refs *refs)
{
  unsigned errors = ctx->errors;
  struct cn_live_range range;

  if (!cn_pairs_only(ctx))
    return false;
  cn_liveness(refs);
  for (size_t p = 0; p < refs->points.count; p++)
    if (LLVMIsAInvokeInst(refs->points.at[p].call))
      refuse_phis(ctx, refs->points.at[p].call);
  cn_live_init(&range, refs->cfg);
  for (uint32_t v = 0; v < refs->values.count; v++) {
    const struct cn_ref_value *value = &refs->values.at[v];
    for (uint32_t c = value->cross; c < value->cross + value->cross_count; c++) {
      LLVMValueRef call = refs->points.at[refs->crossings.at[c]].call;
      if (!LLVMIsAInvokeInst(call))
        continue;
      cn_live_range(&range, refs, v);
      if (range.in[cn_cfg_index(refs->cfg, LLVMGetUnwindDest(call))] != range.stamp)
        continue;
      refuse_unwound(ctx, call, value->value);
      break;
    }
  }
  cn_live_free(&range);
  return ctx->errors != errors;
}
