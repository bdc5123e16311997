/* SPDX-License-Identifier: Apache-2.0
 *
 * What a loop that is to be copied computes for the code behind it: stored to a local of its own
 * where it is computed and loaded where it is used, so that it does not matter which copy computed
 * it. LLVM's mem2reg then turns the locals into phis. Part of pass `place-safepoints`.
 *
 * Needs: nothing. Provides: locals, and no locals afterwards. Breaks: nothing of the control flow.
 */
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/vector.h"
#include "compile/clone.h"

struct leaving {
  struct cn_ctx *ctx;
  struct cn_ptrmap in;
  LLVMBuilderRef builder;
};

/* A use that no phi behind the loop, fed from within it, serves: that is fed from copies, too. */
static bool is_outside(const struct leaving *l, LLVMValueRef user, LLVMValueRef value)
{
  if (cn_ptrmap_find(&l->in, LLVMGetInstructionParent(user)))
    return false;
  if (!LLVMIsAPHINode(user))
    return true;
  for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
    if (LLVMGetIncomingValue(user, k) == value &&
        !cn_ptrmap_find(&l->in, LLVMGetIncomingBlock(user, k)))
      return true;
  return false;
}

static void load_for(struct leaving *l, LLVMValueRef user, LLVMValueRef value, LLVMValueRef local)
{
  for (int k = 0; k < LLVMGetNumOperands(user); k++) {
    if (LLVMGetOperand(user, (unsigned)k) != value)
      continue;
    LLVMValueRef before = user;
    if (LLVMIsAPHINode(user)) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(user, (unsigned)k);
      if (cn_ptrmap_find(&l->in, from))
        continue;
      before = LLVMGetBasicBlockTerminator(from);
    }
    LLVMPositionBuilderBefore(l->builder, before);
    LLVMSetOperand(user, (unsigned)k, LLVMBuildLoad2(l->builder, LLVMTypeOf(value), local, ""));
  }
}

/* Behind the definition, past the other phis. */
static void store_to(struct leaving *l, LLVMValueRef value, LLVMValueRef local)
{
  LLVMValueRef after = LLVMGetNextInstruction(value);

  while (LLVMIsAPHINode(after))
    after = LLVMGetNextInstruction(after);
  LLVMPositionBuilderBefore(l->builder, after);
  LLVMBuildStore(l->builder, value, local);
}

static bool demote(struct leaving *l, LLVMValueRef value)
{
  CN_VECTOR(LLVMValueRef) users = {0};
  struct cn_ptrmap seen = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool added;
    cn_ptrmap_add(&seen, user, &added);
    if (added && is_outside(l, user, value))
      cn_push(&users, user);
  }
  cn_ptrmap_free(&seen);
  if (!users.count)
    return false;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
  LLVMPositionBuilderBefore(l->builder,
                            LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  LLVMValueRef local = LLVMBuildAlloca(l->builder, LLVMTypeOf(value), "leaving");
  for (size_t i = 0; i < users.count; i++)
    load_for(l, users.at[i], value, local);
  store_to(l, value, local);
  cn_free(&users);
  return true;
}

bool cn_leaving_demote(struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count)
{
  struct leaving l = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  bool any = false;

  for (uint32_t b = 0; b < count; b++)
    cn_ptrmap_add(&l.in, blocks[b], NULL);
  for (uint32_t b = 0; b < count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(blocks[b]), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      any |= demote(&l, i);
    }
  cn_ptrmap_free(&l.in);
  LLVMDisposeBuilder(l.builder);
  return any;
}

void cn_leaving_promote(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  cn_llvm_ok(ctx, function, LLVMRunPassesOnFunction(function, "mem2reg", ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
}
