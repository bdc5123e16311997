/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps conditional moves in loops with polls. Part of pass `place-safepoints`. LLVM's code generator turns conditional
 * moves that delay the next iteration of a loop into branches. By mistake the code generator also turns a move before a
 * poll's block into a branch: a search for the nearest of many points would then predict a branch at each point. A
 * select that only remembers a value over the iterations causes no delay, so this step marks it.
 *
 *   head:  best = phi [start, outside], [best', latch]
 *          best' = select closer, here, best              <- "unpredictable": remains a select
 *   latch: poll; br head, exit
 *
 * Needs: struct cn_loops; the sites of polls, before the polls are emitted. Provides: metadata "unpredictable" on these
 * selects of innermost loops. Breaks: nothing.
 */
#include "compile/place/poll.h"
#include "compile/core/each.h"

/* The user of `value` within loop `l` if there is exactly one; else null. */
static LLVMValueRef only_user(const struct cn_loops *loops, uint32_t l, LLVMValueRef value)
{
  LLVMValueRef only = NULL;

  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    uint32_t b = cn_cfg_index_of(loops->cfg, LLVMGetInstructionParent(user));
    if (b == CN_NO_BLOCK || !cn_loop_contains_block(loops, l, b))
      continue;
    if (only && user != only)
      return NULL;
    only = user;
  }
  return only;
}

/* The select between `value` and another value, if it is the only use of `value` in the loop. An unrolled loop has a
 * chain of selects, one for each copy. */
static LLVMValueRef next_select(const struct cn_loops *loops, uint32_t l, LLVMValueRef value)
{
  LLVMValueRef user = only_user(loops, l, value);

  return user && LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) != value ? user : NULL;
}

static void keep_select(struct cn_ctx *ctx, LLVMValueRef select)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, "unpredictable", sizeof "unpredictable" - 1);
  CN_CHECK(LLVMIsASelectInst(select));
  LLVMMetadataRef empty = LLVMMDNodeInContext2(ctx->llvm, NULL, 0);

  LLVMSetMetadata(select, kind, LLVMMetadataAsValue(ctx->llvm, empty));
}

/* Mark the selects on the chain from a header's `phi` to its value in the next iteration, if the loop has no other use
 * of them. */
static void keep_select_chain(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t l, LLVMValueRef phi)
{
  LLVMValueRef last = phi;

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (LLVMValueRef s = next_select(loops, l, phi); s; s = next_select(loops, l, s))
    last = s;
  if (last == phi || only_user(loops, l, last) != phi)
    return;
  for (LLVMValueRef s = next_select(loops, l, phi); s; s = next_select(loops, l, s))
    keep_select(ctx, s);
}

void cn_selects_keep(struct cn_ctx *ctx, const struct cn_loops *loops, const struct cn_poll_sites *sites)
{
  for (size_t i = 0; i < sites->list.count; i++) {
    LLVMBasicBlockRef polled = LLVMGetInstructionParent(sites->list.at[i]);
    uint32_t b = cn_cfg_index_of(loops->cfg, polled);
    CN_CHECK(b != CN_NO_BLOCK);
    uint32_t l = loops->of[b];
    if (l == CN_NO_BLOCK || loops->at[l].inner)
      continue;
    LLVMBasicBlockRef header = loops->cfg->blocks[loops->at[l].header].block;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
      keep_select_chain(ctx, loops, l, phi);
  }
}
