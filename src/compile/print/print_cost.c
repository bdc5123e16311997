/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints costs of instructions, work between safepoints and places of polls as text, for analyses.c. Needs: any
 * function. Provides: lines of text. Breaks: nothing. Facts about callees come from attributes, so the text of a
 * function depends only on the function, on these attributes, and on the body of @gc.safepoint_poll.
 */
#include "compile/cost/cost.h"

#include "base/check.h"
#include "compile/core/each.h"
#include "compile/print/print.h"

struct function_paths {
  struct cn_cfg cfg;
  struct cn_loops loops;
  struct cn_work_summaries known;
  struct cn_function_work work;
};

static void build_function_paths(struct function_paths *paths, struct cn_ctx *ctx, LLVMValueRef function)
{
  *paths = (struct function_paths){0};
  cn_cfg_build(&paths->cfg, function);
  cn_loops_build_with_costs(&paths->loops, &paths->cfg);
  cn_work_find_user_slow_paths(&paths->known, ctx->module);
  cn_work_build(&paths->work, ctx, &paths->loops, &paths->known);
}

static void free_function_paths(struct function_paths *paths)
{
  cn_work_free(&paths->work);
  cn_work_summaries_free(&paths->known);
  cn_loops_free(&paths->loops);
  cn_cfg_free(&paths->cfg);
}

/* Print a line for each instruction: its units of work, and the further units if the instruction misses the caches. */
void cn_print_cost(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;

  (void)ctx;
  cn_cfg_build_edges(&cfg, function);
  for (uint32_t b = 0; b < cfg.count; b++)
    CN_EACH_INSTRUCTION(i, cfg.blocks[b].block) {
      char name[64];
      fputs("  ", out);
      cn_print_block_name(&cfg, b, out);
      fprintf(out, ": %s", cn_value_name(i, name, sizeof name));
      cn_print_work("work", cn_work_of_instruction(i), out);
      cn_print_work("miss", cn_work_of_cache_miss(i), out);
      fputc('\n', out);
    }
  cn_cfg_free(&cfg);
}

static void print_work_summary(const struct cn_work_summary *ways, FILE *out)
{
  fprintf(out, "%s%s", ways->polls ? " polls" : "", ways->passes ? " passes" : "");
  if (ways->polls) {
    cn_print_work("enter", ways->enter, out);
    cn_print_work("between", ways->between, out);
    cn_print_work("leave", ways->leave, out);
  }
  if (ways->passes)
    cn_print_work("through", ways->through, out);
  fputc('\n', out);
}

static void print_cycle(void *env, const struct cn_function_work *work, const uint32_t *blocks, uint32_t count)
{
  FILE *out = env;

  CN_CHECK(count > 0);
  fputs("  without a safepoint:", out);
  for (uint32_t i = 0; i < count; i++) {
    fputc(' ', out);
    cn_print_block_name(work->loops->cfg, blocks[i], out);
  }
  fputc('\n', out);
}

/* Print a line for the function, a line for each block, and a line for each cycle that may do much work between
 * safepoints. */
void cn_print_paths(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct function_paths paths;

  build_function_paths(&paths, ctx, function);
  fputs("  all:", out);
  print_work_summary(&paths.work.all, out);
  for (uint32_t b = 0; b < paths.cfg.count; b++) {
    fputs("  ", out);
    cn_print_block_name(&paths.cfg, b, out);
    fputc(':', out);
    print_work_summary(&paths.work.blocks[b], out);
  }
  cn_work_find_unpolled_cycles(&paths.work, cn_work_between_safepoints_limit(ctx), print_cycle, out);
  free_function_paths(&paths);
}

static void print_calls_that_poll(const struct function_paths *paths, uint32_t b, FILE *out)
{
  LLVMValueRef i = LLVMGetFirstInstruction(paths->cfg.blocks[b].block);
  char name[64];

  for (; i; i = LLVMGetNextInstruction(i)) {
    struct cn_work_summary at = cn_work_summary_of_instruction(&paths->known, i);
    if (!at.polls)
      continue;
    fputs("  ", out);
    cn_print_block_name(&paths->cfg, b, out);
    fprintf(out, ": %s polls in %s\n", at.passes ? "maybe" : "surely",
            cn_value_name(cn_work_callee_of(i), name, sizeof name));
  }
}

/* Print a line for each place in the function that surely or possibly is a safepoint. */
void cn_print_polls(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct function_paths paths;

  build_function_paths(&paths, ctx, function);
  for (uint32_t b = 0; b < paths.cfg.count; b++) {
    print_calls_that_poll(&paths, b, out);
    if (cn_work_block_ends_in_poll(&paths.known, &paths.cfg, b)) {
      fputs("  ", out);
      cn_print_block_name(&paths.cfg, b, out);
      fputs(": a poll at its end\n", out);
    }
  }
  free_function_paths(&paths);
}
