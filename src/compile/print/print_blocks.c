/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints blocks, loops and frequencies as text, for analyses.c. Needs: any function. Provides: lines of text. Breaks:
 * nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/cost/cost.h"
#include "compile/print/print.h"

void cn_print_block_name(const struct cn_cfg *cfg, uint32_t b, FILE *out)
{
  CN_CHECK(b < cfg->count);
  const char *name = LLVMGetBasicBlockName(cfg->blocks[b].block);

  if (*name)
    fprintf(out, "%%%s", name);
  else
    fprintf(out, "#%u", b);
}

void cn_print_work(const char *what, uint64_t work, FILE *out)
{
  if (work == CN_WORK_UNKNOWN)
    fprintf(out, ", %s unknown", what);
  else
    fprintf(out, ", %s %lu", what, (unsigned long)work);
}

static void print_predecessors(const struct cn_cfg *cfg, uint32_t b, FILE *out)
{
  const struct cn_cfg_block *block = &cfg->blocks[b];

  for (uint32_t p = 0; p < block->pred_count; p++) {
    fputc(' ', out);
    cn_print_block_name(cfg, block->preds[p], out);
    if (cn_cfg_is_retreating_edge(block->preds[p], b))
      fputs("(back)", out);
  }
}

void cn_print_cfg(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;

  (void)ctx;
  cn_cfg_build(&cfg, function);
  for (uint32_t b = 0; b < cfg.count; b++) {
    const struct cn_cfg_block *block = &cfg.blocks[b];
    fputs("  ", out);
    cn_print_block_name(&cfg, b, out);
    fputs(": preds", out);
    print_predecessors(&cfg, b, out);
    fputs(" idom ", out);
    cn_print_block_name(&cfg, block->idom, out);
    if (block->loop != CN_NO_BLOCK) {
      fputs(" loop ", out);
      cn_print_block_name(&cfg, block->loop, out);
      fprintf(out, " depth %u", block->depth);
    }
    fputc('\n', out);
  }
  cn_cfg_free(&cfg);
}

static void print_loop(const struct cn_loops *loops, uint32_t l, FILE *out)
{
  const struct cn_loop *loop = &loops->at[l];
  CN_CHECK(loop->parent == CN_NO_BLOCK || loop->parent < loops->count);

  fputs("  ", out);
  cn_print_block_name(loops->cfg, loop->header, out);
  fprintf(out, ": depth %u", loops->cfg->blocks[loop->header].depth);
  if (loop->parent != CN_NO_BLOCK) {
    fputs(", in ", out);
    cn_print_block_name(loops->cfg, loops->at[loop->parent].header, out);
  }
  if (loop->latch != CN_NO_BLOCK) {
    fputs(", latch ", out);
    cn_print_block_name(loops->cfg, loop->latch, out);
  }
  fprintf(out, ", blocks %u", loop->count);
  cn_print_work("size", loop->size, out);
  cn_print_work("trips", loop->trips, out);
  cn_print_work("work", loop->work, out);
  fputs(loop->irreducible ? ", irreducible\n" : "\n", out);
}

void cn_print_loops(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  (void)ctx;
  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  for (uint32_t l = 0; l < loops.count; l++)
    print_loop(&loops, l, out);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

void cn_print_frequency(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  (void)ctx;
  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  uint64_t *often = cn_alloc(cfg.count * sizeof *often);
  cn_find_block_frequencies(&loops, often);
  for (uint32_t b = 0; b < cfg.count; b++) {
    fputs("  ", out);
    cn_print_block_name(&cfg, b, out);
    fprintf(out, ": %.6f\n", (double)often[b] / (double)CN_ALWAYS);
  }
  free(often);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}
