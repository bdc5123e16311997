/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses accesses, attributes and assumptions of more alignment than objects have, and masks that round a reference to
 * such an alignment. Part of pass `rules`.
 *
 * Needs: the front end's IR. Provides: each alignment that the IR states for a reference is at most
 * CAIRN_ABI_OBJECT_ALIGN, or an error. Breaks: nothing.
 *
 * Static objects keep their alignment, because they never move.
 *
 * A larger alignment may be true at first and false after the object moves, so that an aligned vector access faults. An
 * alignment depends on the object's address, like the integers that stale_integers.c finds, but the IR states an
 * alignment in an attribute or assumption instead of a value.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"
#include "compile/source/rules.h"

static void refuse_over_alignment(struct cn_ctx *ctx, LLVMValueRef at, uint64_t align)
{
  CN_ASSERT(align > CAIRN_ABI_OBJECT_ALIGN);
  cn_error(ctx, at, "over-aligned",
           "the code assumes that a reference's object is aligned to %lu bytes, but the collector aligns objects "
           "to %d: an access would fault; leave out the alignment, or correct the alignment of the type",
           (unsigned long)align, CAIRN_ABI_OBJECT_ALIGN);
}

static LLVMValueRef accessed_address_of(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(i, 0);
  case LLVMStore:
    return LLVMGetOperand(i, 1);
  default:
    return NULL;
  }
}

static void check_access_alignment(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMValueRef address = accessed_address_of(i);

  if (address && cn_is_ref(LLVMTypeOf(address)) && LLVMGetAlignment(i) > CAIRN_ABI_OBJECT_ALIGN &&
      !cn_types_managed_variable_of(address))
    refuse_over_alignment(ctx, i, LLVMGetAlignment(i));
}

static void check_align_attribute(struct cn_ctx *ctx, LLVMValueRef at, LLVMAttributeRef attribute, LLVMValueRef value)
{
  uint64_t align = attribute ? LLVMGetEnumAttributeValue(attribute) : 0;

  if (align > CAIRN_ABI_OBJECT_ALIGN && cn_is_ref(LLVMTypeOf(value)) && !cn_types_managed_variable_of(value))
    refuse_over_alignment(ctx, at, align);
}

/* Check llvm.assume(true) [ "align"(reference, alignment) ]. */
static void check_align_bundles(struct cn_ctx *ctx, LLVMValueRef call)
{
  for (unsigned n = 0; n < LLVMGetNumOperandBundles(call); n++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, n);
    size_t length;
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    if (length == 5 && memcmp(tag, "align", 5) == 0 && LLVMGetNumOperandBundleArgs(bundle) > 1) {
      LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperandBundleArgAtIndex(bundle, 1));
      uint64_t align = by ? LLVMConstIntGetZExtValue(by) : UINT64_MAX;
      if (align > CAIRN_ABI_OBJECT_ALIGN && cn_is_ref(LLVMTypeOf(LLVMGetOperandBundleArgAtIndex(bundle, 0))))
        refuse_over_alignment(ctx, call, align);
    }
    LLVMDisposeOperandBundle(bundle);
  }
}

/* Check __builtin_align_down(reference, alignment), whose distance from the reference depends on the address. */
static void check_pointer_mask(struct cn_ctx *ctx, LLVMValueRef call)
{
  if (!cn_is_ref(LLVMTypeOf(call)) || !cn_calls_intrinsic(call, "llvm.ptrmask"))
    return;
  LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(call, 1));
  uint64_t cleared = mask ? ~LLVMConstIntGetZExtValue(mask) : UINT64_MAX;
  if (cleared >= CAIRN_ABI_OBJECT_ALIGN)
    cn_error(ctx, call, "over-aligned",
             "an address in an object is rounded, but the object is aligned to %d bytes only: "
             "when it moves, the place in it that this yields is another; round an index",
             CAIRN_ABI_OBJECT_ALIGN);
}

static void check_call_alignment(struct cn_ctx *ctx, LLVMValueRef call)
{
  unsigned kind = cn_attribute_kind("align");

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
    check_align_attribute(ctx, call, LLVMGetCallSiteEnumAttribute(call, a + 1, kind), LLVMGetOperand(call, a));
  check_align_attribute(ctx, call, LLVMGetCallSiteEnumAttribute(call, LLVMAttributeReturnIndex, kind), call);
  check_align_bundles(ctx, call);
  check_pointer_mask(ctx, call);
}

void cn_rules_check_alignment(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned kind = cn_attribute_kind("align");

  CN_ASSERT(LLVMIsAFunction(function));
  for (unsigned p = 0; p < LLVMCountParams(function); p++)
    check_align_attribute(ctx, function, LLVMGetEnumAttributeAtIndex(function, p + 1, kind), LLVMGetParam(function, p));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      check_access_alignment(ctx, i);
      if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
        check_call_alignment(ctx, i);
    }
}
