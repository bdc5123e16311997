/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits the integers that the optimiser makes of references. Part of pass `restore-references`.
 *
 * Needs: a function without safepoints. Provides: the terms of a distance, or of a comparison of two addresses, are
 * directly before the distance or comparison. Breaks: nothing.
 *
 * The vectorisers compare addresses at run time. Several checks of the vectorisers share a ptrtoint and the end address
 * of a loop's stores (default<O2> emits %diff.check for examples/string_builder.c). A safepoint between two checks
 * makes the shared integer stale, and Cairn would optimise the module again with non-integral references. To prevent a
 * second attempt, this file rematerialises the sums before each check from the references there. `(ptrtoint a + n) -
 * ptrtoint b` stays the same over every move if a and b point into one object. If a and b point into two objects, the
 * checks still find that the two memories are disjoint.
 *
 * Other integers made of an address, such as `p & 31`, stay in place: a rematerialisation after a safepoint would give
 * another number, but the optimiser may rely on one number. verify-safepoints reports an integer of an address that is
 * live over a safepoint.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/optimise/prepare.h"

/* Sums with more than MAX_TERMS terms stay unchanged. */
#define MAX_TERMS 16

static bool is_reference_address(LLVMValueRef value)
{
  return LLVMIsAInstruction(value) && cn_is_pointer_to_integer_cast(value) &&
         cn_is_ref(LLVMTypeOf(LLVMGetOperand(value, 0))) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

static bool is_sum(LLVMValueRef value)
{
  return LLVMIsABinaryOperator(value) &&
         (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMGetInstructionOpcode(value) == LLVMSub);
}

/* The number of addresses that `value` adds, minus the number that it subtracts. *terms goes down by one per term. */
static int count_addresses(LLVMValueRef value, int *terms)
{
  if (--*terms < 0)
    return 0;
  if (is_reference_address(value))
    return 1;
  if (!is_sum(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
    return 0;
  int a = count_addresses(LLVMGetOperand(value, 0), terms), b = count_addresses(LLVMGetOperand(value, 1), terms);
  return LLVMGetInstructionOpcode(value) == LLVMAdd ? a + b : a - b;
}

static int net_address_count(LLVMValueRef value)
{
  int terms = MAX_TERMS;
  int net = count_addresses(value, &terms);

  return terms < 0 ? 0 : net;
}

/* True if `user` is a sum or comparison of addresses whose result stays the same when objects move. */
static bool is_invariant_under_moves(LLVMValueRef user)
{
  if (is_sum(user))
    return LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind && net_address_count(user) == 0 &&
           net_address_count(LLVMGetOperand(user, 0)) != 0;
  if (!LLVMIsAICmpInst(user))
    return false;
  int a = net_address_count(LLVMGetOperand(user, 0)), b = net_address_count(LLVMGetOperand(user, 1));
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(user);
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
  return a != 0 && (a == b || (a == 1 && equality && LLVMIsConstant(LLVMGetOperand(user, 1))));
}

/* Rematerialise the parts of the sum `value` that change when objects move, at the builder's place. */
static LLVMValueRef rematerialise_sum(LLVMBuilderRef builder, LLVMValueRef value)
{
  if (net_address_count(value) == 0)
    return value;
  CN_CHECK(is_reference_address(value) || is_sum(value));
  LLVMValueRef copy = LLVMInstructionClone(value);
  for (unsigned o = 0; is_sum(value) && o < 2; o++)
    LLVMSetOperand(copy, o, rematerialise_sum(builder, LLVMGetOperand(value, o)));
  if (is_sum(value)) { /* no-wrap flags hold for the old addresses only */
    LLVMSetNSW(copy, false);
    LLVMSetNUW(copy, false);
  }
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

/* Delete `value` if it is an unused sum or address, and its terms if these are then unused. */
static void delete_unused_sum(LLVMValueRef value)
{
  if (!(is_reference_address(value) || is_sum(value)) || LLVMGetFirstUse(value))
    return;
  LLVMValueRef a = LLVMGetOperand(value, 0), b = is_sum(value) ? LLVMGetOperand(value, 1) : a;
  LLVMInstructionEraseFromParent(value);
  delete_unused_sum(a);
  if (b != a)
    delete_unused_sum(b);
}

static void rematerialise_operands(LLVMBuilderRef builder, LLVMValueRef user)
{
  CN_ASSERT(is_invariant_under_moves(user));
  LLVMPositionBuilderBefore(builder, user);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(user));
  for (unsigned o = 0; o < 2; o++) {
    LLVMValueRef old = LLVMGetOperand(user, o);
    LLVMValueRef own = rematerialise_sum(builder, old);
    LLVMSetOperand(user, o, own);
    if (own != old)
      delete_unused_sum(old);
  }
}

void cn_address_integers_split(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) users = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_invariant_under_moves(i))
        cn_push(&users, i);
  for (size_t i = 0; i < users.count; i++)
    rematerialise_operands(builder, users.at[i]);
  LLVMDisposeBuilder(builder);
  cn_free(&users);
}
