/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the place for a poll in a block that disturbs the surrounding code least, at an entry, a latch or a block's
 * end, outside safepoint-free intervals; keeps the list of these places. Part of pass `place-safepoints`.
 *
 * Needs: struct cn_cfg. Provides: struct cn_poll_sites, the places for polls of a function. Breaks: nothing; may move a
 * comparison within its block.
 */
#include "compile/place/poll.h"

#include <stdlib.h>
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"

enum { MAX_CONDITION_DEPTH = 8 };

/* Move `value`, and the comparisons, logic and selects that only `value` uses, to the place before `before`. Returns
 * the first moved instruction, or `before` if all stay. */
static LLVMValueRef sink_condition(struct cn_ctx *ctx, LLVMValueRef value, LLVMValueRef before, int depth)
{
  LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMCall;
  bool compare = opcode == LLVMICmp || opcode == LLVMFCmp;
  bool joins =
      opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor || opcode == LLVMSelect || opcode == LLVMFreeze;

  if ((!compare && !joins) || depth == 0 || LLVMGetInstructionParent(value) != LLVMGetInstructionParent(before) ||
      LLVMGetNextUse(LLVMGetFirstUse(value)))
    return before;
  CN_ASSERT(LLVMGetUser(LLVMGetFirstUse(value)) != value);
  cn_move_instruction_before(ctx, value, before);
  before = value;
  for (int k = 0; joins && k < LLVMGetNumOperands(value); k++)
    before = sink_condition(ctx, LLVMGetOperand(value, (unsigned)k), before, depth - 1);
  return before;
}

/* The place of a poll at the end of a block: before the terminator, and before the comparisons that only the terminator
 * uses. The code generator can then still fuse each comparison with its branch. */
LLVMValueRef cn_poll_site_at_end(struct cn_ctx *ctx, LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  CN_CHECK(end);
  if (!cn_is_branch(end) || !LLVMIsConditional(end))
    return end;
  return sink_condition(ctx, LLVMGetCondition(end), end, MAX_CONDITION_DEPTH);
}

static bool is_mutator(LLVMValueRef global)
{
  size_t length;

  return LLVMIsAGlobalVariable(global) && strcmp(LLVMGetValueName2(global, &length), CN_MUTATOR) == 0;
}

/* True if `i` is the address of the thread's struct cairn_mutator; this instruction begins an in-line allocation. A
 * poll before the end of the allocation would leave it with a stale allocation pointer. */
static bool is_mutator_address(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.threadlocal.address") && is_mutator(LLVMGetOperand(i, 0));
}

/* The place of a poll in a block that ends in a retreating edge: at the block's start, so that the code generator sees
 * the block's computations together. Null for a block with a catchswitch, which has no place. */
LLVMValueRef cn_poll_site_at_latch(struct cn_ctx *ctx, LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  CN_CHECK(first);
  if (LLVMIsACatchSwitchInst(first))
    return NULL;
  if (LLVMIsALandingPadInst(first) || LLVMIsAFuncletPadInst(first) || LLVMIsATerminatorInst(first))
    return cn_poll_site_at_end(ctx, block);
  return first;
}

/* True if the entry poll must come before `i`: a collection must not separate effects that an observer can order; a
 * volatile access may be half of a pair that must stay together; and an integer made of a reference must not be live
 * over the poll. */
static bool must_precede(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAlloca:
    return false;
  case LLVMLoad:
    return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
    return true;
  case LLVMCall: {
    LLVMValueRef callee = cn_direct_callee(i);
    return is_mutator_address(i) || !callee || !LLVMGetIntrinsicID(callee) ||
           !cn_calls_has_attribute(i, "willreturn") || !cn_calls_has_attribute(i, "nocallback");
  }
  default:
    return LLVMIsATerminatorInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           LLVMIsAFenceInst(i) || LLVMIsAVAArgInst(i);
  }
}

/* The place of the entry poll: as late as possible in the code before the first branch, so that early code runs without
 * a poll. The allocas of the entry block before `need` come before the poll, because an alloca after the poll would
 * become dynamic. */
