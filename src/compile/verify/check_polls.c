/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounded time to a safepoint (docs/architecture.md, invariant 5; statepoints-later,
 * "PlaceSafepoints"). Needs: struct cn_cfg. Provides: loop-without-poll, recursion-without-poll,
 * false-claim. Breaks: nothing.
 *
 * Loops are judged by what functions claim of themselves to their callers ("cairn-polls",
 * "cairn-work"). Of a declaration that is believed; of a definition it is proved (time_to_safepoint.c).
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/cost/cost.h"
#include "compile/verify/verify.h"

/* Findings per function. */
#define REPORT_LIMIT 10

struct reports {
  struct cn_verifier *v;
  unsigned count;
};

static void report(void *env, const struct cn_work *work, const uint32_t *path, uint32_t count)
{
  struct reports *reports = env;
  const struct cn_cfg *cfg = work->loops->cfg;
  LLVMBasicBlockRef *blocks = cn_alloc((count + 1) * sizeof *blocks);
  char name[120];

  if (reports->count++ < REPORT_LIMIT) {
    for (uint32_t i = 0; i <= count; i++)
      blocks[i] = cfg->blocks[path[i % count]].block;
    struct cn_finding finding = {
        .value = LLVMBasicBlockAsValue(blocks[0]), .path = blocks, .path_count = count + 1};
    cn_error_finding(reports->v->ctx, LLVMGetBasicBlockTerminator(blocks[count - 1]),
                     "loop-without-poll", &finding,
                     "the loop at %s can run for long without a safepoint",
                     cn_value_name(finding.value, name, sizeof name));
  }
  free(blocks);
}

void cn_verify_polls(struct cn_verifier *v)
{
  struct reports reports = {.v = v};
  struct cn_work_known known = {0};
  struct cn_loops loops;
  struct cn_work work;

  if (cn_string_attribute(v->function, "cairn-nopoll") ||
      cn_string_attribute(v->function, "gc-leaf-function"))
    return;
  cn_work_know_module(&known, v->ctx->module);
  cn_loops_find(&loops, &v->cfg);
  cn_work_build(&work, v->ctx, &loops, &known);
  cn_work_cycles(&work, cn_work_limit(v->ctx), report, &reports);
  cn_work_free(&work);
  cn_loops_free(&loops);
  cn_work_forget(&known);
}

/* ---- over the calls of a module ---- */

/* Of the causes why a function takes long, those that concern calls: what loops do is known. */
static void report_calls(void *env, const struct cairn_time *time)
{
  struct cn_ctx *ctx = env;
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, time->function);

  for (size_t c = 0; c < time->cause_count; c++) {
    const struct cairn_time_cause *cause = &time->causes[c];
    if (strcmp(cause->kind, "claim") == 0)
      cn_error(ctx, function, "false-claim", "%s, which is not true of it", cause->why);
    else if (strcmp(cause->kind, "recursion") == 0)
      cn_error(ctx, function, "recursion-without-poll",
               "it may call %s again and again without a safepoint", cause->where);
  }
}

void cn_verify_claims(struct cn_ctx *ctx)
{
  cairn_time_to_safepoint(ctx->module, ctx->options, report_calls, ctx);
}
