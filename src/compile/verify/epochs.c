/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the epochs of a function. Needs: struct cn_cfg. Provides: struct cn_epochs (explained in verify.h). Breaks:
 * nothing.
 *
 * An epoch starts at a safepoint, at the entry, and at each block of the iterated dominance frontier of the blocks with
 * safepoints (R. Cytron et al., "Efficiently Computing Static Single Assignment Form", 1991). In exactly these blocks,
 * two paths from different safepoints, or from a safepoint and from the entry, meet.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/verify/verify.h"

/* True if a predecessor of `b` is dominated by a block of `starts` that does not strictly dominate `b`. */
static bool is_in_frontier_of_starts(const struct cn_cfg *cfg, uint32_t b, const uint8_t *starts)
{
  const struct cn_cfg_block *block = &cfg->blocks[b];

  for (uint32_t p = 0; p < block->pred_count; p++)
    for (uint32_t runner = block->preds[p]; runner != block->idom; runner = cfg->blocks[runner].idom)
      if (starts[runner])
        return true;
  return false;
}

/* Mark in `joins` the joins that start an epoch. `starts` marks the blocks with statepoints. */
static void find_epoch_joins(const struct cn_cfg *cfg, uint8_t *starts, uint8_t *joins)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (uint32_t b = 1; b < cfg->count; b++)
      if (!joins[b] && cfg->blocks[b].pred_count > 1 && is_in_frontier_of_starts(cfg, b, starts)) {
        joins[b] = starts[b] = 1;
        changed = true;
      }
  }
}

bool cn_epochs_is_statepoint(LLVMValueRef instruction)
{
  return cn_classify_call(instruction).kind == CN_CALL_STATEPOINT;
}

void cn_epochs_build(struct cn_epochs *epochs, const struct cn_cfg *cfg, bool (*is_safepoint)(LLVMValueRef instruction))
{
  uint8_t *starts = cn_alloc(cfg->count), *joins = cn_alloc(cfg->count);
  uint32_t *last = cn_alloc(cfg->count * sizeof *last);
  uint32_t next = cfg->count + 2; /* join b starts epoch b + 2 */

  *epochs = (struct cn_epochs){.cfg = cfg};
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (is_safepoint(i)) {
        starts[b] = 1;
        last[b] = next;
        *cn_ptrmap_add(&epochs->statepoints, i, NULL) = next++;
      }
  CN_CHECK(next < CN_EPOCH_MIXED);
  find_epoch_joins(cfg, starts, joins);
  epochs->in = cn_alloc(cfg->count * sizeof *epochs->in);
  epochs->out = cn_alloc(cfg->count * sizeof *epochs->out);
  for (uint32_t b = 0; b < cfg->count; b++) {
    epochs->in[b] = b == 0 ? CN_EPOCH_ENTRY : joins[b] ? b + 2 : epochs->out[cfg->blocks[b].idom];
    epochs->out[b] = last[b] ? last[b] : epochs->in[b];
  }
  free(last);
  free(joins);
  free(starts);
  CN_ASSERT_VALID(cn_epochs_wrong(epochs));
}

static uint32_t end_epoch_of(const struct cn_epochs *epochs, uint32_t b)
{
  uint32_t epoch = epochs->in[b];

  CN_EACH_INSTRUCTION(i, epochs->cfg->blocks[b].block)
    epoch = cn_epoch_after(epochs, i, epoch);
  return epoch;
}

const char *cn_epochs_wrong(const struct cn_epochs *epochs)
{
  const struct cn_cfg *cfg = epochs->cfg;

  if (epochs->in[0] != CN_EPOCH_ENTRY)
    return "epochs: the entry has another than the first";
  for (uint32_t b = 0; b < cfg->count; b++) {
    const struct cn_cfg_block *block = &cfg->blocks[b];
    if (epochs->out[b] != end_epoch_of(epochs, b))
      return "epochs: a block does not end in that of its last statepoint";
    for (uint32_t p = 0; p < block->pred_count; p++)
      if (epochs->in[b] != b + 2 && epochs->in[b] != epochs->out[block->preds[p]])
        return "epochs: paths of several meet and start none";
  }
  return NULL;
}

void cn_epochs_free(struct cn_epochs *epochs)
{
  free(epochs->in);
  free(epochs->out);
  cn_ptrmap_free(&epochs->statepoints);
}

uint32_t cn_epoch_after(const struct cn_epochs *epochs, LLVMValueRef instruction, uint32_t current)
{
  const uint64_t *epoch = cn_ptrmap_find(&epochs->statepoints, instruction);

  return epoch ? (uint32_t)*epoch : current;
}

uint32_t cn_epoch_at(const struct cn_epochs *epochs, LLVMValueRef instruction)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
  uint32_t b = cn_cfg_index_of(epochs->cfg, block);

  CN_CHECK(b != CN_NO_BLOCK);
  uint32_t epoch = epochs->in[b];

  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != instruction; i = LLVMGetNextInstruction(i))
    epoch = cn_epoch_after(epochs, i, epoch);
  return epoch;
}
