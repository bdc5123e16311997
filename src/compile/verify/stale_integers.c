/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks addresses in arithmetic and comparisons on integers. Needs: struct cn_value_states. Provides: struct
 * cn_stale_state of computed values. Breaks: nothing.
 *
 * A number computed from a reference has the reference's epoch and a weight, which is the number of addresses in the
 * sum. In `ptrtoint a - ptrtoint b` the two addresses cancel: a distance between two addresses of one epoch is valid in
 * every epoch, if `a` and `b` point into one object (the program's duty by ISO C17, 6.5.6). The order of two addresses
 * is valid in the same way. Any other result, even a truth value, is a residue of the address and has the address's
 * epoch.
 */
#include <stdlib.h>
#include "compile/core/memory_types.h"
#include "compile/verify/verify.h"

static const struct cn_stale_state never_stale = {CN_EPOCH_NONE, 0};

static struct cn_stale_state add_weights(struct cn_stale_state a, struct cn_stale_state b, int sign)
{
  struct cn_stale_state sum = cn_stale_join_states(a, b);

  if (a.weight == CN_WEIGHT_OTHER || b.weight == CN_WEIGHT_OTHER)
    sum.weight = CN_WEIGHT_OTHER;
  else
    sum.weight = a.weight + sign * b.weight;
  if (abs(sum.weight) > CN_WEIGHT_OTHER / 2)
    sum.weight = CN_WEIGHT_OTHER;
  /* The addresses cancel, and the result is a distance, which is equal in all epochs. */
  if (sum.weight == 0 && sum.epoch != CN_EPOCH_MIXED)
    return never_stale;
  if (sum.epoch == CN_EPOCH_MIXED)
    sum.weight = CN_WEIGHT_OTHER;
  return sum;
}

/* The weight of a constant: the addresses of static objects in the sum. */
static int weight_of_constant(LLVMValueRef constant)
{
  if (!LLVMIsAConstantExpr(constant))
    return 0;
  LLVMValueRef a = LLVMGetOperand(constant, 0);
  switch (LLVMGetConstOpcode(constant)) {
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
    return cn_types_managed_variable_of(a) != NULL;
  case LLVMAdd:
    return weight_of_constant(a) + weight_of_constant(LLVMGetOperand(constant, 1));
  case LLVMSub:
    return weight_of_constant(a) - weight_of_constant(LLVMGetOperand(constant, 1));
  default:
    return 0;
  }
}

/* The state of an operand of a sum. The address of an object that never moves has a weight, too: the distance between
 * such an address and another one is a distance within the object that never moves, so it never changes. */
static struct cn_stale_state summand_state(struct cn_stale_state state, LLVMValueRef operand)
{
  if (state.epoch != CN_EPOCH_NONE)
    return state;
  bool address = LLVMIsAInstruction(operand) && cn_is_pointer_to_integer_cast(operand) &&
                 cn_is_ref(LLVMTypeOf(LLVMGetOperand(operand, 0)));
  state.weight = address ? 1 : weight_of_constant(operand);
  return state;
}

/* Number of bits of an address. The higher bits stay zero when an object moves, or are the tag of a value other than an
 * address, which stays unchanged. */
#define ADDRESS_BITS 47

_Static_assert((CAIRN_ABI_OBJECT_ALIGN & (CAIRN_ABI_OBJECT_ALIGN - 1)) == 0, "no move changes an address's low bits");

/* Read a constant operand of at most 64 bits. False if the operand is another value. */
static bool read_constant_operand(LLVMValueRef i, unsigned operand, uint64_t *value)
{
  LLVMValueRef constant = LLVMIsAConstantInt(LLVMGetOperand(i, operand));

  if (!constant || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
    return false;
  *value = LLVMConstIntGetZExtValue(constant);
  return true;
}

/* True if a mask keeps only fixed bits. Objects stay 8-aligned when they move, so the low bits of an address (`p & 7`)
 * or of a sum of addresses are fixed. The tag in the high bits of an address is fixed, too. */
static bool mask_keeps_fixed_bits(LLVMValueRef i, int weight)
{
  uint64_t mask, moving = (UINT64_C(1) << ADDRESS_BITS) - CAIRN_ABI_OBJECT_ALIGN;

  for (unsigned o = 0; o < 2 && weight != CN_WEIGHT_OTHER; o++)
    if (read_constant_operand(i, o, &mask) && (mask < CAIRN_ABI_OBJECT_ALIGN || (weight == 1 && !(mask & moving))))
      return true;
  return false;
}

/* `p >> 48` */
static bool shift_keeps_tag_only(LLVMValueRef i, int weight)
{
  uint64_t by;

  return weight == 1 && read_constant_operand(i, 1, &by) && by >= ADDRESS_BITS;
}

/* True if the instruction widens a number that is narrower than an address. Only the narrow number may wrap, so
 * differences of narrow numbers depend on the objects' addresses. */
static bool widens_narrow_number(LLVMValueRef i)
{
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0));

  if (LLVMGetTypeKind(from) == LLVMVectorTypeKind)
    from = LLVMGetElementType(from);
  return LLVMGetTypeKind(from) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(from) < 64;
}

