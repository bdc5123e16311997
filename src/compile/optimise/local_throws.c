/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `local-throws`: turns throws that their own function catches into branches. The optimiser makes such throws when
 * it inlines a function that throws into a function that catches.
 *
 * Needs: optimised IR with markers of spans; code without safepoints. Provides: fewer calls of cairn_throw(), and
 * exceptions that stay in registers. Breaks: struct cn_cfg.
 *
 *   throw:  invoke @cairn_throw(key, x)       throw:  br label %caught
 *             to %on unwind %pad
 *   pad:    landingpad catch ptr null         pad:    landingpad catch ptr null
 *           t = call @cairn_thrown()     ->           t = call @cairn_thrown()
 *           ...                                       br label %caught
 *                                             caught: e = phi [t, %pad], [x, %throw]
 *                                                     ...
 *
 * An exception goes to the youngest activation whose call lies in a span of the key and has a landing pad for
 * exceptions without a type (<cairn/exceptions.h>). The activation that throws is the youngest one. The pass changes a
 * throw only if it understands all parts: the key is a constant, a span of this key is open, and the pad's only clause
 * is `cleanup` or `catch ptr null`. The pad's value must be unused, and its first instruction must take the exception,
 * so that the runtime has nothing to set.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/spans.h"

/* LLVM's passes for a changed function. The first one deletes the blocks of the throws. */
static const char cleanup_passes[] = "simplifycfg,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
                                     "jump-threading,simplifycfg";

struct local_throws {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  CN_VECTOR(LLVMValueRef) calls;
  struct cn_ptrmap caught; /* block of a landing pad -> the block after its call of cairn_thrown() */
};

/* ---- finding ---- */

static bool is_call_of(LLVMValueRef i, const char *name)
{
  LLVMValueRef callee = cn_direct_callee(i);

  return callee && LLVMIsDeclaration(callee) && strcmp(LLVMGetValueName2(callee, &(size_t){0}), name) == 0 &&
         LLVMGetNumOperandBundles(i) == 0;
}

/* True for the clause `catch ptr null`. A filter is an array. */
static bool catches_all(LLVMValueRef clause)
{
  return LLVMGetTypeKind(LLVMTypeOf(clause)) == LLVMPointerTypeKind && LLVMIsNull(clause);
}

/* The call of cairn_thrown() right after the landing pad, if the pass understands the pad; else null. A pad without
 * clauses is a cleanup. */
static LLVMValueRef call_of_thrown(LLVMBasicBlockRef block)
{
  LLVMValueRef pad = cn_first_after_phis(block);

  if (!LLVMIsALandingPadInst(pad) || LLVMGetFirstUse(pad))
    return NULL;
  unsigned clauses = LLVMGetNumClauses(pad);
  LLVMValueRef next = LLVMGetNextInstruction(pad);
  bool enters = clauses == 0 || (clauses == 1 && catches_all(LLVMGetClause(pad, 0)));
  return enters && LLVMIsACallInst(next) && is_call_of(next, CN_THROWN) ? next : NULL;
}

static bool is_in_span(const struct cn_spans *spans, uint32_t open, LLVMValueRef key)
{
  struct cn_open_span span;

  while (cn_spans_pop_innermost(spans, &open, &span))
    if (span.key == key)
      return true;
  return false;
}

/* True if `i` throws to a landing pad of its function that the pass understands. */
static bool is_local_throw(struct cn_spans *spans, LLVMValueRef i, uint32_t open)
{
  if (!LLVMIsAInvokeInst(i) || !is_call_of(i, CN_THROW) || LLVMGetNumArgOperands(i) != 2)
    return false;
  LLVMValueRef key = LLVMGetOperand(i, 0), exception = LLVMGetOperand(i, 1);
  LLVMValueRef thrown = call_of_thrown(LLVMGetUnwindDest(i));
  return thrown && cn_is_ref(LLVMTypeOf(exception)) && LLVMTypeOf(thrown) == LLVMTypeOf(exception) &&
         LLVMIsAConstantInt(key) && is_in_span(spans, cn_spans_open_during_call(spans, i, open), key);
}

