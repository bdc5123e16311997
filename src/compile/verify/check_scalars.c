/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers the scalars of a value: the elements of vectors, arrays and structs, depth first. Needs: nothing. Provides:
 * numbers of scalars, so that verify-safepoints checks each scalar separately. Breaks: nothing.
 *
 * A type with very many scalars, or with an unknown number of scalars, counts as one scalar.
 */
#include "compile/verify/verify.h"

/* The maximum number of types that one count visits. Types may share parts, and empty types also cost time. */
#define MAX_VISITED_TYPES 4096

static uint64_t count_scalars(LLVMTypeRef type, unsigned *looks)
{
  uint64_t sum = 0;

  if (++*looks > MAX_VISITED_TYPES)
    return CN_SCALARS_MOST + 1;
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind:
  case LLVMMetadataTypeKind:
    return 0;
  case LLVMScalableVectorTypeKind:
    return CN_SCALARS_MOST + 1;
  case LLVMVectorTypeKind:
    return LLVMGetVectorSize(type);
  case LLVMArrayTypeKind:
    sum = LLVMGetArrayLength2(type);
    if (sum > CN_SCALARS_MOST)
      return CN_SCALARS_MOST + 1;
    return sum * count_scalars(LLVMGetElementType(type), looks);
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && sum <= CN_SCALARS_MOST; i++)
      sum += count_scalars(LLVMStructGetTypeAtIndex(type, i), looks);
    return sum;
  default:
    return 1;
  }
}

uint32_t cn_scalar_count(LLVMTypeRef type)
{
  unsigned looks = 0;
  uint64_t all = count_scalars(type, &looks);

  return all > CN_SCALARS_MOST ? 1 : (uint32_t)all;
}

bool cn_scalars_count_as_one(LLVMTypeRef type)
{
  unsigned looks = 0;

  return count_scalars(type, &looks) > CN_SCALARS_MOST;
}

bool cn_scalar_is_ref(LLVMTypeRef type, uint32_t scalar)
{
  CN_ASSERT(scalar < cn_scalar_count(type));
  if (cn_scalars_count_as_one(type))
    return cn_holds_ref(type);
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind:
    return cn_is_ref(LLVMGetElementType(type));
  case LLVMArrayTypeKind: {
    uint32_t each = cn_scalar_count(LLVMGetElementType(type));
    return each && cn_scalar_is_ref(LLVMGetElementType(type), scalar % each);
  }
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
      LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
      uint32_t scalars = cn_scalar_count(member);
      if (scalar < scalars)
        return cn_scalar_is_ref(member, scalar);
      scalar -= scalars;
    }
    CN_UNREACHABLE(); /* the scalars of the members are all scalars of the struct */
  default:
    return cn_is_ref(type);
  }
}

/* The number of the member's first scalar in an aggregate of `type`; the indices of an extractvalue or insertvalue give
 * the member. */
static uint32_t member_scalar_offset(LLVMTypeRef type, const unsigned *indices, unsigned depth)
{
  uint32_t offset = 0;

  for (unsigned d = 0; d < depth; d++) {
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
      type = LLVMGetElementType(type);
      offset += indices[d] * cn_scalar_count(type);
      continue;
    }
    for (unsigned i = 0; i < indices[d]; i++)
      offset += cn_scalar_count(LLVMStructGetTypeAtIndex(type, i));
    CN_ASSERT(indices[d] < LLVMCountStructElementTypes(type));
    type = LLVMStructGetTypeAtIndex(type, indices[d]);
  }
  return offset;
}

/* The lane that a constant index selects in a fixed vector of `lanes` lanes, or CN_NO_SCALAR. */
static uint32_t constant_lane_of(LLVMValueRef index, uint32_t lanes)
{
  if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64 ||
      LLVMConstIntGetZExtValue(index) >= lanes)
    return CN_NO_SCALAR;
  return (uint32_t)LLVMConstIntGetZExtValue(index);
}

static struct cn_scalar_source find_shuffle_source(LLVMValueRef i, uint32_t scalar)
{
  uint32_t lanes = cn_scalar_count(LLVMTypeOf(LLVMGetOperand(i, 0)));
  CN_ASSERT(scalar < LLVMGetNumMaskElements(i));
  int from = LLVMGetMaskValue(i, scalar);

  if (from < 0)
    return (struct cn_scalar_source){CN_SCALAR_UNDEFINED, 0, 0};
  return (uint32_t)from < lanes ? (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 0, (uint32_t)from}
                                : (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 1, (uint32_t)from - lanes};
}

struct cn_scalar_source cn_scalar_source(LLVMValueRef i, uint32_t scalar)
{
  struct cn_scalar_source all = {CN_SCALAR_ANY_SOURCE, 0, 0};
  LLVMTypeRef whole = LLVMTypeOf(LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : i);
  uint32_t offset, scalars, at;

  CN_ASSERT(scalar < cn_scalar_count(LLVMTypeOf(i)));
  if (cn_scalars_count_as_one(whole) || cn_scalars_count_as_one(LLVMTypeOf(i)))
    return all;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMExtractValue:
    offset = member_scalar_offset(whole, LLVMGetIndices(i), LLVMGetNumIndices(i));
    CN_ASSERT(offset + scalar < cn_scalar_count(whole));
    return (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 0, offset + scalar};
  case LLVMInsertValue:
    offset = member_scalar_offset(whole, LLVMGetIndices(i), LLVMGetNumIndices(i));
    scalars = cn_scalar_count(LLVMTypeOf(LLVMGetOperand(i, 1)));
    CN_ASSERT(offset + scalars <= cn_scalar_count(whole));
    if (scalar >= offset && scalar < offset + scalars)
      return (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 1, scalar - offset};
    return (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 0, scalar};
  case LLVMExtractElement:
    at = constant_lane_of(LLVMGetOperand(i, 1), cn_scalar_count(whole));
    return at == CN_NO_SCALAR ? all : (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, 0, at};
  case LLVMInsertElement:
    at = constant_lane_of(LLVMGetOperand(i, 2), cn_scalar_count(whole));
    if (at == CN_NO_SCALAR)
      return all;
    return (struct cn_scalar_source){CN_SCALAR_ONE_SOURCE, at == scalar, at == scalar ? 0 : scalar};
  case LLVMShuffleVector:
    return find_shuffle_source(i, scalar);
  default:
    return all;
  }
}
