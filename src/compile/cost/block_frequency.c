/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates from branch weights how often blocks run. Part of pass `place-safepoints`.
 *
 * Needs: struct cn_loops. Provides: cn_find_block_frequencies(), which compares blocks outside loops;
 * cn_find_rare_blocks(). Breaks: nothing.
 *
 * One walk in reverse post-order computes the frequencies. Every run that enters a loop also leaves it. So an edge out
 * of a loop gets its share of the runs that leave the loop from the edge's block, rather than of all iterations.
 */
#include "compile/cost/cost.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"

/* The weights of edges without metadata: an ordinary edge, and an edge to an abort. */
#define DEFAULT_EDGE_WEIGHT 1024
#define COLD_EDGE_WEIGHT 1
/* An edge is rare if its part of the weights is at most one in RARE_EDGE_FACTOR. */
#define RARE_EDGE_FACTOR 1000

static bool is_cold_block(LLVMBasicBlockRef block)
{
  if (LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(block)))
    return true;
  CN_EACH_INSTRUCTION(i, block)
    if (cn_is_call(i) && cn_calls_has_attribute(i, "cold"))
      return true;
  return false;
}

/* Read the branch weights of the terminator's metadata, in the order of the successors. */
static bool read_branch_weights(LLVMValueRef end, uint64_t *weights, unsigned count)
{
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(end));
  LLVMValueRef node = LLVMGetMetadata(end, LLVMGetMDKindIDInContext(llvm, "prof", 4));
  unsigned operands = node ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0, length = 0;
  LLVMValueRef *at = cn_alloc((operands + 1) * sizeof *at);
  uint64_t sum = 0;

  if (operands)
    LLVMGetMDNodeOperands(node, at);
  const char *kind = operands && at[0] ? LLVMGetMDString(at[0], &length) : NULL;
  bool ok = kind && length == 14 && memcmp(kind, "branch_weights", 14) == 0 && operands > count;
  for (unsigned s = 0; ok && s < count; s++) {
    LLVMValueRef number = at[operands - count + s];
    ok = number && LLVMIsAConstantInt(number) && LLVMGetIntTypeWidth(LLVMTypeOf(number)) <= 64;
    weights[s] = ok ? LLVMConstIntGetZExtValue(number) : 0;
    ok = weights[s] <= UINT32_MAX;
    sum += weights[s];
  }
  free(at);
  return ok && sum > 0;
}

static void find_branch_weights(LLVMValueRef end, uint64_t *weights, unsigned count)
{
  if (read_branch_weights(end, weights, count))
    return;
  for (unsigned s = 0; s < count; s++)
    weights[s] = is_cold_block(LLVMGetSuccessor(end, s)) ? COLD_EDGE_WEIGHT : DEFAULT_EDGE_WEIGHT;
  if (LLVMIsAInvokeInst(end)) /* exceptions are rare */
    weights[1] = COLD_EDGE_WEIGHT;
}

struct frequency_spread {
  const struct cn_loops *loops;
  uint32_t *outermost; /* per loop: the outermost loop around it */
  uint64_t *often;
};

static bool leaves_outermost_loop(const struct frequency_spread *s, uint32_t from, uint32_t to)
{
  uint32_t l = s->loops->of[from];

  return l != CN_NO_BLOCK && !cn_loop_contains_block(s->loops, s->outermost[l], to);
}

/* The part weight/sum of `often`. The result is rounded up, so that parts that meet again add up to at least `often`.
 */
static uint64_t share_by_weight(uint64_t often, uint64_t weight, uint64_t sum)
{
  CN_CHECK(sum > 0 && weight <= sum);
  return (uint64_t)(((unsigned __int128)often * weight + sum - 1) / sum);
}

static void spread_to_successors(const struct frequency_spread *spreading, uint32_t b)
{
  const struct cn_cfg *cfg = spreading->loops->cfg;
  uint64_t *often = spreading->often;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
  unsigned count = LLVMGetNumSuccessors(end);
  uint64_t *weights = cn_alloc(count * sizeof *weights), out = 0, in = 0;

  find_branch_weights(end, weights, count);
  for (unsigned s = 0; s < count; s++) {
    uint32_t to = cn_cfg_index_of(cfg, LLVMGetSuccessor(end, s));
    CN_ASSERT(to != CN_NO_BLOCK); /* a successor of a reachable block */
    *(leaves_outermost_loop(spreading, b, to) ? &out : &in) += weights[s];
  }
  for (unsigned s = 0; s < count; s++) {
    uint32_t to = cn_cfg_index_of(cfg, LLVMGetSuccessor(end, s));
    uint64_t sum = leaves_outermost_loop(spreading, b, to) ? out : in;
    if (cn_cfg_is_retreating_edge(b, to) || !sum)
      continue;
    often[to] += share_by_weight(often[b], weights[s], sum);
    often[to] = often[to] > CN_ALWAYS ? CN_ALWAYS : often[to];
  }
  free(weights);
}

void cn_find_block_frequencies(const struct cn_loops *loops, uint64_t *often)
{
  struct frequency_spread s = {.loops = loops, .often = often};

  s.outermost = cn_alloc(loops->count * sizeof *s.outermost);
  for (uint32_t l = loops->count; l-- > 0;)
    s.outermost[l] = loops->at[l].parent == CN_NO_BLOCK ? l : s.outermost[loops->at[l].parent];
  for (uint32_t b = 0; b < loops->cfg->count; b++)
    often[b] = b == 0 ? CN_ALWAYS : 0;
  for (uint32_t b = 0; b < loops->cfg->count; b++)
    spread_to_successors(&s, b);
  free(s.outermost);
}

/* Clear `rare` for the successors of block `b`. A successor in the same loop stays rare if `b` is rare, or if the edges
 * to the successor have a tiny part of the weights, or zero. `sums` is all zero before and after the call. */
static void clear_rare_of_successors(const struct cn_loops *loops, uint32_t b, uint64_t *sums, bool *rare)
{
  const struct cn_cfg_block *block = &loops->cfg->blocks[b];
  uint64_t *weights = cn_alloc(block->succ_count * sizeof *weights), all = 0;

  find_branch_weights(LLVMGetBasicBlockTerminator(block->block), weights, block->succ_count);
  for (uint32_t s = 0; s < block->succ_count; s++) {
    all += weights[s];
    sums[block->succs[s]] += weights[s];
  }
  for (uint32_t s = 0; s < block->succ_count; s++) {
    uint32_t to = block->succs[s];
    rare[to] &= loops->of[b] == loops->of[to] && (rare[b] || sums[to] <= all / RARE_EDGE_FACTOR);
  }
  for (uint32_t s = 0; s < block->succ_count; s++)
    sums[block->succs[s]] = 0;
  free(weights);
}

/* A block that a retreating edge enters is never rare. */
void cn_find_rare_blocks(const struct cn_loops *loops, bool *rare)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint64_t *sums = cn_alloc(cfg->count * sizeof *sums);

  for (uint32_t b = 0; b < cfg->count; b++) {
    rare[b] = b != 0;
    for (uint32_t p = 0; p < cfg->blocks[b].pred_count; p++)
      rare[b] &= !cn_cfg_is_retreating_edge(cfg->blocks[b].preds[p], b);
  }
  for (uint32_t b = 0; b < cfg->count; b++)
    clear_rare_of_successors(loops, b, sums, rare);
  free(sums);
}
