/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a function after each step that changed its control flow, with options->check_steps or in builds with
 * assertions. The error names the faulty step, while the verifier after the pass sees only the final result.
 *
 * Needs, breaks: nothing. Provides: cn_step_check_before(), cn_step_check_after(), which report errors of rule
 * "internal".
 */
#include "compile/cost/cost.h"

#include <llvm-c/Analysis.h>
#include "base/check.h"
#include "compile/cost/loops.h"

static bool is_step_check_enabled(const struct cn_ctx *ctx)
{
#ifdef NDEBUG
  return ctx->options->check_steps;
#else
  (void)ctx;
  return true;
#endif
}

static const char *why_claim_is_false(const struct cn_loops *loops, const struct cn_step_loop_claim *said)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint32_t header = cn_cfg_index_of(cfg, said->header), l;

  if (header == CN_NO_BLOCK)
    return "is not reached";
  for (l = 0; l < loops->count && loops->at[l].header != header; l++)
    ;
  if (l == loops->count)
    return "is none";
  const struct cn_loop *is = &loops->at[l];
  if (is->irreducible)
    return "has another entry";
  if (said->latch && (is->latch == CN_NO_BLOCK || cfg->blocks[is->latch].block != said->latch))
    return "has another latch";
  if (said->outer && (is->parent == CN_NO_BLOCK || cfg->blocks[loops->at[is->parent].header].block != said->outer))
    return "is in another loop";
  if (said->blocks && said->blocks != is->count)
    return "has other blocks";
  return said->exits && said->exits != is->exits ? "has other exits" : NULL;
}

static void check_loop_claims(struct cn_ctx *ctx, LLVMValueRef function, const char *when, const char *step,
                              const struct cn_step_loop_claim *said, size_t count)
{
  struct cn_cfg cfg;
  struct cn_loops loops;
  size_t length;

  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  for (size_t i = 0; i < count; i++) {
    const char *wrong = why_claim_is_false(&loops, &said[i]);
    if (wrong)
      cn_error(ctx, function, "internal", "%s step %s the loop at %%%s %s", when, step,
               LLVMGetValueName2(LLVMBasicBlockAsValue(said[i].header), &length), wrong);
  }
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

/* Report LLVM's message about a broken function. LLVM has messages only for whole modules, so the function is verified
 * in its module. */
static void report_broken_function(struct cn_ctx *ctx, LLVMValueRef function, const char *step)
{
  char *message = NULL;

  LLVMVerifyModule(ctx->module, LLVMReturnStatusAction, &message);
  cn_error(ctx, function, "internal", "step %s left a broken function: %s", step, message);
  LLVMDisposeMessage(message);
}

void cn_step_check_before(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                          const struct cn_step_loop_claim *loops, size_t count)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (is_step_check_enabled(ctx))
    check_loop_claims(ctx, function, "before", step, loops, count);
}

void cn_step_check_after(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                         const struct cn_step_loop_claim *loops, size_t count)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (is_step_check_enabled(ctx)) {
    if (LLVMVerifyFunction(function, LLVMReturnStatusAction)) {
      report_broken_function(ctx, function, step);
      return;
    }
    check_loop_claims(ctx, function, "after", step, loops, count);
  }
  if (ctx->options->step)
    ctx->options->step(ctx->options->step_env, step, function);
}
