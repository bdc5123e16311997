/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves the low bits of pointers into objects, in modules whose words may be immediates (docs/words.md). A pointer has
 * the low bits of a reference if its distance from the base is a multiple of 2^bits. Needs: nothing. Provides:
 * cn_words_prove_tag_bits(). Breaks: nothing.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/words.h"

/* The open claims of a proof. A claim says that a reference's distance from its base, or an integer, is a multiple of
 * `multiple`. A second claim about a value holds if all other claims hold. */
struct word_end_proof {
  struct cn_ctx *ctx;
  uint64_t multiple;
  CN_VECTOR(LLVMValueRef) work;
  struct cn_ptrmap seen;
};

static void push_unseen_value(struct word_end_proof *p, LLVMValueRef value)
{
  bool fresh;

  cn_ptrmap_add(&p->seen, value, &fresh);
  if (fresh)
    cn_push(&p->work, value);
}

/* Add claims for the operands of `value`, which is a choice or a composition, but no GEP. */
static void push_claims_of_operands(struct word_end_proof *p, LLVMValueRef value)
{
  bool reference = cn_holds_ref(LLVMTypeOf(value));
  unsigned count = (unsigned)LLVMGetNumOperands(value);

  for (unsigned i = LLVMIsASelectInst(value) ? 1 : 0; i < count; i++)
    if (!reference || cn_holds_ref(LLVMTypeOf(LLVMGetOperand(value, i))))
      push_unseen_value(p, LLVMGetOperand(value, i));
}

static bool is_constant_multiple(const struct word_end_proof *p, LLVMValueRef constant)
{
  return LLVMIsAConstantInt(constant) && LLVMConstIntGetZExtValue(constant) % p->multiple == 0;
}

/* True if constants and the open claims prove that the integer is a multiple. */
static bool prove_integer_multiple(struct word_end_proof *p, LLVMValueRef value)
{
  LLVMValueRef right = LLVMIsAInstruction(value) && LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;

  if (LLVMIsAConstantInt(value) || !LLVMIsAInstruction(value))
    return is_constant_multiple(p, value);
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
  case LLVMXor:
  case LLVMPHI:
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc:
  case LLVMFreeze:
  case LLVMSelect:
    push_claims_of_operands(p, value);
    return true;
  case LLVMShl:
    return LLVMIsAConstantInt(right) && LLVMConstIntGetZExtValue(right) < 64 &&
           (UINT64_C(1) << LLVMConstIntGetZExtValue(right)) % p->multiple == 0;
  case LLVMMul:
  case LLVMAnd:
    if (!is_constant_multiple(p, right))
      push_unseen_value(p, LLVMGetOperand(value, 0));
    return true;
  default:
    return false;
  }
}

/* The bytes per unit of an index of a GEP. Sets *fixed to the offset of a field. */
static uint64_t index_stride_of(const struct word_end_proof *p, LLVMTypeRef *type, LLVMValueRef index, bool first,
                                uint64_t *fixed)
{
  bool is_struct = !first && LLVMGetTypeKind(*type) == LLVMStructTypeKind;

  *fixed = 0;
  if (is_struct) {
    unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
    *fixed = LLVMOffsetOfElement(p->ctx->layout, *type, field);
    *type = LLVMStructGetTypeAtIndex(*type, field);
    return 0;
  }
  if (!first)
    *type = LLVMGetElementType(*type);
  return LLVMABISizeOfType(p->ctx->layout, *type);
}

/* Prove a GEP. The function accepts indices that are integers, but a vector of indices only if it is zero. */
static bool prove_gep(struct word_end_proof *p, LLVMValueRef gep)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  unsigned count = (unsigned)LLVMGetNumOperands(gep);

  for (unsigned i = 1; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(gep, i);
    uint64_t fixed;
    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
      return LLVMIsNull(index) && count == 2;
    uint64_t stride = index_stride_of(p, &type, index, i == 1, &fixed);
    bool constant = LLVMIsAConstantInt(index) != NULL;
    if (fixed % p->multiple != 0 || (constant && stride * LLVMConstIntGetZExtValue(index) % p->multiple != 0))
      return false;
    if (!constant && stride % p->multiple != 0)
      push_unseen_value(p, index);
  }
  push_unseen_value(p, LLVMGetOperand(gep, 0));
  return true;
}

/* Prove a reference, or a vector or aggregate of references. The parts of the value become claims, except references
 * that the function loads or receives. */
static bool prove_reference(struct word_end_proof *p, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return true;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
    return prove_gep(p, value);
  case LLVMSelect:
  case LLVMPHI:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
    push_claims_of_operands(p, value);
    return true;
  default:
    return true;
  }
}

static bool prove_value(struct word_end_proof *p, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (cn_holds_ref(type))
    return prove_reference(p, value);
  return LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMIsAUndefValue(value) || prove_integer_multiple(p, value);
}

bool cn_words_prove_tag_bits(struct cn_ctx *ctx, struct cairn_word_kind kind, LLVMValueRef reference)
{
  struct word_end_proof p = {.ctx = ctx, .multiple = UINT64_C(1) << kind.reference_bits};
  bool holds = true;

  CN_ASSERT(p.multiple > 1 && p.multiple <= CAIRN_ABI_OBJECT_ALIGN);
  push_unseen_value(&p, reference);
  while (holds && p.work.count > 0)
    holds = prove_value(&p, p.work.at[--p.work.count]);
  cn_free(&p.work);
  cn_ptrmap_free(&p.seen);
  return holds;
}