bool cn_stale_is_arithmetic(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMFNeg:
    return true;
  default:
    return LLVMIsABinaryOperator(i) != NULL;
  }
}

struct cn_stale_state cn_stale_of_arithmetic(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar)
{
  CN_ASSERT(cn_stale_is_arithmetic(i));
  struct cn_stale_state a = cn_values_state_of_scalar(values, LLVMGetOperand(i, 0), scalar);
  struct cn_stale_state b =
      LLVMGetNumOperands(i) > 1 ? cn_values_state_of_scalar(values, LLVMGetOperand(i, 1), scalar) : never_stale;

  if (a.epoch == CN_EPOCH_NONE && b.epoch == CN_EPOCH_NONE)
    return never_stale;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAdd:
    return add_weights(summand_state(a, LLVMGetOperand(i, 0)), summand_state(b, LLVMGetOperand(i, 1)), 1);
  case LLVMSub:
    if (cn_is_marked_difference(i) && cn_stale_join_states(a, b).epoch != CN_EPOCH_MIXED)
      return never_stale;
    return add_weights(summand_state(a, LLVMGetOperand(i, 0)), summand_state(b, LLVMGetOperand(i, 1)), -1);
  case LLVMTrunc:
    return a;
  case LLVMZExt:
  case LLVMSExt:
    return widens_narrow_number(i) ? cn_stale_drop_weight(a) : a;
  case LLVMAnd:
    if (mask_keeps_fixed_bits(i, cn_stale_join_states(a, b).weight))
      return never_stale;
    break;
  case LLVMLShr:
  case LLVMAShr:
    if (b.epoch == CN_EPOCH_NONE && shift_keeps_tag_only(i, a.weight))
      return never_stale;
    break;
  default:
    break;
  }
  return cn_stale_drop_weight(cn_stale_join_states(a, b));
}

/* True if one compared value is an address, and the other is a number outside the range of all addresses. */
static bool compares_with_fixed_number(LLVMValueRef compare, int weight, LLVMValueRef other)
{
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
  LLVMTypeRef type = LLVMTypeOf(other);

  if (weight != 1)
    return false;
  if (predicate == LLVMIntEQ || predicate == LLVMIntNE) /* the number is the address of no object */
    return LLVMIsConstant(other) || cn_is_ref(type) || LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  return cn_is_ref(type) || (LLVMIsAConstantInt(other) && LLVMGetIntTypeWidth(type) <= 64 &&
                             LLVMConstIntGetZExtValue(other) >> ADDRESS_BITS);
}

bool cn_stale_is_move_invariant(LLVMValueRef compare, struct cn_stale_state a, struct cn_stale_state b)
{
  bool refs = cn_holds_ref(LLVMTypeOf(LLVMGetOperand(compare, 0)));

  CN_ASSERT(LLVMGetNumOperands(compare) == 2);
  if (!LLVMIsAICmpInst(compare))
    return false;
  if (a.epoch != CN_EPOCH_NONE && b.epoch != CN_EPOCH_NONE)
    return a.epoch == b.epoch && a.epoch != CN_EPOCH_MIXED &&
           (refs || (a.weight == b.weight && a.weight != CN_WEIGHT_OTHER));
  return a.epoch != CN_EPOCH_NONE ? compares_with_fixed_number(compare, a.weight, LLVMGetOperand(compare, 1))
                                  : compares_with_fixed_number(compare, b.weight, LLVMGetOperand(compare, 0));
}

struct cn_stale_state cn_stale_of_comparison(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar)
{
  CN_ASSERT(LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i));
  struct cn_stale_state a = cn_values_state_of_scalar(values, LLVMGetOperand(i, 0), scalar);
  struct cn_stale_state b = cn_values_state_of_scalar(values, LLVMGetOperand(i, 1), scalar);

  if ((a.epoch == CN_EPOCH_NONE && b.epoch == CN_EPOCH_NONE) || cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) ||
      cn_stale_is_move_invariant(i, a, b))
    return never_stale;
  return cn_stale_drop_weight(cn_stale_join_states(a, b));
}
