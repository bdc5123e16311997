/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers that the optimiser makes of references. Part of pass `restore-references`.
 *
 * Needs: no safepoint in the function yet. Provides: what a distance, or the order of two
 * addresses, is made of stands just before it. Breaks: nothing.
 *
 * The vectorisers compare addresses at run time and share the ptrtoint of several checks, and the
 * end of what a loop writes (seen with default<O2>: %diff.check of examples/string_builder.c). A
 * safepoint between two checks then makes the integer stale, and the module would be optimised
 * again with non-integral references. So the sums are computed again, from the references as they
 * are there: `(ptrtoint a + n) - ptrtoint b` is the same wherever the objects are, if a and b point
 * into one, and if they do not, what the checks ask for (are they apart?) is the same.
 *
 * Whatever else is made of an address (`p & 31`) is left where it is. Computed again behind a
 * safepoint it would be another number, and the optimiser may count on it being the same; if it
 * lives over one, verify-safepoints says so.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/optimise/prepare.h"

/* Sums of more terms stay as they are. */
#define TERMS 16

static bool is_address(LLVMValueRef value)
{
  return LLVMIsAInstruction(value) && cn_takes_address(value) &&
         cn_is_ref(LLVMTypeOf(LLVMGetOperand(value, 0))) &&
         LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

static bool is_sum(LLVMValueRef value)
{
  return LLVMIsABinaryOperator(value) &&
         (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMGetInstructionOpcode(value) == LLVMSub);
}

/* How many addresses `value` is the sum of, less those that are subtracted; *terms counts down. */
static int weigh(LLVMValueRef value, int *terms)
{
  if (--*terms < 0)
    return 0;
  if (is_address(value))
    return 1;
  if (!is_sum(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
    return 0;
  int a = weigh(LLVMGetOperand(value, 0), terms), b = weigh(LLVMGetOperand(value, 1), terms);
  return LLVMGetInstructionOpcode(value) == LLVMAdd ? a + b : a - b;
}

static int weight_of(LLVMValueRef value)
{
  int terms = TERMS;
  int weight = weigh(value, &terms);

  return terms < 0 ? 0 : weight;
}

/* Does it make no difference to `user` where the objects are? */
static bool is_indifferent(LLVMValueRef user)
{
  if (is_sum(user))
    return LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind && weight_of(user) == 0 &&
           weight_of(LLVMGetOperand(user, 0)) != 0;
  if (!LLVMIsAICmpInst(user))
    return false;
  int a = weight_of(LLVMGetOperand(user, 0)), b = weight_of(LLVMGetOperand(user, 1));
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(user);
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
  return a != 0 && (a == b || (a == 1 && equality && LLVMIsConstant(LLVMGetOperand(user, 1))));
}

/* The sum `value` again at the builder's place, as far as it changes when objects move. */
static LLVMValueRef compute(LLVMBuilderRef builder, LLVMValueRef value)
{
  if (weight_of(value) == 0)
    return value;
  LLVMValueRef copy = LLVMInstructionClone(value);
  for (unsigned o = 0; is_sum(value) && o < 2; o++)
    LLVMSetOperand(copy, o, compute(builder, LLVMGetOperand(value, o)));
  if (is_sum(value)) { /* what holds of one address need not of another */
    LLVMSetNSW(copy, false);
    LLVMSetNUW(copy, false);
  }
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

/* Delete what is not needed any more. */
static void drop(LLVMValueRef value)
{
  if (!(is_address(value) || is_sum(value)) || LLVMGetFirstUse(value))
    return;
  LLVMValueRef a = LLVMGetOperand(value, 0), b = is_sum(value) ? LLVMGetOperand(value, 1) : a;
  LLVMInstructionEraseFromParent(value);
  drop(a);
  if (b != a)
    drop(b);
}

static void sink(LLVMBuilderRef builder, LLVMValueRef user)
{
  LLVMPositionBuilderBefore(builder, user);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(user));
  for (unsigned o = 0; o < 2; o++) {
    LLVMValueRef old = LLVMGetOperand(user, o);
    LLVMValueRef own = compute(builder, old);
    LLVMSetOperand(user, o, own);
    if (own != old)
      drop(old);
  }
}

void cn_integers_sink(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) users = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_indifferent(i))
        cn_push(&users, i);
  for (size_t i = 0; i < users.count; i++)
    sink(builder, users.at[i]);
  LLVMDisposeBuilder(builder);
  cn_free(&users);
}
