/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes safepoint-free intervals of code. Needs: struct cn_cfg, and safepoints that are not rewritten yet; until
 * polls are placed, only calls and allocations are safepoints. Provides: struct cn_safepoint_free_intervals, with the
 * interval before and after each instruction. Breaks: nothing.
 *
 * A join of paths from different intervals begins a new interval. A fixed point over the blocks finds these joins. Each
 * block starts in the interval at the end of its immediate dominator. If a predecessor ends in another interval, the
 * block begins a new interval. Intervals are only split, so few rounds suffice.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/safepoint_free.h"
#include "compile/core/each.h"

enum { INTERVAL_UNKNOWN = 0, INTERVAL_ENTRY = 1 };

static bool is_safepoint(LLVMValueRef instruction)
{
  enum cn_call_kind kind = cn_classify_call(instruction).kind;

  return kind == CN_CALL_PARSE_POINT || kind == CN_CALL_STATEPOINT;
}

static uint32_t own_interval_of_block(uint32_t block)
{
  return block + 2;
}

/* Give each block its intervals at start and end. `last` has the interval after the last safepoint of each block, or 0.
 */
static void assign_intervals(struct cn_safepoint_free_intervals *windows, const uint32_t *last, const uint8_t *joins)
{
  for (uint32_t b = 0; b < windows->cfg->count; b++) {
    uint32_t before = b == 0 ? INTERVAL_ENTRY : windows->out[windows->cfg->blocks[b].idom];
    windows->in[b] = joins[b] ? own_interval_of_block(b) : before;
    windows->out[b] = last[b] ? last[b] : windows->in[b];
  }
}

/* Mark the blocks that have a predecessor in another interval. True if a mark is new. */
static bool mark_interval_joins(const struct cn_safepoint_free_intervals *windows, uint8_t *joins)
{
  bool changed = false;

  for (uint32_t b = 1; b < windows->cfg->count; b++) {
    const struct cn_cfg_block *block = &windows->cfg->blocks[b];
    for (uint32_t p = 0; p < block->pred_count && !joins[b]; p++)
      joins[b] = windows->out[block->preds[p]] != windows->in[b];
    changed |= joins[b] && windows->in[b] != own_interval_of_block(b);
  }
  return changed;
}

void cn_safepoint_free_find_intervals(struct cn_safepoint_free_intervals *windows, const struct cn_cfg *cfg)
{
  uint32_t *last = cn_alloc(cfg->count * sizeof *last), next = own_interval_of_block(cfg->count);
  uint8_t *joins = cn_alloc(cfg->count);

  *windows = (struct cn_safepoint_free_intervals){
      .cfg = cfg, .in = cn_alloc(cfg->count * sizeof *windows->in), .out = cn_alloc(cfg->count * sizeof *windows->out)};
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      if (is_safepoint(i))
        last[b] = next++;
      if (last[b])
        *cn_ptrmap_add(&windows->after, i, NULL) = last[b];
    }
  CN_CHECK(next > cfg->count);
  do
    assign_intervals(windows, last, joins);
  while (mark_interval_joins(windows, joins));
  free(joins);
  free(last);
}

void cn_safepoint_free_dispose(struct cn_safepoint_free_intervals *windows)
{
  free(windows->in);
  free(windows->out);
  cn_ptrmap_free(&windows->after);
}

uint32_t cn_safepoint_free_after(const struct cn_safepoint_free_intervals *windows, LLVMValueRef instruction)
{
  uint32_t b = cn_cfg_index_of(windows->cfg, LLVMGetInstructionParent(instruction));
  const uint64_t *after = cn_ptrmap_find(&windows->after, instruction);

  return after ? (uint32_t)*after : b == CN_NO_BLOCK ? INTERVAL_UNKNOWN : windows->in[b];
}

uint32_t cn_safepoint_free_before(const struct cn_safepoint_free_intervals *windows, LLVMValueRef instruction)
{
  uint32_t b = cn_cfg_index_of(windows->cfg, LLVMGetInstructionParent(instruction));
  LLVMValueRef previous = LLVMGetPreviousInstruction(instruction);

  if (previous)
    return cn_safepoint_free_after(windows, previous);
  return b == CN_NO_BLOCK ? INTERVAL_UNKNOWN : windows->in[b];
}
