/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows: stretches of code without a safepoint. Needs: struct cn_cfg, and safepoints placed but
 * not yet rewritten. Breaks: nothing.
 *
 * A join of paths from different windows begins one. That is found by going over the blocks until
 * nothing changes: at first a join takes the window of its first known predecessor, and begins its
 * own as soon as another one differs. A join never goes back, so it takes few rounds.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"

enum { UNKNOWN = 0, ENTRY = 1 };

static bool is_safepoint(LLVMValueRef instruction)
{
  enum cn_call_kind kind = cn_classify_call(instruction).kind;

  return kind == CN_CALL_PARSE || kind == CN_CALL_STATEPOINT;
}

static uint32_t own_window(uint32_t block)
{
  return block + 2;
}

/* The window at the start of `b`, as far as its predecessors' are known. */
static uint32_t joined(const struct cn_windows *windows, uint32_t b)
{
  const struct cn_block *block = &windows->cfg->blocks[b];
  uint32_t window = b == 0 ? ENTRY : UNKNOWN;

  if (windows->in[b] == own_window(b))
    return own_window(b);
  for (uint32_t p = 0; p < block->pred_count; p++) {
    uint32_t from = windows->out[block->preds[p]];
    if (from == UNKNOWN)
      continue;
    if (window != UNKNOWN && window != from)
      return own_window(b);
    window = from;
  }
  return window;
}

/* One round over all blocks. `last` has the window that a block's last safepoint begins. */
static bool spread(struct cn_windows *windows, const uint32_t *last)
{
  bool changed = false;

  for (uint32_t b = 0; b < windows->cfg->count; b++) {
    uint32_t in = joined(windows, b);
    changed |= in != windows->in[b];
    windows->in[b] = in;
    windows->out[b] = last[b] ? last[b] : in;
  }
  return changed;
}

void cn_windows_build(struct cn_windows *windows, const struct cn_cfg *cfg)
{
  uint32_t *last = cn_alloc(cfg->count * sizeof *last), next = own_window(cfg->count);

  *windows = (struct cn_windows){.cfg = cfg,
                                 .in = cn_alloc(cfg->count * sizeof *windows->in),
                                 .out = cn_alloc(cfg->count * sizeof *windows->out)};
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      if (is_safepoint(i))
        last[b] = next++;
      if (last[b])
        *cn_ptrmap_add(&windows->after, i, NULL) = last[b];
    }
  CN_CHECK(next > cfg->count);
  while (spread(windows, last))
    ;
  free(last);
}

void cn_windows_free(struct cn_windows *windows)
{
  free(windows->in);
  free(windows->out);
  cn_ptrmap_free(&windows->after);
}

uint32_t cn_windows_after(const struct cn_windows *windows, LLVMValueRef instruction)
{
  uint32_t b = cn_cfg_index(windows->cfg, LLVMGetInstructionParent(instruction));
  const uint64_t *after = cn_ptrmap_find(&windows->after, instruction);

  return after ? (uint32_t)*after : b == CN_NO_BLOCK ? UNKNOWN : windows->in[b];
}

uint32_t cn_windows_at(const struct cn_windows *windows, LLVMValueRef instruction)
{
  uint32_t b = cn_cfg_index(windows->cfg, LLVMGetInstructionParent(instruction));
  LLVMValueRef previous = LLVMGetPreviousInstruction(instruction);

  if (previous)
    return cn_windows_after(windows, previous);
  return b == CN_NO_BLOCK ? UNKNOWN : windows->in[b];
}
