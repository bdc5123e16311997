/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `stabilise-allocas`: makes statepoints and points name each local that they record itself, up to code
 * generation.
 *
 * Needs: final statepoints, before the passes of the code generator. Provides: a copy of the address of each described
 * local that code addresses at variable offsets; code computes addresses in the local from the copy. LLVM treats the
 * copy as another value until CodeGenPrepare or instruction selection replaces the copy by the address. Breaks: the
 * form of addresses (cn_alloca_uses_returns_argument()).
 *
 * LLVM's loop-reduce computes all addresses of a loop from a few addresses that it increments. Without the copy,
 * loop-reduce would also compute the statepoint's operand from these addresses. The start of the local would then be in
 * a register, and a frame map cannot describe such a local (docs/llvm-22.md, "loop-reduce").
 */
#include "base/check.h"
#include "base/vector.h"
#include "compile/effects/points.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

static bool is_recorded_operand(LLVMValueRef alloca)
{
  CN_EACH_USE(use, alloca)
    if (cn_calls_intrinsic(LLVMGetUser(use), "llvm.experimental.gc.statepoint") || cn_is_point_call(LLVMGetUser(use)))
      return true;
  return false;
}

/* True if `user` computes an address at a variable offset from the local's address. */
static bool is_varying_address(LLVMValueRef user)
{
  if (LLVMIsAPHINode(user) || LLVMIsASelectInst(user))
    return true;
  if (!LLVMIsAGetElementPtrInst(user))
    return false;
  for (int i = 1; i < LLVMGetNumOperands(user); i++)
    if (!LLVMIsAConstant(LLVMGetOperand(user, (unsigned)i)))
      return true;
  return false;
}

/* True if `user` computes an address at a variable offset, perhaps from a GEP with a constant offset. */
static bool starts_varying_address(LLVMValueRef user)
{
  if (is_varying_address(user))
    return true;
  if (LLVMIsAGetElementPtrInst(user))
    CN_EACH_USE(use, user)
      if (starts_varying_address(LLVMGetUser(use)))
        return true;
  return false;
}

static bool is_address_computation(LLVMValueRef user)
{
  return is_varying_address(user) || LLVMIsAGetElementPtrInst(user) || LLVMIsAICmpInst(user);
}

static void replace_operands(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to)
{
  for (int i = 0; i < LLVMGetNumOperands(user); i++)
    if (LLVMGetOperand(user, (unsigned)i) == from)
      LLVMSetOperand(user, (unsigned)i, to);
}

/* The users of the local that compute addresses, or an empty list if all their offsets are constant. */
static value_vector address_users_of(LLVMValueRef alloca)
{
  value_vector users = {0};
  bool change = false;

  CN_EACH_USE(use, alloca) {
    if (!is_address_computation(LLVMGetUser(use)))
      continue;
    change |= starts_varying_address(LLVMGetUser(use));
    cn_push(&users, LLVMGetUser(use));
  }
  if (!change)
    cn_free(&users);
  return users;
}

static void stabilise_alloca(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef alloca)
{
  LLVMTypeRef type = LLVMTypeOf(alloca);
  value_vector users = address_users_of(alloca);

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (users.count == 0)
    return;
  LLVMValueRef launder = cn_intrinsic(ctx, "llvm.launder.invariant.group", &type, 1), next = alloca;
  while (LLVMIsAAllocaInst(next))
    next = LLVMGetNextInstruction(next);
  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, next);
  LLVMValueRef copy = LLVMBuildCall2(builder, LLVMGlobalGetValueType(launder), launder, &alloca, 1, "steady");
  for (size_t i = 0; i < users.count; i++)
    replace_operands(users.at[i], alloca, copy);
  cn_free(&users);
}

bool cn_stabilise_allocas(struct cn_ctx *ctx)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_FUNCTION(f, ctx->module) {
    LLVMValueRef i = LLVMIsDeclaration(f) ? NULL : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
    for (; i; i = LLVMGetNextInstruction(i))
      if (LLVMIsAAllocaInst(i) && is_recorded_operand(i))
        stabilise_alloca(ctx, builder, i);
  }
  LLVMDisposeBuilder(builder);
  return true;
}
