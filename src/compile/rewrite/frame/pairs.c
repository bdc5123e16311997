/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps roots as pairs of base and derived reference alone (options->roots; docs/frontends.md, "The places of roots"),
 * so that statepoints have only the deopt operands of the program. Refuses roots that only deopt operands can describe:
 * locals in memory that hold references, the language's own words, and spans (token_pads.c handles unwind pads). Slot
 * mode is off.
 *
 * Part of rewrite-statepoints. Needs: any function. Provides: diagnostic roots-pairs. Breaks: nothing.
 */
#include "compile/rewrite/frame/frame.h"

#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"

bool cn_pairs_are_required(const struct cn_ctx *ctx)
{
  return ctx->options->roots == CAIRN_ROOT_FORMS_PAIRS;
}

static void refuse_reference_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_alloca_layouts maps;
  char name[120];

  cn_alloca_layouts_find(ctx, function, &maps);
  for (size_t i = 0; i < maps.maps.count; i++)
    if (cn_alloca_layout_holds_refs(&maps.maps.at[i]))
      cn_error(ctx, maps.maps.at[i].alloca, "roots-pairs",
               "local %s holds references in memory, where no pair describes them: promote it "
               "(LLVM's sroa, mem2reg), or do not take its address",
               cn_value_name(maps.maps.at[i].alloca, name, sizeof name));
  cn_alloca_layouts_free(&maps);
}

static void refuse_user_roots(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_user_roots words;

  cn_user_roots_find(ctx, function, &words);
  if (words.at.count)
    cn_error(ctx, words.at.at[0].alloca, "roots-pairs", "a user root is not a pair of references");
  cn_free(&words.at);
}

static void refuse_spans(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMValueRef begin = LLVMGetNamedFunction(ctx->module, CN_SPAN_BEGIN);

  for (LLVMUseRef use = begin ? LLVMGetFirstUse(begin) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMIsACallInst(LLVMGetUser(use));
    if (call && LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) == function)
      cn_error(ctx, call, "roots-pairs", "a span would be told after the program's own deoptimisation state");
  }
}

void cn_pairs_refuse_other_roots(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (!cn_pairs_are_required(ctx))
    return;
  refuse_reference_locals(ctx, function);
  refuse_user_roots(ctx, function);
  refuse_spans(ctx, function);
}