static void gather_throws(struct local_throws *t)
{
  struct cn_span_markers marks = cn_span_markers(t->ctx);
  struct cn_spans spans;
  struct cn_cfg cfg;

  cn_cfg_build_edges(&cfg, t->function);
  cn_spans_find_open(&spans, &marks, &cfg);
  for (uint32_t b = 0; b < cfg.count; b++) {
    uint32_t open = spans.starts[b];
    CN_EACH_INSTRUCTION(i, cfg.blocks[b].block) {
      if (is_local_throw(&spans, i, open))
        cn_push(&t->calls, i);
      uint32_t after = cn_spans_open_after(&spans, &marks, i, open);
      open = after == CN_NO_SPAN ? open : after;
    }
  }
  cn_spans_free(&spans);
  cn_cfg_free(&cfg);
}

/* ---- branches ---- */

/* Build a phi for a value of the pad's block. The phi takes over the value's uses. */
static void build_phi_for(LLVMBuilderRef builder, LLVMValueRef value, LLVMBasicBlockRef pad)
{
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(value), "");

  LLVMReplaceAllUsesWith(value, phi);
  LLVMAddIncoming(phi, &value, &pad, 1);
}

/* Split the block of a landing pad after its call of cairn_thrown(). The new block begins with phis for the exception
 * and for the phis of the pad's block, in this order. */
static LLVMBasicBlockRef split_pad(struct cn_ctx *ctx, LLVMBasicBlockRef pad)
{
  LLVMValueRef thrown = call_of_thrown(pad);
  CN_CHECK(thrown);
  LLVMBasicBlockRef caught = cn_split_block_before(ctx, LLVMGetNextInstruction(thrown), "caught");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(caught));
  build_phi_for(builder, thrown, pad);
  for (LLVMValueRef i = LLVMGetFirstInstruction(pad); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    build_phi_for(builder, i, pad);
  LLVMDisposeBuilder(builder);
  return caught;
}

static LLVMValueRef incoming_value(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  unsigned i = 0;

  while (LLVMGetIncomingBlock(phi, i) != from)
    i++;
  return LLVMGetIncomingValue(phi, i);
}

/* Let the block of the throw branch to `caught`. The throw stays in an unreachable block. */
static void branch_to(struct cn_ctx *ctx, LLVMValueRef call, LLVMBasicBlockRef caught)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(call), pad = LLVMGetUnwindDest(call);
  LLVMBasicBlockRef throw = cn_split_block_before(ctx, call, "throw");
  LLVMValueRef value = LLVMGetOperand(call, 1), phi = LLVMGetFirstInstruction(caught);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMAddIncoming(phi, &value, &from, 1);
  for (LLVMValueRef i = LLVMGetFirstInstruction(pad); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    phi = LLVMGetNextInstruction(phi);
    value = incoming_value(i, throw);
    LLVMAddIncoming(phi, &value, &from, 1);
  }
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(from));
  LLVMPositionBuilderAtEnd(builder, from);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  LLVMBuildBr(builder, caught);
  LLVMDisposeBuilder(builder);
}

static void turn_into_branch(struct local_throws *t, LLVMValueRef call)
{
  LLVMBasicBlockRef pad = LLVMGetUnwindDest(call);
  bool fresh;
  uint64_t *caught = cn_ptrmap_add(&t->caught, pad, &fresh);

  cn_remark(t->ctx, call, "local-throw", "the function itself catches the exception, by a branch");
  if (fresh)
    *caught = (uintptr_t)split_pad(t->ctx, pad);
  branch_to(t->ctx, call, (LLVMBasicBlockRef)(uintptr_t)*caught);
}

static void change_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct local_throws t = {.ctx = ctx, .function = function};
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  gather_throws(&t);
  for (size_t i = 0; i < t.calls.count; i++)
    turn_into_branch(&t, t.calls.at[i]);
  if (t.calls.count)
    cn_check_llvm_error(ctx, function, LLVMRunPassesOnFunction(function, cleanup_passes, ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
  cn_ptrmap_free(&t.caught);
  cn_free(&t.calls);
}

static bool throws_to_pad(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (LLVMIsAInvokeInst(end) && is_call_of(end, CN_THROW))
      return true;
  }
  return false;
}

bool cn_branch_local_throws(struct cn_ctx *ctx)
{
  if (ctx->options->opt_level == 0 || !LLVMGetNamedFunction(ctx->module, CN_THROW))
    return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f) && !cn_has_statepoints(f) && throws_to_pad(f))
      change_function(ctx, f);
  return ctx->errors == 0;
}
