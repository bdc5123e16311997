/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds natural loops, their nesting, latches, exits and blocks, and their induction variables. Needs: struct cn_cfg.
 * Provides: struct cn_loops with its queries (loops.h). Breaks: nothing.
 */
#include "compile/cost/loops.h"

#include <stdlib.h>
#include "base/check.h"

bool cn_loop_contains_block(const struct cn_loops *loops, uint32_t loop, uint32_t block)
{
  CN_ASSERT(loop < loops->count && block < loops->cfg->count);
  uint32_t l = loops->of[block];

  return l != CN_NO_BLOCK && loop - l < loops->at[loop].below;
}

bool cn_loop_always_runs_block(const struct cn_loops *loops, uint32_t loop, uint32_t block)
{
  const struct cn_cfg_block *header = &loops->cfg->blocks[loops->at[loop].header];

  CN_ASSERT(cn_loop_contains_block(loops, loop, block));
  for (uint32_t i = 0; i < header->pred_count; i++)
    if (cn_loop_contains_block(loops, loop, header->preds[i]) && !cn_cfg_dominates(loops->cfg, block, header->preds[i]))
      return false;
  return true;
}

bool cn_is_defined_outside_loop(const struct cn_loops *loops, uint32_t loop, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return true;
  uint32_t block = cn_cfg_index_of(loops->cfg, LLVMGetInstructionParent(value));
  return block != CN_NO_BLOCK && !cn_loop_contains_block(loops, loop, block);
}

/* ---- induction variables ---- */

/* True if `next` is phi + step, as a GEP with one index or an addition. Sets `step` or `by`. */
static bool find_induction_step(LLVMTargetDataRef layout, struct cn_induction *iv)
{
  LLVMValueRef next = iv->next, by = NULL;
  uint64_t scale = 1;

  iv->by = NULL;
  iv->step = 0;
  if (LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2) {
    LLVMTypeRef element = LLVMGetGEPSourceElementType(next);
    if (!LLVMTypeIsSized(element) || LLVMGetTypeKind(element) == LLVMScalableVectorTypeKind)
      return false;
    scale = LLVMABISizeOfType(layout, element);
    if (LLVMGetOperand(next, 0) == iv->phi)
      by = LLVMIsAConstantInt(LLVMGetOperand(next, 1));
  } else if (LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd) {
    for (unsigned i = 0; i < 2; i++)
      if (LLVMGetOperand(next, i) == iv->phi)
        by = LLVMGetOperand(next, 1 - i);
  }
  if (!by || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64)
    return false;
  if (!LLVMIsAConstantInt(by)) {
    iv->by = by;
    return true;
  }
  return !__builtin_mul_overflow(LLVMConstIntGetSExtValue(by), (int64_t)scale, &iv->step) && iv->step;
}

/* The value of a phi of the header on all back edges, or null if the values differ. */
static LLVMValueRef latch_value_of_phi(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi)
{
  LLVMValueRef value = NULL;

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from == CN_NO_BLOCK || !cn_loop_contains_block(loops, loop, from))
      continue;
    if (value && value != LLVMGetIncomingValue(phi, i))
      return NULL;
    value = LLVMGetIncomingValue(phi, i);
  }
  return value;
}

static bool match_induction_phi(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout, LLVMValueRef phi,
                                struct cn_induction *out)
{
  LLVMBasicBlockRef header = loops->cfg->blocks[loops->at[loop].header].block;

  CN_ASSERT(loop < loops->count);
  if (!phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header)
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
  if (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind)
    return false;
  out->phi = phi;
  out->next = latch_value_of_phi(loops, loop, phi);
  return out->next && LLVMIsAInstruction(out->next) && find_induction_step(layout, out);
}

bool cn_loop_match_induction(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout, LLVMValueRef value,
                             struct cn_induction *out)
{
  CN_ASSERT(loop < loops->count);
  if (!LLVMIsAInstruction(value))
    return false;
  if (match_induction_phi(loops, loop, layout, value, out))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(value) && i < 2; i++) {
    LLVMValueRef phi = LLVMGetOperand(value, (unsigned)i);
    if (LLVMTypeOf(phi) == LLVMTypeOf(value) && LLVMIsAInstruction(phi) &&
        match_induction_phi(loops, loop, layout, phi, out) && out->next == value)
      return true;
  }
  return false;
}

LLVMValueRef cn_loop_start_value_of(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi)
{
  LLVMValueRef start = NULL;

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from != CN_NO_BLOCK && cn_loop_contains_block(loops, loop, from))
      continue;
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    if (start && start != value)
      return NULL;
    start = value;
  }
  return start;
}

/* ---- the forest ---- */

/* Fill `order`, and make each loop a slice of it. In reverse post-order the header of a loop precedes the loop's other
 * blocks. At the header, the loop takes places for all its blocks from the enclosing loop. */
static void order_blocks_by_loop(struct cn_loops *loops)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint32_t *sizes = cn_alloc(cfg->count * sizeof *sizes); /* per header */
  uint32_t *next = cn_alloc(cfg->count * sizeof *next), top = 0;

  for (uint32_t b = cfg->count; b-- > 0;) {
    const struct cn_cfg_block *block = &cfg->blocks[b];
    if (block->loop != CN_NO_BLOCK)
      sizes[block->loop]++;
    if (block->loop == b && block->outer != CN_NO_BLOCK)
      sizes[block->outer] += sizes[b];
  }
  for (uint32_t b = 0; b < cfg->count; b++) {
    const struct cn_cfg_block *block = &cfg->blocks[b];
    uint32_t *own = block->loop == CN_NO_BLOCK ? &top : &next[block->loop];
    if (block->loop == b) {
      uint32_t *around = block->outer == CN_NO_BLOCK ? &top : &next[block->outer];
      *own = *around;
      *around += sizes[b];
    }
    loops->order[(*own)++] = b;
  }
  for (uint32_t i = cfg->count; i-- > 0;) {
    uint32_t b = loops->order[i];
    if (cfg->blocks[b].loop == b)
      loops->at[loops->count++] =
          (struct cn_loop){.header = b, .blocks = &loops->order[i], .count = sizes[b], .parent = CN_NO_BLOCK};
  }
  free(next);
  free(sizes);
}

