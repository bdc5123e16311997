/* SPDX-License-Identifier: Apache-2.0
 *
 * Natural loops. Needs: struct cn_cfg. Provides: struct cn_loops. Breaks: nothing.
 */
#include "compile/cost/loops.h"

#include <stdlib.h>
#include "base/check.h"

bool cn_loops_contain(const struct cn_loops *loops, uint32_t loop, uint32_t block)
{
  CN_ASSERT(loop < loops->count && block < loops->cfg->count);
  uint32_t l = loops->of[block];

  return l != CN_NO_BLOCK && loops->at[l].place - loops->at[loop].place < loops->at[loop].below;
}

static int compare_blocks(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return x < y ? -1 : x > y;
}

void cn_loops_order(const struct cn_loop *loop, uint32_t *order)
{
  for (uint32_t i = 0; i < loop->count; i++)
    order[i] = loop->blocks[i];
  qsort(order, loop->count, sizeof *order, compare_blocks);
  CN_CHECK(order[0] == loop->header);
}

bool cn_loops_run(const struct cn_loops *loops, uint32_t loop, uint32_t block)
{
  const struct cn_block *header = &loops->cfg->blocks[loops->at[loop].header];

  CN_ASSERT(cn_loops_contain(loops, loop, block));
  for (uint32_t i = 0; i < header->pred_count; i++)
    if (cn_loops_contain(loops, loop, header->preds[i]) &&
        !cn_cfg_dominates(loops->cfg, block, header->preds[i]))
      return false;
  return true;
}

bool cn_loops_outside(const struct cn_loops *loops, uint32_t loop, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return true;
  uint32_t block = cn_cfg_index(loops->cfg, LLVMGetInstructionParent(value));
  return block != CN_NO_BLOCK && !cn_loops_contain(loops, loop, block);
}

uint32_t cn_loops_exits(const struct cn_loops *loops, uint32_t loop, uint32_t *last)
{
  const struct cn_loop *l = &loops->at[loop];
  uint32_t exits = 0;

  CN_ASSERT(loop < loops->count);
  for (uint32_t b = 0; b < l->count; b++) {
    const struct cn_block *block = &loops->cfg->blocks[l->blocks[b]];
    for (uint32_t s = 0; s < block->succ_count; s++) {
      if (cn_loops_contain(loops, loop, block->succs[s]))
        continue;
      exits++;
      if (last)
        *last = block->succs[s];
    }
  }
  return exits;
}

/* ---- bodies ---- */

/* The blocks from which a back edge to the header is reached without passing the header. `in`
 * marks them with `stamp`. */
static void collect_body(const struct cn_cfg *cfg, struct cn_loop *loop, uint32_t *in,
                         uint32_t stamp)
{
  CN_VECTOR(uint32_t) body = {0};

  in[loop->header] = stamp;
  cn_push(&body, loop->header);
  loop->latch = CN_NO_BLOCK;
  unsigned latches = 0;
  for (uint32_t p = 0; p < cfg->blocks[loop->header].pred_count; p++) {
    uint32_t latch = cfg->blocks[loop->header].preds[p];
    if (!cn_cfg_dominates(cfg, loop->header, latch))
      continue;
    latches++;
    loop->latch = latches == 1 ? latch : CN_NO_BLOCK;
    if (in[latch] != stamp) {
      in[latch] = stamp;
      cn_push(&body, latch);
    }
  }
  for (size_t next = 1; next < body.count; next++) {
    const struct cn_block *b = &cfg->blocks[body.at[next]];
    for (uint32_t p = 0; p < b->pred_count; p++)
      if (in[b->preds[p]] != stamp) {
        in[b->preds[p]] = stamp;
        cn_push(&body, b->preds[p]);
      }
  }
  loop->blocks = body.at;
  loop->count = (uint32_t)body.count;
}

/* Find cycles other than the loop's own that run through its blocks. */
static void find_inner_cycles(const struct cn_cfg *cfg, struct cn_loop *loop, const uint32_t *in,
                              uint32_t stamp)
{
  for (uint32_t i = 0; i < loop->count; i++) {
    const struct cn_block *b = &cfg->blocks[loop->blocks[i]];
    for (uint32_t s = 0; s < b->succ_count; s++)
      if (cn_cfg_retreats(loop->blocks[i], b->succs[s]) && in[b->succs[s]] == stamp &&
          b->succs[s] != loop->header) {
        loop->inner = true;
        loop->irreducible |= !cn_cfg_dominates(cfg, b->succs[s], loop->blocks[i]);
      }
  }
}

/* ---- induction variables ---- */

/* Is next = phi + step, by a GEP with one index or by an addition? */
static bool advances(LLVMTargetDataRef layout, struct cn_induction *iv)
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
  return !__builtin_mul_overflow(LLVMConstIntGetSExtValue(by), (int64_t)scale, &iv->step) &&
         iv->step;
}

/* The value that a phi of the header takes on every back edge, or null if they differ. */
static LLVMValueRef latch_value(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi)
{
  LLVMValueRef value = NULL;

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from == CN_NO_BLOCK || !cn_loops_contain(loops, loop, from))
      continue;
    if (value && value != LLVMGetIncomingValue(phi, i))
      return NULL;
    value = LLVMGetIncomingValue(phi, i);
  }
  return value;
}

static bool try_induction(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout,
                          LLVMValueRef phi, struct cn_induction *out)
{
  LLVMBasicBlockRef header = loops->cfg->blocks[loops->at[loop].header].block;

  CN_ASSERT(loop < loops->count);
  if (!phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header)
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
  if (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind)
    return false;
  out->phi = phi;
  out->next = latch_value(loops, loop, phi);
  return out->next && LLVMIsAInstruction(out->next) && advances(layout, out);
}

