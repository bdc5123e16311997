/* SPDX-License-Identifier: Apache-2.0
 *
 * Unrolls loops to save polls: a loop without a trip count, such as a scan for a value, polls at its latch. An
 * innermost loop is unrolled if the poll would be a large part of a small iteration, and a phi of the header advances
 * by constants: each copy has its exits, and only the last copy polls (late-insertion-slides-2014, future work: "Inner
 * loop chunking"). Such a phi lets a copy start before the earlier copies end; the probe of a hash table lacks one, and
 * stays as it is. Part of pass `place-safepoints`.
 *
 *   head:  i = phi [start, outside], [i.next', latch']       head':  (i' is i.next)
 *          ...                                                       ...
 *   latch: i.next = i + 1                                    latch': i.next' = i.next + 1
 *          br (f(i.next)), head', exit                               br (f(i.next')), head, exit
 *                                                                    ^ the poll is put here
 *
 * Needs: struct cn_loops with costs for the choice, LCSSA form for the copies. Provides: struct cn_unrolled_loop, the
 * choice; the unrolled loop, with fewer polls. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/loop_forms.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"

/* This amount of work between two polls is thirty times the work of a poll. */
#define WORK_BETWEEN_POLLS 32
/* The least total work of an iteration and its copies. */
#define ENOUGH_UNROLLED_WORK 24
/* The most instructions in all copies together: for two copies, for more copies, and for all below -O3. */
#define MAX_INSTRUCTIONS_OF_TWO 256
#define MAX_UNROLLED_INSTRUCTIONS 96
#define MAX_INSTRUCTIONS_BELOW_O3 48
/* The most copies of a loop with a bound; each copy compares the counter plus a distance. */
#define MAX_COUNTED_LOOP_COPIES 4
/* The instructions that the processor starts during the latency of one instruction. */
#define ISSUE_WIDTH 4

/* ---- choice of loops ---- */

/* The cost of one instruction on a path through the loop. Instructions that become part of an address or a branch, and
 * values that the register allocator coalesces, are free. */
static uint32_t instruction_cost_of(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMTrunc:
  case LLVMFreeze:
  case LLVMBitCast:
  CN_CASE_BRANCH:
    return 0;
  case LLVMCall:
    return cn_classify_call(i).kind == CN_CALL_LEAF ? 2 : WORK_BETWEEN_POLLS;
  case LLVMSwitch:
    return 3;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
  case LLVMFDiv:
  case LLVMFRem:
    return WORK_BETWEEN_POLLS;
  default:
    return 1;
  }
}

static uint32_t latency_of(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    return 5;
  case LLVMMul:
    return 3;
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
    return 4;
  default:
    return instruction_cost_of(i);
  }
}

struct unroll_estimate {
  const struct cn_loops *loops;
  const struct cn_loop *loop;
  struct cn_ptrmap delays; /* value -> its latency from a phi of the header on, plus one */
};

/* The expected work of an iteration that stays in the loop, if all successors are equally likely. */
static uint32_t iteration_work_of(const struct unroll_estimate *j)
{
  const struct cn_loop *loop = j->loop;
  uint32_t l = j->loops->of[loop->header], first = loop->header, work = 0;
  uint32_t *often = cn_alloc((loop->blocks[loop->count - 1] - first + 1) * sizeof *often);

  CN_CHECK(l != CN_NO_BLOCK && loop == &j->loops->at[l]);
  often[0] = 256; /* frequencies in 1/256 */
  for (uint32_t n = 0; n < loop->count; n++) {
    uint32_t b = loop->blocks[n], inside = 0;
    const struct cn_cfg_block *block = &j->loops->cfg->blocks[b];
    CN_EACH_INSTRUCTION(i, block->block)
      work += often[b - first] * instruction_cost_of(i);
    for (uint32_t s = 0; s < block->succ_count; s++)
      inside += cn_loop_contains_block(j->loops, l, block->succs[s]);
    for (uint32_t s = 0; s < block->succ_count; s++)
      if (block->succs[s] > b && cn_loop_contains_block(j->loops, l, block->succs[s]))
        often[block->succs[s] - first] += often[b - first] / inside;
  }
  free(often);
  return work / 256;
}

static void compute_latencies_from(struct unroll_estimate *j, LLVMValueRef phi)
{
  /* The map has latencies plus one, so that 0 means independent of `phi`. */
  *cn_ptrmap_add(&j->delays, phi, NULL) = 1;
  for (uint32_t n = 0; n < j->loop->count; n++) {
    uint32_t b = j->loop->blocks[n];
    CN_EACH_INSTRUCTION(i, j->loops->cfg->blocks[b].block) {
      uint64_t most = 0;
      for (int k = 0; k < LLVMGetNumOperands(i) && !(b == j->loop->header && LLVMIsAPHINode(i)); k++) {
        const uint64_t *delay = cn_ptrmap_find(&j->delays, LLVMGetOperand(i, (unsigned)k));
        most = delay && *delay > most ? *delay : most;
      }
      if (most)
        *cn_ptrmap_add(&j->delays, i, NULL) = most + latency_of(i);
    }
  }
}