LLVMValueRef cn_poll_site_at_entry(struct cn_ctx *ctx, const struct cn_cfg *cfg, LLVMValueRef need)
{
  CN_CHECK(cfg->count);
  CN_ASSERT(cfg->blocks[0].pred_count == 0);
  uint32_t b = 0;
  LLVMValueRef site = LLVMGetFirstInstruction(cfg->blocks[0].block);

  for (LLVMValueRef i = site; i && i != need; i = LLVMGetNextInstruction(i))
    if (LLVMIsAAllocaInst(i))
      site = LLVMGetNextInstruction(i);
  for (;;) {
    while (site != need && !must_precede(site))
      site = LLVMGetNextInstruction(site);
    const struct cn_cfg_block *block = &cfg->blocks[b];
    bool straight =
        site != need && cn_is_branch(site) && block->succ_count == 1 && cfg->blocks[block->succs[0]].pred_count == 1;
    if (!straight)
      break;
    b = block->succs[0];
    site = LLVMGetFirstInstruction(cfg->blocks[b].block);
  }
  return LLVMIsATerminatorInst(site) ? cn_poll_site_at_end(ctx, cfg->blocks[b].block) : site;
}

/* ---- integers made of references ---- */

static bool is_address_of_reference(LLVMValueRef i)
{
  return cn_is_pointer_to_integer_cast(i) && cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0)));
}

static bool is_used_in_other_block(LLVMValueRef i)
{
  CN_EACH_USE(use, i)
    if (LLVMGetInstructionParent(LLVMGetUser(use)) != LLVMGetInstructionParent(i))
      return true;
  return false;
}

bool cn_poll_site_has_roaming_address(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (is_address_of_reference(i) && is_used_in_other_block(i))
        return true;
  return false;
}

bool cn_poll_site_is_plain_block(LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block)
    if (is_address_of_reference(i) || cn_calls_intrinsic(i, "llvm.threadlocal.address"))
      return false;
  return true;
}

/* ---- the sites of one function ---- */

void cn_poll_sites_begin(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg)
{
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  *sites = (struct cn_poll_sites){.cfg = cfg, .reason = "polls", .open = cn_nopoll_compute_depths(ctx, cfg)};
}

void cn_poll_sites_free(struct cn_poll_sites *sites)
{
  cn_free(&sites->list);
  cn_ptrmap_free(&sites->seen);
  cn_ptrmap_free(&sites->reasons);
  free(sites->open);
}

static bool is_in_nopoll_region(const struct cn_poll_sites *sites, LLVMValueRef at)
{
  uint32_t b = sites->open ? cn_cfg_index_of(sites->cfg, LLVMGetInstructionParent(at)) : CN_NO_BLOCK;

  return b != CN_NO_BLOCK && cn_nopoll_depth_before(at, sites->open[b]) != 0;
}

void cn_poll_sites_add(struct cn_poll_sites *sites, LLVMValueRef at)
{
  bool fresh = false, first;

  CN_CHECK((!at || !LLVMIsAPHINode(at)) && sites->reason);
  CN_ASSERT(!at || cn_cfg_index_of(sites->cfg, LLVMGetInstructionParent(at)) != CN_NO_BLOCK);
  if (at && !is_in_nopoll_region(sites, at))
    cn_ptrmap_add(&sites->seen, at, &fresh);
  if (!fresh)
    return;
  cn_push(&sites->list, at);
  *cn_ptrmap_add(&sites->reasons, at, &first) = (uintptr_t)sites->reason;
}

const char *cn_poll_sites_reason_of(const struct cn_poll_sites *sites, LLVMValueRef at)
{
  const uint64_t *reason = cn_ptrmap_find(&sites->reasons, at);

  CN_CHECK(reason && *reason);
  return (const char *)(uintptr_t)*reason;
}

void cn_poll_sites_add_rare(struct cn_poll_sites *sites, LLVMValueRef at)
{
  size_t before = sites->list.count;

  cn_poll_sites_add(sites, at);
  if (sites->list.count > before)
    *cn_ptrmap_find(&sites->seen, at) = CN_POLL_FORM_STUB_CALL;
}

