/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounded time to a safepoint (docs/architecture.md, invariant 5; statepoints-later,
 * "PlaceSafepoints"). Needs: struct cn_cfg. Provides: loop-without-poll. Breaks: nothing.
 *
 * Every cycle of blocks must have a statepoint on it, unless it closes by the back edge of a loop
 * that provably does little work, or that place-safepoints has bounded: the same judgement as
 * there. What is left when those edges and the blocks with statepoints are taken away must be a
 * graph without a cycle.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/calls.h"
#include "compile/loops.h"
#include "compile/names.h"
#include "compile/verify.h"

/* Findings per function. */
#define REPORT_LIMIT 10

struct walk {
  struct cn_verifier *v;
  struct cn_loops loops;
  uint8_t *state; /* per block: 0 not seen, 1 on the stack, 2 done or with a statepoint */
  struct step {
    uint32_t block, next; /* number of the successor to look at next */
  } *stack;
  uint32_t depth;
  unsigned reports;
};

static bool has_statepoint(LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (cn_classify_call(i).kind == CN_CALL_STATEPOINT)
      return true;
  return false;
}

/* A flag that somebody else sets: read anew each time, or at a place that does not depend on the
 * program's data. */
static bool reads_flag(LLVMValueRef load)
{
  LLVMValueRef at = LLVMGetOperand(load, 0);

  if (LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
    return true;
  while (LLVMIsAGetElementPtrInst(at))
    at = LLVMGetOperand(at, 0);
  return LLVMIsConstant(at) ||
         (LLVMIsACallInst(at) && cn_calls_intrinsic(at, "llvm.threadlocal.address"));
}

/* A poll: a branch on a flag that was read in the block, one way of which has a statepoint. */
static bool is_poll(const struct cn_cfg *cfg, uint32_t b, const uint8_t *stops)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);

  if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
      (!stops[cfg->blocks[b].succs[0]] && !stops[cfg->blocks[b].succs[1]]))
    return false;
  LLVMValueRef from = LLVMGetCondition(end);
  for (int depth = 0; depth < 4 && LLVMIsAInstruction(from) && !LLVMIsALoadInst(from); depth++)
    from = LLVMGetNumOperands(from) && !cn_is_call(from) ? LLVMGetOperand(from, 0) : end;
  if (LLVMIsACallInst(from) && LLVMIsAInlineAsm(LLVMGetCalledValue(from)))
    return true; /* the stack pointer's comparison with its limit (poll.c) */
  return LLVMIsALoadInst(from) && LLVMGetInstructionParent(from) == cfg->blocks[b].block &&
         reads_flag(from);
}

static bool is_marked_bounded(const struct cn_verifier *v, uint32_t b)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(v->cfg.blocks[b].block);
  unsigned kind = LLVMGetMDKindIDInContext(v->ctx->llvm, CN_BOUNDED, sizeof CN_BOUNDED - 1);

  return LLVMGetMetadata(end, kind) != NULL;
}

/* Does a loop that closes by this edge run for a short time only? */
static bool is_short(const struct walk *walk, uint32_t from, uint32_t to)
{
  const struct cn_cfg *cfg = &walk->v->cfg;

  if (!cn_cfg_retreats(from, to) || !cn_cfg_dominates(cfg, to, from))
    return false;
  return walk->loops.at[walk->loops.of[to]].work <= CN_SMALL_WORK ||
         is_marked_bounded(walk->v, from);
}

/* The cycle is what is on the stack from `to` on. */
static void report(struct walk *walk, uint32_t to)
{
  const struct cn_cfg *cfg = &walk->v->cfg;
  LLVMBasicBlockRef *blocks = cn_alloc((walk->depth + 1) * sizeof *blocks);
  struct cn_finding finding = {.value = LLVMBasicBlockAsValue(cfg->blocks[to].block)};
  uint32_t first = 0;
  char name[120];

  while (walk->stack[first].block != to)
    first++;
  for (uint32_t s = first; s < walk->depth; s++)
    blocks[finding.path_count++] = cfg->blocks[walk->stack[s].block].block;
  blocks[finding.path_count++] = cfg->blocks[to].block;
  finding.path = blocks;
  LLVMBasicBlockRef latch = cfg->blocks[walk->stack[walk->depth - 1].block].block;
  cn_error_finding(walk->v->ctx, LLVMGetBasicBlockTerminator(latch), "loop-without-poll", &finding,
                   "the loop at %s can run for long without a safepoint",
                   cn_value_name(finding.value, name, sizeof name));
  walk->reports++;
  free(blocks);
}

static void push(struct walk *walk, uint32_t b)
{
  walk->state[b] = 1;
  walk->stack[walk->depth++] = (struct step){b, 0};
}

/* Depth first from `b`. */
static void visit(struct walk *walk, uint32_t b)
{
  push(walk, b);
  while (walk->depth) {
    struct step *top = &walk->stack[walk->depth - 1];
    const struct cn_block *block = &walk->v->cfg.blocks[top->block];
    if (top->next == block->succ_count) {
      walk->state[top->block] = 2;
      walk->depth--;
      continue;
    }
    uint32_t to = block->succs[top->next++];
    if (walk->state[to] == 2 || is_short(walk, top->block, to))
      continue;
    if (walk->state[to] == 0)
      push(walk, to);
    else if (walk->reports < REPORT_LIMIT)
      report(walk, to);
  }
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
  return LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, name, (unsigned)strlen(name)) !=
         NULL;
}

void cn_verify_polls(struct cn_verifier *v)
{
  struct walk walk = {.v = v};

  if (has_attribute(v->function, "cairn-nopoll") || has_attribute(v->function, "gc-leaf-function"))
    return;
  cn_loops_find(&walk.loops, &v->cfg);
  walk.state = cn_alloc(v->cfg.count * sizeof *walk.state);
  walk.stack = cn_alloc(v->cfg.count * sizeof *walk.stack);
  uint8_t *stops = cn_alloc(v->cfg.count);
  for (uint32_t b = 0; b < v->cfg.count; b++)
    stops[b] = has_statepoint(v->cfg.blocks[b].block);
  for (uint32_t b = 0; b < v->cfg.count; b++)
    walk.state[b] = stops[b] || is_poll(&v->cfg, b, stops) ? 2 : 0;
  for (uint32_t b = 0; b < v->cfg.count; b++)
    if (walk.state[b] == 0)
      visit(&walk, b);
  free(stops);
  free(walk.state);
  free(walk.stack);
  cn_loops_free(&walk.loops);
}