bool cn_loops_induction(const struct cn_loops *loops, uint32_t loop, LLVMTargetDataRef layout,
                        LLVMValueRef value, struct cn_induction *out)
{
  CN_ASSERT(loop < loops->count);
  if (!LLVMIsAInstruction(value))
    return false;
  if (try_induction(loops, loop, layout, value, out))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(value) && i < 2; i++) {
    LLVMValueRef phi = LLVMGetOperand(value, (unsigned)i);
    if (LLVMTypeOf(phi) == LLVMTypeOf(value) && LLVMIsAInstruction(phi) &&
        try_induction(loops, loop, layout, phi, out) && out->next == value)
      return true;
  }
  return false;
}

LLVMValueRef cn_loops_start(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi)
{
  LLVMValueRef start = NULL;

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from != CN_NO_BLOCK && cn_loops_contain(loops, loop, from))
      continue;
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    if (start && start != value)
      return NULL;
    start = value;
  }
  return start;
}

/* ---- the forest ---- */

static void add_loop(struct cn_loops *loops, uint32_t header, uint32_t *in)
{
  uint32_t l = loops->count++;
  struct cn_loop *loop = &loops->at[l];

  *loop = (struct cn_loop){.header = header, .parent = CN_NO_BLOCK};
  collect_body(loops->cfg, loop, in, l + 1);
  find_inner_cycles(loops->cfg, loop, in, l + 1);
  for (uint32_t i = 0; i < loop->count; i++) {
    uint32_t of = loops->of[loop->blocks[i]];
    if (of == CN_NO_BLOCK)
      loops->of[loop->blocks[i]] = l;
    else if (loops->at[of].header == loop->blocks[i] && loops->at[of].parent == CN_NO_BLOCK)
      loops->at[of].parent = l;
  }
}

/* For cn_loops_contain(): the loops in another have places in a row. */
static void number_nests(struct cn_loops *loops)
{
  uint32_t *next = cn_alloc(loops->count * sizeof *next), outer = 0;

  for (uint32_t l = 0; l < loops->count; l++) {
    loops->at[l].below++;
    if (loops->at[l].parent != CN_NO_BLOCK)
      loops->at[loops->at[l].parent].below += loops->at[l].below;
  }
  for (uint32_t l = loops->count; l-- > 0;) {
    struct cn_loop *loop = &loops->at[l];
    uint32_t *place = loop->parent == CN_NO_BLOCK ? &outer : &next[loop->parent];
    loop->place = *place;
    *place += loop->below;
    next[l] = loop->place + 1;
  }
  free(next);
}

void cn_loops_build(struct cn_loops *loops, const struct cn_cfg *cfg)
{
  uint32_t *in = cn_alloc(cfg->count * sizeof *in);

  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  CN_ASSERT(cfg->has_dominators);
  *loops = (struct cn_loops){.cfg = cfg};
  loops->at = cn_alloc(cfg->count * sizeof *loops->at);
  loops->of = cn_alloc(cfg->count * sizeof *loops->of);
  for (uint32_t i = 0; i < cfg->count; i++)
    loops->of[i] = CN_NO_BLOCK;
  for (uint32_t i = cfg->count; i-- > 0;)
    if (cfg->blocks[i].loop == i)
      add_loop(loops, i, in);
  number_nests(loops);
  free(in);
  CN_ASSERT_VALID(cn_loops_wrong(loops));
}

void cn_loops_free(struct cn_loops *loops)
{
  for (uint32_t l = 0; l < loops->count; l++)
    free(loops->at[l].blocks);
  free(loops->at);
  free(loops->of);
  *loops = (struct cn_loops){0};
}

/* Does `condition` compare an induction variable, maybe besides another test? */
static bool compares_count(const struct cn_loops *loops, uint32_t l, LLVMValueRef condition,
                           unsigned depth)
{
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(loops->cfg->function));
  LLVMOpcode opcode = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : 0;
  struct cn_induction iv;

  CN_ASSERT(l < loops->count);
  if (opcode == LLVMICmp)
    return cn_loops_induction(loops, l, layout, LLVMGetOperand(condition, 0), &iv) ||
           cn_loops_induction(loops, l, layout, LLVMGetOperand(condition, 1), &iv);
  if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMSelect &&
      opcode != LLVMFreeze)
    return false;
  for (int o = 0; depth && o < LLVMGetNumOperands(condition); o++)
    if (compares_count(loops, l, LLVMGetOperand(condition, (unsigned)o), depth - 1))
      return true;
  return false;
}

static bool counts_out(const struct cn_loops *loops, uint32_t l, uint32_t b)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loops->cfg->blocks[b].block);

  CN_ASSERT(l < loops->count);
  return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
         compares_count(loops, l, LLVMGetCondition(end), 4);
}

bool cn_loops_counts(const struct cn_loops *loops, uint32_t l)
{
  const struct cn_loop *loop = &loops->at[l];

  CN_ASSERT(l < loops->count);
  for (uint32_t i = 0; i < loop->count; i++) {
    const struct cn_block *block = &loops->cfg->blocks[loop->blocks[i]];
    for (uint32_t s = 0; s < block->succ_count; s++)
      if (!cn_loops_contain(loops, l, block->succs[s]) && counts_out(loops, l, loop->blocks[i]))
        return true;
  }
  return false;
}
