/* SPDX-License-Identifier: Apache-2.0
 *
 * The scalars that a value consists of, numbered through: the elements of vectors, arrays and
 * structs, depth first. Needs: nothing. Provides: leaf numbers, so that the other files of
 * verify-safepoints judge each scalar by itself. Breaks: nothing.
 *
 * A type of very many scalars, or of an unknown number, counts as one leaf that stands for all.
 */
#include "compile/verify/verify.h"

/* Types that are looked into for one count: parts may be shared, and empty ones cost time, too. */
#define LOOKS 4096

static uint64_t count(LLVMTypeRef type, unsigned *looks)
{
  uint64_t sum = 0;

  if (++*looks > LOOKS)
    return CN_LEAVES + 1;
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind:
  case LLVMMetadataTypeKind:
    return 0;
  case LLVMScalableVectorTypeKind:
    return CN_LEAVES + 1;
  case LLVMVectorTypeKind:
    return LLVMGetVectorSize(type);
  case LLVMArrayTypeKind:
    sum = LLVMGetArrayLength2(type);
    if (sum > CN_LEAVES)
      return CN_LEAVES + 1;
    return sum * count(LLVMGetElementType(type), looks);
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && sum <= CN_LEAVES; i++)
      sum += count(LLVMStructGetTypeAtIndex(type, i), looks);
    return sum;
  default:
    return 1;
  }
}

uint32_t cn_scalars(LLVMTypeRef type)
{
  unsigned looks = 0;
  uint64_t all = count(type, &looks);

  return all > CN_LEAVES ? 1 : (uint32_t)all;
}

bool cn_scalars_lumped(LLVMTypeRef type)
{
  unsigned looks = 0;

  return count(type, &looks) > CN_LEAVES;
}

bool cn_scalar_is_ref(LLVMTypeRef type, uint32_t leaf)
{
  if (cn_scalars_lumped(type))
    return cn_holds_ref(type);
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind:
    return cn_is_ref(LLVMGetElementType(type));
  case LLVMArrayTypeKind: {
    uint32_t each = cn_scalars(LLVMGetElementType(type));
    return each && cn_scalar_is_ref(LLVMGetElementType(type), leaf % each);
  }
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
      LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
      uint32_t leaves = cn_scalars(member);
      if (leaf < leaves)
        return cn_scalar_is_ref(member, leaf);
      leaf -= leaves;
    }
    return false;
  default:
    return cn_is_ref(type);
  }
}

/* The first leaf of the member that the indices of an extractvalue or insertvalue name, in an
 * aggregate of that type. */
static uint32_t member_offset(LLVMTypeRef type, const unsigned *indices, unsigned depth)
{
  uint32_t offset = 0;

  for (unsigned d = 0; d < depth; d++) {
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
      type = LLVMGetElementType(type);
      offset += indices[d] * cn_scalars(type);
      continue;
    }
    for (unsigned i = 0; i < indices[d]; i++)
      offset += cn_scalars(LLVMStructGetTypeAtIndex(type, i));
    type = LLVMStructGetTypeAtIndex(type, indices[d]);
  }
  return offset;
}

/* A constant lane of a fixed vector of `lanes`, or CN_NO_LEAF. */
static uint32_t lane(LLVMValueRef index, uint32_t lanes)
{
  if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64 ||
      LLVMConstIntGetZExtValue(index) >= lanes)
    return CN_NO_LEAF;
  return (uint32_t)LLVMConstIntGetZExtValue(index);
}

static struct cn_scalar_source shuffle(LLVMValueRef i, uint32_t leaf)
{
  uint32_t lanes = cn_scalars(LLVMTypeOf(LLVMGetOperand(i, 0)));
  int from = LLVMGetMaskValue(i, leaf);

  if (from < 0)
    return (struct cn_scalar_source){CN_LEAF_NONE, 0, 0};
  return (uint32_t)from < lanes ? (struct cn_scalar_source){CN_LEAF_ONE, 0, (uint32_t)from}
                                : (struct cn_scalar_source){CN_LEAF_ONE, 1, (uint32_t)from - lanes};
}

struct cn_scalar_source cn_scalar_source(LLVMValueRef i, uint32_t leaf)
{
  struct cn_scalar_source all = {CN_LEAF_ALL, 0, 0};
  LLVMTypeRef whole = LLVMTypeOf(LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : i);
  uint32_t offset, leaves, at;

  if (cn_scalars_lumped(whole) || cn_scalars_lumped(LLVMTypeOf(i)))
    return all;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMExtractValue:
    offset = member_offset(whole, LLVMGetIndices(i), LLVMGetNumIndices(i));
    return (struct cn_scalar_source){CN_LEAF_ONE, 0, offset + leaf};
  case LLVMInsertValue:
    offset = member_offset(whole, LLVMGetIndices(i), LLVMGetNumIndices(i));
    leaves = cn_scalars(LLVMTypeOf(LLVMGetOperand(i, 1)));
    if (leaf >= offset && leaf < offset + leaves)
      return (struct cn_scalar_source){CN_LEAF_ONE, 1, leaf - offset};
    return (struct cn_scalar_source){CN_LEAF_ONE, 0, leaf};
  case LLVMExtractElement:
    at = lane(LLVMGetOperand(i, 1), cn_scalars(whole));
    return at == CN_NO_LEAF ? all : (struct cn_scalar_source){CN_LEAF_ONE, 0, at};
  case LLVMInsertElement:
    at = lane(LLVMGetOperand(i, 2), cn_scalars(whole));
    if (at == CN_NO_LEAF)
      return all;
    return (struct cn_scalar_source){CN_LEAF_ONE, at == leaf, at == leaf ? 0 : leaf};
  case LLVMShuffleVector:
    return shuffle(i, leaf);
  default:
    return all;
  }
}