static void connect_loops(struct cn_loops *loops)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint32_t *of = loops->of;

  for (uint32_t l = 0; l < loops->count; l++)
    of[loops->at[l].header] = l;
  for (uint32_t b = 0; b < cfg->count; b++)
    of[b] = cfg->blocks[b].loop == CN_NO_BLOCK ? CN_NO_BLOCK : of[cfg->blocks[b].loop];
  for (uint32_t l = 0; l < loops->count; l++) {
    struct cn_loop *loop = &loops->at[l];
    loop->below++;
    if (cfg->blocks[loop->header].outer == CN_NO_BLOCK)
      continue;
    loop->parent = of[cfg->blocks[loop->header].outer];
    loops->at[loop->parent].below += loop->below;
    loops->at[loop->parent].inner = true;
  }
}

static void find_latch(const struct cn_cfg *cfg, struct cn_loop *loop)
{
  const struct cn_cfg_block *header = &cfg->blocks[loop->header];
  unsigned latches = 0;

  for (uint32_t p = 0; p < header->pred_count; p++)
    if (cn_cfg_dominates(cfg, loop->header, header->preds[p])) {
      latches++;
      loop->latch = latches == 1 ? header->preds[p] : CN_NO_BLOCK;
    }
}

/* Count the edge as an exit of all loops that it leaves. A retreating edge other than a back edge closes an irreducible
 * cycle in the innermost loop that contains the edge. */
static void classify_edge(struct cn_loops *loops, uint32_t from, uint32_t to)
{
  uint32_t l = loops->of[from];

  for (; l != CN_NO_BLOCK && !cn_loop_contains_block(loops, l, to); l = loops->at[l].parent) {
    loops->at[l].exits++;
    loops->at[l].exit = to;
  }
  if (!cn_cfg_is_retreating_edge(from, to) || cn_cfg_dominates(loops->cfg, to, from))
    return;
  for (; l != CN_NO_BLOCK; l = loops->at[l].parent)
    loops->at[l].inner = loops->at[l].irreducible = true;
}

void cn_loops_build(struct cn_loops *loops, const struct cn_cfg *cfg)
{
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  CN_ASSERT(cfg->has_dominators);
  *loops = (struct cn_loops){.cfg = cfg};
  loops->at = cn_alloc(cfg->count * sizeof *loops->at);
  loops->of = cn_alloc(cfg->count * sizeof *loops->of);
  loops->order = cn_alloc(cfg->count * sizeof *loops->order);
  order_blocks_by_loop(loops);
  connect_loops(loops);
  for (uint32_t l = 0; l < loops->count; l++)
    find_latch(cfg, &loops->at[l]);
  for (uint32_t i = 0; i < cfg->count; i++) {
    const struct cn_cfg_block *block = &cfg->blocks[loops->order[i]];
    for (uint32_t s = 0; s < block->succ_count; s++)
      classify_edge(loops, loops->order[i], block->succs[s]);
  }
  CN_ASSERT_VALID(cn_loops_wrong(loops));
}

void cn_loops_free(struct cn_loops *loops)
{
  free(loops->at);
  free(loops->of);
  free(loops->order);
  *loops = (struct cn_loops){0};
}

/* True if `condition`, or a part of it, compares an induction variable. */
static bool compares_induction_variable(const struct cn_loops *loops, uint32_t l, LLVMValueRef condition,
                                        unsigned depth)
{
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(loops->cfg->function));
  LLVMOpcode opcode = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : 0;
  struct cn_induction iv;

  CN_ASSERT(l < loops->count);
  if (opcode == LLVMICmp)
    return cn_loop_match_induction(loops, l, layout, LLVMGetOperand(condition, 0), &iv) ||
           cn_loop_match_induction(loops, l, layout, LLVMGetOperand(condition, 1), &iv);
  if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMSelect && opcode != LLVMFreeze)
    return false;
  for (int o = 0; depth && o < LLVMGetNumOperands(condition); o++)
    if (compares_induction_variable(loops, l, LLVMGetOperand(condition, (unsigned)o), depth - 1))
      return true;
  return false;
}

static bool exits_by_counting(const struct cn_loops *loops, uint32_t l, uint32_t b)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loops->cfg->blocks[b].block);

  CN_ASSERT(l < loops->count);
  return cn_is_branch(end) && LLVMIsConditional(end) && compares_induction_variable(loops, l, LLVMGetCondition(end), 4);
}

bool cn_loop_has_counting_exit(const struct cn_loops *loops, uint32_t l)
{
  const struct cn_loop *loop = &loops->at[l];

  CN_ASSERT(l < loops->count);
  for (uint32_t i = 0; i < loop->count; i++) {
    const struct cn_cfg_block *block = &loops->cfg->blocks[loop->blocks[i]];
    for (uint32_t s = 0; s < block->succ_count; s++)
      if (!cn_loop_contains_block(loops, l, block->succs[s]) && exits_by_counting(loops, l, loop->blocks[i]))
        return true;
  }
  return false;
}