/* The least time of an iteration: the longest path of latencies from a phi of the header to its input from the
 * latch. */
static uint32_t iteration_latency_of(struct unroll_estimate *j)
{
  const struct cn_cfg *cfg = j->loops->cfg;
  uint32_t l = j->loops->of[j->loop->header];
  uint64_t most = 1;

  for (LLVMValueRef phi = LLVMGetFirstInstruction(cfg->blocks[j->loop->header].block); LLVMIsAPHINode(phi);
       phi = LLVMGetNextInstruction(phi)) {
    compute_latencies_from(j, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
      uint32_t from = cn_cfg_index_of(cfg, LLVMGetIncomingBlock(phi, k));
      const uint64_t *delay = cn_ptrmap_find(&j->delays, LLVMGetIncomingValue(phi, k));
      if (from != CN_NO_BLOCK && cn_loop_contains_block(j->loops, l, from) && delay && *delay > most)
        most = *delay;
    }
    cn_ptrmap_free(&j->delays);
  }
  return (uint32_t)(most - 1);
}

static bool is_constant_advance(LLVMValueRef value, LLVMValueRef phi)
{
  return LLVMIsAInstruction(value) && LLVMGetNumOperands(value) == 2 && LLVMGetOperand(value, 0) == phi &&
         LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
         (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMIsAGetElementPtrInst(value));
}

static bool advances_by_constants(const struct cn_loops *loops, uint32_t l, LLVMValueRef phi)
{
  bool all = true;

  for (unsigned k = 0; k < LLVMCountIncoming(phi) && all; k++) {
    uint32_t from = cn_cfg_index_of(loops->cfg, LLVMGetIncomingBlock(phi, k));
    if (from != CN_NO_BLOCK && cn_loop_contains_block(loops, l, from))
      all = is_constant_advance(LLVMGetIncomingValue(phi, k), phi);
  }
  return all;
}

/* True if a phi of the header advances only by constants, so that each copy can start before the loads and computations
 * of the earlier copies end. In a loop without such a phi, such as the probes of a hash table, copies save only polls,
 * and several exits are harder to predict than one. */
static bool has_constant_step(const struct cn_loops *loops, uint32_t l)
{
  LLVMValueRef phi = LLVMGetFirstInstruction(loops->cfg->blocks[loops->at[l].header].block);

  for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    if (advances_by_constants(loops, l, phi))
      return true;
  return false;
}

static bool is_index_of_address(LLVMValueRef value, unsigned depth)
{
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) != value)
      return true;
    if (depth && (LLVMIsAZExtInst(user) || LLVMIsASExtInst(user)) && is_index_of_address(user, depth - 1))
      return true;
  }
  return false;
}

/* True if a phi of the header, or its next value, is an index but advances by a computed distance: a probe of a hash
 * table, whose copies wait for each other even if the loop counts its steps, too. A phi that lags behind another is no
 * probe. */
static bool is_probe(const struct cn_loops *loops, uint32_t l)
{
  LLVMValueRef phi = LLVMGetFirstInstruction(loops->cfg->blocks[loops->at[l].header].block);

  for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind || advances_by_constants(loops, l, phi))
      continue;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
      LLVMValueRef next = LLVMGetIncomingValue(phi, k);
      if (!cn_is_defined_outside_loop(loops, l, next) && !LLVMIsAPHINode(next) &&
          (is_index_of_address(phi, 1) || is_index_of_address(next, 1)))
        return true;
    }
  }
  return false;
}

/* True if a poll is a large part of the work of an iteration, and the loop has at most `size` instructions. */
static bool is_worth_unrolling(const struct cn_loops *loops, uint32_t loop, uint32_t size, uint32_t *work)
{
  const struct cn_loop *l = &loops->at[loop];
  struct unroll_estimate j = {.loops = loops, .loop = l};

  if (l->inner || l->irreducible || cn_clone_size(loops, loop, size) > size || !has_constant_step(loops, loop) ||
      is_probe(loops, loop))
    return false;
  *work = iteration_work_of(&j);
  return *work < WORK_BETWEEN_POLLS && ISSUE_WIDTH * iteration_latency_of(&j) < *work + 2;
}

bool cn_unroll_loop_leaves_early(const struct cn_loops *loops, uint32_t loop)
{
  uint32_t work;

  return is_worth_unrolling(loops, loop, MAX_INSTRUCTIONS_OF_TWO / 2, &work) && loops->at[loop].exits > 1;
}