const char *cn_poll_sites_wrong(const struct cn_poll_sites *sites)
{
  struct cn_ptrmap once = {0};
  const char *wrong = NULL;

  for (size_t i = 0; i < sites->list.count && !wrong; i++) {
    LLVMValueRef at = sites->list.at[i];
    bool fresh;
    cn_ptrmap_add(&once, at, &fresh);
    if (!fresh || !cn_ptrmap_find(&sites->seen, at))
      wrong = "poll sites: one is listed twice, or not as seen";
    else if (cn_cfg_index_of(sites->cfg, LLVMGetInstructionParent(at)) == CN_NO_BLOCK)
      wrong = "poll sites: one is in no reachable block of the function";
    else if (LLVMIsAPHINode(at) || LLVMIsALandingPadInst(at))
      wrong = "poll sites: a poll cannot come before one";
    else if (is_in_nopoll_region(sites, at))
      wrong = "poll sites: one lies in a region without safepoints";
  }
  cn_ptrmap_free(&once);
  return wrong;
}

/* The place for a poll in block `b` outside safepoint-free intervals; null if the block lacks such a place. */
static LLVMValueRef site_outside_regions(const struct cn_poll_sites *sites, struct cn_ctx *ctx,
                                         const struct cn_cfg *cfg, uint32_t b)
{
  LLVMValueRef site = cn_poll_site_at_latch(ctx, cfg->blocks[b].block);

  if (!sites->open || !site)
    return site;
  return cn_nopoll_find_outside(site, cn_nopoll_depth_before(site, sites->open[b]));
}

/* Add sites in the predecessors of `b`. If a catchswitch or a safepoint-free interval leaves a predecessor without a
 * place, add sites in the predecessors of that block instead. */
static void add_sites_in_predecessors(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg,
                                      uint32_t b)
{
  bool fresh;

  cn_ptrmap_add(&sites->seen, cfg->blocks[b].block, &fresh);
  for (uint32_t p = 0; fresh && p < cfg->blocks[b].pred_count; p++) {
    uint32_t from = cfg->blocks[b].preds[p];
    LLVMValueRef site = site_outside_regions(sites, ctx, cfg, from);
    cn_poll_sites_add(sites, site);
    if (!site)
      add_sites_in_predecessors(sites, ctx, cfg, from);
  }
}

static void add_sites_after_regions(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_loops *loops,
                                    uint32_t to, bool natural)
{
  const struct cn_cfg *cfg = loops->cfg;

  CN_CHECK(sites->open && (!natural || loops->of[to] != CN_NO_BLOCK));
  for (uint32_t b = 0; b < cfg->count; b++)
    if (sites->open[b] && (!natural || cn_loop_contains_block(loops, loops->of[to], b)))
      cn_poll_sites_add(sites, site_outside_regions(sites, ctx, cfg, b));
}

/* The nearest place for a poll in a dominator of latch `b`, up to header `to`; each iteration of the loop runs all
 * these blocks. */
static LLVMValueRef site_on_each_iteration(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg,
                                           uint32_t to, uint32_t b)
{
  for (;;) {
    LLVMValueRef site = site_outside_regions(sites, ctx, cfg, b);
    if (site || b == to || !cn_cfg_dominates(cfg, to, b))
      return site;
    b = cfg->blocks[b].idom;
  }
}

void cn_poll_sites_add_latch(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t b)
{
  const struct cn_cfg *cfg = loops->cfg;
  CN_CHECK(sites->cfg == cfg && b < cfg->count);
  LLVMValueRef site = site_outside_regions(sites, ctx, cfg, b);

  cn_poll_sites_add(sites, site);
  for (uint32_t s = 0; !site && s < cfg->blocks[b].succ_count; s++) {
    uint32_t to = cfg->blocks[b].succs[s];
    if (!cn_cfg_is_retreating_edge(b, to))
      continue;
    LLVMValueRef earlier = site_on_each_iteration(sites, ctx, cfg, to, b);
    cn_poll_sites_add(sites, earlier);
    if (!earlier && sites->open)
      add_sites_after_regions(sites, ctx, loops, to, cn_cfg_dominates(cfg, to, b));
    if (!earlier && !cn_poll_site_at_latch(ctx, cfg->blocks[b].block))
      add_sites_in_predecessors(sites, ctx, cfg, b);
  }
}
