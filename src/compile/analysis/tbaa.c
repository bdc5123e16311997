/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the TBAA tags of memory that never changes, and of copies. The tags tell pointers from other data, but
 * references look like ordinary pointers. An ordinary pointer that is mistaken for a reference is harmless
 * (collector.h). Needs, breaks: nothing. Provides: queries of a tag, and of the fields of a copy of constant length
 * (cn_tbaa_*).
 */
#include "compile/analysis/tbaa.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* ---- memory that never changes ---- */

static LLVMValueRef node_operand(LLVMValueRef *operands, unsigned count, unsigned at)
{
  return at < count && operands[at] && LLVMIsAMDNode(operands[at]) ? operands[at] : NULL;
}

/* An array of the operands of a node, for the caller to free. */
static LLVMValueRef *node_operands(LLVMValueRef node, unsigned *count)
{
  *count = node && LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0;
  LLVMValueRef *operands = cn_alloc((*count + 1) * sizeof *operands);

  if (*count)
    LLVMGetMDNodeOperands(node, operands);
  return operands;
}

/* True for a type in the newer format, which starts with the parent; the older format starts with a name. */
static bool is_sized_type(LLVMValueRef type)
{
  unsigned count;
  LLVMValueRef *operands = node_operands(type, &count);
  bool sized = count >= 3 && node_operand(operands, count, 0);

  free(operands);
  return sized;
}

/* The flag is the last operand of {base, access, offset, flag}, of the newer {base, access, offset, size, flag}, and of
 * a scalar type that serves as a TBAA tag, {name, parent, flag}. The function distinguishes these forms by LLVM's own
 * tests, so that LLVM and Cairn read the same flags. */
bool cn_tbaa_is_immutable(LLVMValueRef tag)
{
  unsigned count, flag = 2;
  LLVMValueRef *operands = node_operands(tag, &count);

  if (count >= 3 && node_operand(operands, count, 0)) {
    LLVMValueRef access = node_operand(operands, count, 1);
    flag = count >= 4 && (!access || is_sized_type(access)) ? 4 : 3;
  }
  bool immutable = count > flag && operands[flag] && LLVMIsAConstantInt(operands[flag]) &&
                   (LLVMConstIntGetZExtValue(operands[flag]) & 1);
  free(operands);
  return immutable;
}

bool cn_tbaa_has_immutable_field(LLVMValueRef fields)
{
  unsigned count;
  LLVMValueRef *operands = node_operands(fields, &count);
  bool immutable = false;

  for (unsigned i = 2; i < count; i += 3)
    immutable |= operands[i] && cn_tbaa_is_immutable(operands[i]);
  free(operands);
  return immutable;
}

/* ---- copies ---- */

uint64_t cn_tbaa_constant_copy_length(LLVMValueRef copy)
{
  CN_ASSERT(LLVMIsACallInst(copy) || LLVMIsAInvokeInst(copy));
  LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(copy, 2));

  return length ? LLVMConstIntGetZExtValue(length) : 0;
}

LLVMValueRef cn_tbaa_field_tag_of_copy(struct cn_ctx *ctx, LLVMValueRef copy, uint64_t offset, uint64_t size)
{
  LLVMValueRef fields = LLVMGetMetadata(copy, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa.struct", 11));
  LLVMValueRef found = NULL;
  unsigned count;
  LLVMValueRef *operand = node_operands(fields, &count);

  for (unsigned i = 0; i + 2 < count; i += 3)
    if (LLVMIsAConstantInt(operand[i]) && LLVMConstIntGetZExtValue(operand[i]) == offset &&
        LLVMIsAConstantInt(operand[i + 1]) && LLVMConstIntGetZExtValue(operand[i + 1]) == size)
      found = operand[i + 2];
  free(operand);
  return found;
}

/* The name of a TBAA tag's access type, or null. */
static const char *accessed_type_name(LLVMValueRef tag, unsigned *length)
{
  for (int step = 0; step < 2; step++) {
    unsigned count = LLVMIsAMDNode(tag) ? LLVMGetMDNodeNumOperands(tag) : 0;
    if (count == 0 || count > 16)
      return NULL;
    LLVMValueRef operand[16];
    LLVMGetMDNodeOperands(tag, operand);
    if (step == 1)
      return LLVMGetMDString(operand[0], length);
    if (count < 2)
      return NULL;
    tag = operand[1];
  }
  return NULL;
}

bool cn_tbaa_is_pointer(LLVMValueRef tag)
{
  unsigned length = 0;
  const char *name = accessed_type_name(tag, &length);

  if (!name)
    return false;
  return (length > 2 && name[0] == 'p' && name[1] >= '0' && name[1] <= '9') ||
         (length == 11 && memcmp(name, "any pointer", 11) == 0);
}

/* True if a field with this tag can hold a reference. The tag of a union is "omnipotent char". */
static bool may_be_reference_tag(LLVMValueRef tag)
{
  unsigned length = 0;
  const char *name = tag ? accessed_type_name(tag, &length) : NULL;

  return !name || (length == 15 && memcmp(name, "omnipotent char", 15) == 0) || cn_tbaa_is_pointer(tag);
}

bool cn_tbaa_may_hold_reference(struct cn_ctx *ctx, LLVMValueRef copy)
{
  LLVMValueRef fields = LLVMGetMetadata(copy, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa.struct", 11));
  unsigned count;
  LLVMValueRef *operand = node_operands(fields, &count);
  bool may = false;

  for (unsigned i = 0; i + 2 < count; i += 3)
    may |= LLVMIsAConstantInt(operand[i + 1]) && LLVMConstIntGetZExtValue(operand[i + 1]) == CN_REF_SIZE &&
           may_be_reference_tag(operand[i + 2]);
  free(operand);
  return may;
}

/* True if tbaa.struct says that the 8-byte copy is free of pointers, because it has smaller fields or one field of
 * another type. */
bool cn_tbaa_is_plain_data_copy(struct cn_ctx *ctx, LLVMValueRef copy)
{
  if (!LLVMGetMetadata(copy, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa.struct", 11)))
    return false;
  LLVMValueRef whole = cn_tbaa_field_tag_of_copy(ctx, copy, 0, CN_REF_SIZE);
  if (whole)
    return !may_be_reference_tag(whole);
  for (uint64_t size = 1; size < CN_REF_SIZE; size++)
    if (cn_tbaa_field_tag_of_copy(ctx, copy, 0, size))
      return true;
  return false;
}
