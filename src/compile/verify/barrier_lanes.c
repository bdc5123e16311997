/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers of single lanes of a vector, for verify-barriers: of the lane's place, and of a
 * reference's length if the mask has the lane's bit, or always. Needs: nothing. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/core/memory_types.h"
#include "compile/verify/verify.h"

static const uint64_t REFERENCE = sizeof(uint64_t);

/* A lane of a vector; or a value by itself, whose lane is NO_LANE. */
struct element {
  LLVMValueRef value;
  unsigned lane;
};
enum { NO_LANE = INT32_MAX };

/* The lane that a shuffle takes lane `e` from. */
static struct element shuffled(struct element e)
{
  unsigned first = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(e.value, 0)));
  int from = LLVMGetMaskValue(e.value, e.lane);

  if (from < 0)
    return (struct element){NULL, NO_LANE};
  bool second = (unsigned)from >= first;
  return (struct element){LLVMGetOperand(e.value, second),
                          second ? (unsigned)from - first : (unsigned)from};
}

/* Where a lane comes from, through shuffles and insertions. */
static struct element origin(struct element e)
{
  while (e.value && e.lane != NO_LANE) {
    if (LLVMIsAShuffleVectorInst(e.value)) {
      e = shuffled(e);
    } else if (LLVMIsConstant(e.value)) {
      e = (struct element){LLVMGetAggregateElement(e.value, e.lane), NO_LANE};
    } else if (LLVMIsAInsertElementInst(e.value) &&
               LLVMIsAConstantInt(LLVMGetOperand(e.value, 2))) {
      bool here = LLVMConstIntGetZExtValue(LLVMGetOperand(e.value, 2)) == e.lane;
      e = here ? (struct element){LLVMGetOperand(e.value, 1), NO_LANE}
               : (struct element){LLVMGetOperand(e.value, 0), e.lane};
    } else {
      break;
    }
  }
  return e;
}

/* Is `value` the lane of the vector? */
static bool is_element(LLVMValueRef value, LLVMValueRef vector, unsigned lane)
{
  struct element a = {value, NO_LANE}, b = origin((struct element){vector, lane});

  if (LLVMIsAExtractElementInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
    a = origin((struct element){LLVMGetOperand(value, 0),
                                (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1))});
  return a.value && a.value == b.value && a.lane == b.lane;
}

static bool is_number(LLVMValueRef value, uint64_t number)
{
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

bool cn_barred_skips_lane(LLVMValueRef mask, unsigned lane)
{
  LLVMValueRef bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, lane) : NULL;

  return bit && is_number(bit, 0);
}

static bool is_long_enough(const struct cn_barred_access *access, unsigned lane, LLVMValueRef bytes)
{
  if (LLVMIsAConstantInt(bytes))
    return LLVMConstIntGetZExtValue(bytes) >= REFERENCE;
  return LLVMIsASelectInst(bytes) && is_element(LLVMGetOperand(bytes, 0), access->mask, lane) &&
         is_number(LLVMGetOperand(bytes, 1), REFERENCE);
}

/* Is `slot` so many references beyond `from`? */
static bool lies_beyond(struct cn_ctx *ctx, LLVMValueRef slot, LLVMValueRef from, unsigned lane)
{
  uint64_t offset = 0;

  while (slot != from && LLVMIsAGetElementPtrInst(slot) && cn_types_gep_offset(ctx, slot, &offset))
    slot = LLVMGetOperand(slot, 0);
  return slot == from && offset == lane * REFERENCE;
}

bool cn_barred_is_lane(struct cn_ctx *ctx, const struct cn_barred_access *access, unsigned lane,
                       LLVMValueRef slot, LLVMValueRef bytes)
{
  CN_ASSERT(access->mask);
  if (bytes && !is_long_enough(access, lane, bytes))
    return false;
  if (LLVMGetTypeKind(LLVMTypeOf(access->slot)) == LLVMVectorTypeKind)
    return is_element(slot, access->slot, lane);
  return lies_beyond(ctx, slot, access->slot, lane);
}
