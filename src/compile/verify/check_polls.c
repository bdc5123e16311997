/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks bounded time to a safepoint (docs/architecture.md, invariant 5; statepoints-later, "PlaceSafepoints"). Needs:
 * struct cn_cfg. Provides: loop-without-poll, recursion-without-poll, false-claim, trusted-bound. Breaks: nothing.
 *
 * Checks of loops use the attributes "cairn-polls" and "cairn-work" of callees. The checks trust the attributes of
 * declarations, and prove the attributes of definitions (time_to_safepoint.c). The bounds of strip-mined loops, and of
 * loops in functions without safepoints, are reported as trusted.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/verify/verify.h"

/* Findings per function. */
#define MAX_FUNCTION_REPORTS 10

struct report_counter {
  struct cn_verifier *v;
  unsigned count;
};

static void report_unpolled_loop(void *env, const struct cn_function_work *work, const uint32_t *path, uint32_t count)
{
  struct report_counter *reports = env;
  const struct cn_cfg *cfg = work->loops->cfg;
  LLVMBasicBlockRef *blocks = cn_alloc((count + 1) * sizeof *blocks);
  char name[120];

  CN_CHECK(count);
  if (reports->count++ < MAX_FUNCTION_REPORTS) {
    for (uint32_t i = 0; i <= count; i++)
      blocks[i] = cfg->blocks[path[i % count]].block;
    struct cn_finding finding = {.value = LLVMBasicBlockAsValue(blocks[0]), .path = blocks, .path_count = count + 1};
    cn_report_finding(reports->v->ctx, LLVMGetBasicBlockTerminator(blocks[count - 1]), "loop-without-poll", &finding,
                      "the loop at %s can run for long without a safepoint",
                      cn_value_name(finding.value, name, sizeof name));
  }
  free(blocks);
}

/* ---- bounds taken on trust ---- */

struct trusted_loops {
  struct report_counter *reports;
  unsigned count;
  LLVMBasicBlockRef first;
};

static void count_trusted_loop(struct trusted_loops *trusted, LLVMBasicBlockRef header)
{
  CN_ASSERT(!trusted->first == !trusted->count);
  if (trusted->count++ == 0)
    trusted->first = header;
}

static void report_trusted_loops(const struct cn_verifier *v, const struct trusted_loops *trusted, const char *whose)
{
  char name[120];

  if (trusted->count)
    cn_report(v->ctx, CAIRN_WARNING, v->function, "trusted-bound",
              "taken on trust, %s: %u loop%s in it end%s soon (%s%s)", whose, trusted->count,
              trusted->count == 1 ? "" : "s", trusted->count == 1 ? "s" : "",
              cn_value_name(LLVMBasicBlockAsValue(trusted->first), name, sizeof name),
              trusted->count == 1 ? "" : " and others");
}

/* True if the loop has no exit, and no instruction that may end the program or throw. */
static bool is_endless_loop(const struct cn_loops *loops, uint32_t header)
{
  uint32_t l = loops->of[header];

  if (l == CN_NO_BLOCK || loops->at[l].header != header || loops->at[l].exits)
    return false;
  for (uint32_t b = 0; b < loops->at[l].count; b++)
    CN_EACH_INSTRUCTION(i, loops->cfg->blocks[loops->at[l].blocks[b]].block)
      if (cn_is_call(i))
        return false;
  return true;
}

/* Report an endless cycle as an error, and count any other cycle as trusted. */
static void report_or_trust_cycle(void *env, const struct cn_function_work *work, const uint32_t *path, uint32_t count)
{
  struct trusted_loops *trusted = env;

  if (is_endless_loop(work->loops, path[0]))
    report_unpolled_loop(trusted->reports, work, path, count);
  else
    count_trusted_loop(trusted, work->loops->cfg->blocks[path[0]].block);
}

static void check_unpolled_cycles(struct cn_verifier *v, const struct cn_function_work *work)
{
  struct report_counter reports = {.v = v};
  struct trusted_loops trusted = {.reports = &reports};
  uint64_t limit = cn_work_between_safepoints_limit(v->ctx);
  bool leaf = cn_string_attribute(v->function, CN_ATTR_LEAF);

  if (leaf || cn_string_attribute(v->function, CN_ATTR_NOPOLL)) {
    cn_work_find_unpolled_cycles(work, limit, report_or_trust_cycle, &trusted);
    report_trusted_loops(v, &trusted,
                         leaf ? "since it is a leaf and has no safepoints" : "since it asked for no polls");
    return;
  }
  cn_work_find_unpolled_cycles(work, limit, report_unpolled_loop, &reports);
  for (uint32_t l = 0; l < work->loops->count; l++)
    if (work->at[l].trusted)
      count_trusted_loop(&trusted, work->loops->cfg->blocks[work->loops->at[l].header].block);
  report_trusted_loops(v, &trusted, "as place-safepoints noted (!" CN_BOUNDED ")");
}

void cn_verify_polls(struct cn_verifier *v)
{
  struct cn_work_summaries known = {0};
  struct cn_loops loops;
  struct cn_function_work work;

  cn_work_find_user_slow_paths(&known, v->ctx->module);
  cn_loops_build_with_costs(&loops, &v->cfg);
  cn_work_build(&work, v->ctx, &loops, &known);
  check_unpolled_cycles(v, &work);
  cn_work_free(&work);
  cn_loops_free(&loops);
  cn_work_summaries_free(&known);
}

/* ---- over the calls of a module ---- */

/* Report the causes that concern calls. Causes that concern loops are already reported. */
static void report_call_causes(void *env, const struct cairn_time *time)
{
  struct cn_ctx *ctx = env;
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, time->function);

  for (size_t c = 0; c < time->cause_count; c++) {
    const struct cairn_time_cause *cause = &time->causes[c];
    if (strcmp(cause->kind, "claim") == 0)
      cn_error(ctx, function, "false-claim", "%s, which is not true of it", cause->why);
    else if (strcmp(cause->kind, "recursion") == 0)
      cn_error(ctx, function, "recursion-without-poll", "it may call %s again and again without a safepoint",
               cause->where);
  }
}

void cn_verify_poll_claims(struct cn_ctx *ctx)
{
  cairn_time_to_safepoint(ctx->module, ctx->options, report_call_causes, ctx);
}
