/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps references that are live into landing pads in SSA form, for functions whose roots must be pairs. relocate.c
 * relocates the references in the pad by the pad's token (LLVM's LangRef, "llvm.experimental.gc.relocate": the landing
 * pad of the statepoint's invoke, unshared). Each invoke therefore gets a separate pad, which branches to the code
 * after the old shared pad. The code after the old pad becomes an ordinary block, with the phis of the old pad.
 *
 * A pad of type token has neither exception pointer nor selector: instruction selection ignores both, and resume
 * refuses a token. All pads of a function have one type, so the step refuses a function that uses the values of a pad.
 * A function with funclets is refused too, because a funclet has no place for a relocate.
 *
 * Part of rewrite-statepoints. Needs: struct cn_refs; split edges (cn_unwind_split_edges()). Provides: a separate pad
 * of type token for each invoke; diagnostic roots-pairs. Breaks: struct cn_refs, struct cn_cfg.
 */
#include "compile/rewrite/frame/frame.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/rewrite/values/refs.h"

/* ---- references that live into pads ---- */

/* A reference that is live into a pad, and the invoke that unwinds to the pad. */
struct unwound_reference {
  LLVMValueRef value, invoke;
};

static LLVMValueRef reference_phi_of_pad(LLVMValueRef invoke)
{
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetUnwindDest(invoke));

  CN_ASSERT(LLVMIsAInvokeInst(invoke));
  while (LLVMIsAPHINode(i) && !cn_holds_ref(LLVMTypeOf(i)))
    i = LLVMGetNextInstruction(i);
  return LLVMIsAPHINode(i) ? i : NULL;
}

/* The first reference that is in a phi of a pad or live into a pad. */
static struct unwound_reference find_unwound_reference(struct cn_refs *refs)
{
  struct unwound_reference found = {0};
  struct cn_live_range range;
  uint32_t *pads = cn_unwind_find_pads(refs);

  if (!pads)
    return found;
  for (size_t p = 0; p < refs->points.count && !found.value; p++) {
    found.invoke = refs->points.at[p].call;
    if (LLVMIsAInvokeInst(found.invoke))
      found.value = reference_phi_of_pad(found.invoke);
  }
  if (!found.value) {
    cn_liveness_compute(refs);
    cn_live_range_init(&range, refs->cfg);
    for (uint32_t v = 0; v < refs->values.count && !found.value; v++) {
      uint32_t point = cn_unwind_point_crossed_by(&range, refs, pads, v);
      if (point != CN_NO_INDEX)
        found = (struct unwound_reference){refs->values.at[v].value, refs->points.at[point].call};
    }
    cn_live_range_free(&range);
  }
  free(pads);
  return found;
}

/* ---- refusals ---- */

static const char *const values_used_reason =
    "needs landing pads of type token, but the function uses what a landing pad returns, and a token "
    "pad returns neither exception pointer nor selector: take these from elsewhere (a thread-local "
    "that the runtime sets), or keep the reference out of the pad's code";
static const char *const in_funclet_reason =
    "would need a relocation in a funclet, which LLVM forbids: keep it out of the funclet's code";

/* The reason why `block` is refused, or null. LLVM's verifier requires one type for all landing pads and all resume
 * operands of a function. */
static const char *token_pad_refusal_reason(LLVMBasicBlockRef block)
{
  LLVMValueRef pad = cn_unwind_pad_of(block);

  if (LLVMIsAResumeInst(LLVMGetBasicBlockTerminator(block)))
    return values_used_reason;
  if (!pad || cn_unwind_is_token_pad(pad))
    return NULL;
  if (!LLVMIsALandingPadInst(pad))
    return in_funclet_reason;
  return LLVMGetFirstUse(pad) ? values_used_reason : NULL;
}

const char *cn_token_pads_refusal_reason(LLVMValueRef function)
{
  const char *why = NULL;

  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !why; b = LLVMGetNextBasicBlock(b))
    why = token_pad_refusal_reason(b);
  return why;
}

static bool refuse_pads(struct cn_ctx *ctx, LLVMValueRef function, const struct unwound_reference *unwound)
{
  const char *why = cn_token_pads_refusal_reason(function);
  char name[120], call[160];

  if (why)
    cn_error(ctx, unwound->invoke, "roots-pairs", "%s lives into the pad of the %s and %s",
             cn_value_name(unwound->value, name, sizeof name), cn_calls_describe(unwound->invoke, call, sizeof call),
             why);
  return why != NULL;
}

/* ---- own pads ---- */

struct pad_splitter {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  struct cn_ptrmap pads; /* block of an invoke -> its new pad */
};

static void build_token_pad(struct pad_splitter *s, LLVMValueRef like)
{
  unsigned clauses = LLVMGetNumClauses(like);
  LLVMTypeRef token = LLVMTokenTypeInContext(s->ctx->llvm);

  LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(like));
  LLVMValueRef pad = LLVMBuildLandingPad(s->builder, token, NULL, clauses, "");
  for (unsigned c = 0; c < clauses; c++)
    LLVMAddClause(pad, LLVMGetClause(like, c));
  LLVMSetCleanup(pad, LLVMIsCleanup(like));
  LLVMBuildBr(s->builder, LLVMGetInstructionParent(like));
}

static void give_each_invoke_its_pad(struct pad_splitter *s, LLVMValueRef shared)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(shared);
  CN_VECTOR(LLVMValueRef) invokes = {0};

  CN_EACH_USE(use, LLVMBasicBlockAsValue(block))
    if (LLVMIsAInvokeInst(LLVMGetUser(use)))
      cn_push(&invokes, LLVMGetUser(use));
  for (size_t i = 0; i < invokes.count; i++) {
    LLVMBasicBlockRef own = LLVMInsertBasicBlockInContext(s->ctx->llvm, block, "");
    LLVMPositionBuilderAtEnd(s->builder, own);
    build_token_pad(s, shared);
    LLVMSetUnwindDest(invokes.at[i], own);
    *cn_ptrmap_add(&s->pads, LLVMGetInstructionParent(invokes.at[i]), NULL) = (uintptr_t)own;
  }
  cn_free(&invokes);
  cn_unwind_rename_phi_inputs(s->builder, &s->pads, block);
  LLVMInstructionEraseFromParent(shared);
}

bool cn_token_pads_make(struct cn_ctx *ctx, struct cn_refs *refs)
{
  LLVMValueRef function = refs->cfg->function;
  struct unwound_reference unwound = find_unwound_reference(refs);
  struct pad_splitter s = {.ctx = ctx, .builder = NULL};
  CN_VECTOR(LLVMValueRef) pads = {0};

  if (!unwound.value || refuse_pads(ctx, function, &unwound))
    return false;
  s.builder = LLVMCreateBuilderInContext(ctx->llvm);
  CN_EACH_BLOCK(b, function)
    if (cn_unwind_pad_of(b))
      cn_push(&pads, cn_unwind_pad_of(b));
  for (size_t i = 0; i < pads.count; i++)
    give_each_invoke_its_pad(&s, pads.at[i]);
  cn_free(&pads);
  cn_ptrmap_free(&s.pads);
  LLVMDisposeBuilder(s.builder);
  return true;
}