/* More copies need fewer polls, but more bytes, which are fewer below -O3. */
bool cn_unroll_is_worth(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, struct cn_unrolled_loop *out)
{
  bool fast = ctx->options->opt_level > 2;
  const struct cn_loop *l = &loops->at[loop];
  uint32_t work;

  if (!is_worth_unrolling(loops, loop, fast ? MAX_INSTRUCTIONS_OF_TWO / 2 : MAX_INSTRUCTIONS_BELOW_O3 / 2, &work))
    return false;
  uint32_t most = cn_loop_has_counting_exit(loops, loop) ? MAX_COUNTED_LOOP_COPIES : CN_UNROLL_MOST;
  uint32_t room = fast ? MAX_UNROLLED_INSTRUCTIONS : MAX_INSTRUCTIONS_BELOW_O3;
  uint32_t size = cn_clone_size(loops, loop, MAX_INSTRUCTIONS_OF_TWO / 2);
  out->times = 2;
  while (out->times < most && out->times * work < ENOUGH_UNROLLED_WORK && 2 * out->times * size <= room)
    out->times *= 2;
  CN_CHECK(out->times <= CN_UNROLL_MOST);
  out->count = l->count;
  out->blocks = cn_alloc(l->count * sizeof(LLVMBasicBlockRef));
  for (uint32_t b = 0; b < l->count; b++)
    out->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  return true;
}

/* ---- the copies ---- */

/* Give each phi of the header its value in the next copy: a phi of the values from the latches of `before`, which is
 * the preceding copy, or null for the loop itself. */
static void build_iteration_phis(const struct cn_unrolled_loop *u, const struct cn_clone *before,
                                 struct cn_clone *clone)
{
  LLVMBasicBlockRef header = u->blocks[0];

  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    LLVMPositionBuilderAtEnd(clone->builder, cn_clone_of_block(clone, header));
    LLVMValueRef next = cn_build_phi_like(clone->builder, phi, "again");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, k);
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
      if (!cn_clone_has(clone, from))
        continue;
      value = before ? cn_clone_of(before, value) : value;
      from = before ? cn_clone_of_block(before, from) : from;
      LLVMAddIncoming(next, &value, &from, 1);
    }
    CN_CHECK(LLVMCountIncoming(next));
    cn_clone_set_copy(clone, phi, next);
  }
}

/* Redirect the back edges of `clone`, or of the loop itself if null, to block `to`. */
static void redirect_back_edges(const struct cn_unrolled_loop *u, const struct cn_clone *clone, LLVMBasicBlockRef to)
{
  unsigned kind = LLVMGetMDKindIDInContext(LLVMGetValueContext(LLVMBasicBlockAsValue(to)), "llvm.loop", 9);
  LLVMBasicBlockRef own = clone ? cn_clone_of_block(clone, u->blocks[0]) : u->blocks[0];

  for (uint32_t b = 0; b < u->count; b++) {
    LLVMBasicBlockRef block = clone ? cn_clone_of_block(clone, u->blocks[b]) : u->blocks[b];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
      if (LLVMGetSuccessor(end, s) == own) {
        LLVMSetSuccessor(end, s, to);
        if (to != u->blocks[0])
          LLVMSetMetadata(end, kind, NULL);
      }
  }
}

static LLVMValueRef build_phi_of_last_copy(const struct cn_clone *last, LLVMValueRef phi)
{
  LLVMPositionBuilderBeforeInstrAndDbgRecords(last->builder, phi);
  LLVMValueRef fresh = cn_build_phi_like(last->builder, phi, "");

  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, k);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
    if (cn_clone_has(last, from)) {
      value = cn_clone_of(last, value);
      from = cn_clone_of_block(last, from);
    }
    LLVMAddIncoming(fresh, &value, &from, 1);
  }
  return fresh;
}

/* Compute the value of `phi` in the k-th copy as the old phi plus a multiple of the step, so that copies are
 * independent and addresses can contain the constant distance. */
static void compute_advance_from_phi(const struct cn_clone *clone, uint32_t k, LLVMValueRef phi)
{
  LLVMValueRef next = NULL;

  CN_CHECK(k && k < CN_UNROLL_MOST);
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    if (!cn_clone_has(clone, LLVMGetIncomingBlock(phi, i)))
      continue;
    if (next && next != LLVMGetIncomingValue(phi, i))
      return;
    next = LLVMGetIncomingValue(phi, i);
  }
  if (!next || !LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2 || LLVMGetOperand(next, 0) != phi ||
      (LLVMGetInstructionOpcode(next) != LLVMAdd && !LLVMIsAGetElementPtrInst(next)))
    return;
  LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(next, 1)), copy = cn_clone_of(clone, next);
  if (!by || copy == next || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64)
    return;
  int64_t step = LLVMConstIntGetSExtValue(by), most = CN_UNROLL_MOST;
  int64_t limit = INT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(by)) - 1) / 2;
  if (step <= limit / most && step >= -limit / most) {
    LLVMSetOperand(copy, 0, phi);
    LLVMSetOperand(copy, 1, LLVMConstInt(LLVMTypeOf(by), (uint64_t)(step * (k + 1)), true));
  }
}

/* Remove phis with one input: all phis between two copies if the loop has a single latch. */
static void fold_single_input_phis(const struct cn_clone *clone, LLVMBasicBlockRef header)
{
  LLVMValueRef phi = LLVMGetFirstInstruction(cn_clone_of_block(clone, header)), next;

  for (; LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    if (LLVMCountIncoming(phi) != 1)
      continue;
    LLVMReplaceAllUsesWith(phi, LLVMGetIncomingValue(phi, 0));
    LLVMInstructionEraseFromParent(phi);
  }
}

static uint32_t count_exits(const struct cn_unrolled_loop *u, const struct cn_clone *clone)
{
  uint32_t exits = 0;

  for (uint32_t b = 0; b < u->count; b++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(u->blocks[b]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
      exits += !cn_clone_has(clone, LLVMGetSuccessor(end, s));
  }
  return exits;
}

static bool declares_scope(LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block)
    if (cn_calls_intrinsic(i, "llvm.experimental.noalias.scope.decl"))
      return true;
  return false;
}

void cn_loop_drop_noalias_scopes(const LLVMBasicBlockRef *blocks, uint32_t count)
{
  LLVMContextRef llvm = LLVMGetValueContext(LLVMBasicBlockAsValue(blocks[0]));
  unsigned scope = LLVMGetMDKindIDInContext(llvm, "alias.scope", 11);
  unsigned noalias = LLVMGetMDKindIDInContext(llvm, "noalias", 7);
  bool any = false;

  for (uint32_t b = 0; b < count; b++)
    any |= declares_scope(blocks[b]);
  for (uint32_t b = 0; any && b < count; b++)
    CN_EACH_INSTRUCTION(i, blocks[b]) {
      LLVMSetMetadata(i, scope, NULL);
      LLVMSetMetadata(i, noalias, NULL);
    }
}

void cn_unroll_loop(struct cn_ctx *ctx, const struct cn_unrolled_loop *u)
{
  struct cn_clone clones[CN_UNROLL_MOST - 1];
  uint32_t count = u->times - 1;
  LLVMBasicBlockRef after = u->blocks[u->count - 1];

  CN_CHECK(u->count && u->times >= 2 && u->times <= CN_UNROLL_MOST);
  const struct cn_step_loop_claim is = {.header = u->blocks[0], .blocks = u->count};
  cn_step_check_before(ctx, LLVMGetBasicBlockParent(u->blocks[0]), "unrolling", &is, 1);
  cn_loop_drop_noalias_scopes(u->blocks, u->count);
  for (uint32_t k = 0; k < count; k++) {
    cn_clone_begin(&clones[k], ctx, u->blocks, u->count, u->blocks[0]);
    build_iteration_phis(u, k ? &clones[k - 1] : NULL, &clones[k]);
    cn_clone_fill(&clones[k]);
    for (uint32_t b = 0; b < u->count; b++) {
      LLVMBasicBlockRef copy = cn_clone_of_block(&clones[k], u->blocks[b]);
      LLVMMoveBasicBlockAfter(copy, after);
      after = copy;
    }
  }
  uint32_t exits = count_exits(u, &clones[0]);
  for (uint32_t k = 0; k < count; k++)
    redirect_back_edges(u, k ? &clones[k - 1] : NULL, cn_clone_of_block(&clones[k], u->blocks[0]));
  redirect_back_edges(u, &clones[count - 1], u->blocks[0]);
  for (LLVMValueRef phi = LLVMGetFirstInstruction(u->blocks[0]); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    for (uint32_t k = 0; k < count; k++)
      compute_advance_from_phi(&clones[k], k + 1, phi);
  cn_clone_replace_phis(&clones[count - 1], u->blocks[0], build_phi_of_last_copy);
  for (uint32_t k = 0; k < count; k++)
    fold_single_input_phis(&clones[k], u->blocks[0]);
  const struct cn_step_loop_claim made = {
      .header = u->blocks[0], .blocks = u->times * u->count, .exits = u->times * exits};
  cn_step_check_after(ctx, LLVMGetBasicBlockParent(u->blocks[0]), "unrolling", &made, 1);
  for (uint32_t k = 0; k < count; k++)
    cn_clone_end(&clones[k]);
}
