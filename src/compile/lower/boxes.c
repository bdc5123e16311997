/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers boxes: words with some of the 16 upper bits set, which no address of the heap has (docs/words.md, "NaN
 * boxes"). Collectors leave a box unchanged, as each address outside of the heap, so boxes need no kind of words. Three
 * opaque, pure functions make and read boxes: cairn.box.from(bits), cairn.box.is(word) and cairn.box.bits(word). Part
 * of pass `lower-tags`.
 *
 * Needs: final, verified statepoints. Provides: arithmetic instead of all calls of the three functions. Breaks:
 * verify-safepoints, which would mistake the bits for addresses.
 *
 * The result of cairn.box.from is null for bits whose upper 16 bits are zero, so no program forges a reference.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/tags.h"

enum box_function { BOX_FROM_BITS, BOX_IS, BOX_BITS, BOX_FUNCTION_COUNT };
enum { ADDRESS_BITS = 48 };

static const char *const box_function_names[BOX_FUNCTION_COUNT] = {CN_BOX_FROM, CN_BOX_IS, CN_BOX_BITS};

static LLVMValueRef find_box_function(struct cn_ctx *ctx, enum box_function which)
{
  LLVMTypeRef ref = cn_ref_type(ctx), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMTypeRef results[BOX_FUNCTION_COUNT] = {ref, LLVMInt1TypeInContext(ctx->llvm), i64};
  LLVMTypeRef type = LLVMFunctionType(results[which], which == BOX_FROM_BITS ? &i64 : &ref, 1, false);

  return cn_tags_find_function(ctx, box_function_names[which], type);
}

void cn_boxes_prepare_functions(struct cn_ctx *ctx)
{
  for (enum box_function which = BOX_FROM_BITS; which < BOX_FUNCTION_COUNT; which++) {
    LLVMValueRef function = find_box_function(ctx, which);
    if (!function)
      continue;
    cn_tags_add_leaf_attributes(ctx, function);
    if (which == BOX_FROM_BITS)
      LLVMAddAttributeAtIndex(
          function, LLVMAttributeReturnIndex,
          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_IMMOVABLE, sizeof CN_ATTR_IMMOVABLE - 1, "", 0));
  }
}

/* ---- lowering ---- */

struct box_lowering {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMTypeRef i64;
};

static bool is_constant_box(LLVMValueRef bits)
{
  return LLVMIsAConstantInt(bits) && LLVMConstIntGetZExtValue(bits) >> ADDRESS_BITS != 0;
}

/* True if the integer surely has some of the upper bits: it is a constant, or a constant was or-ed into it. */
static bool has_box_bits(LLVMValueRef bits)
{
  bool either = LLVMIsAInstruction(bits) && LLVMGetInstructionOpcode(bits) == LLVMOr;

  return is_constant_box(bits) ||
         (either && (is_constant_box(LLVMGetOperand(bits, 0)) || is_constant_box(LLVMGetOperand(bits, 1))));
}

static LLVMValueRef build_box_test(const struct box_lowering *l, LLVMValueRef bits)
{
  LLVMValueRef high = LLVMBuildLShr(l->builder, bits, LLVMConstInt(l->i64, ADDRESS_BITS, false), "");

  return LLVMBuildICmp(l->builder, LLVMIntNE, high, LLVMConstNull(l->i64), "");
}

static LLVMValueRef lower_box_from(const struct box_lowering *l, LLVMValueRef bits)
{
  if (!has_box_bits(bits))
    bits = LLVMBuildSelect(l->builder, build_box_test(l, bits), bits, LLVMConstNull(l->i64), "");
  return LLVMBuildIntToPtr(l->builder, bits, cn_ref_type(l->ctx), "");
}

static LLVMValueRef lower_box_call(const struct box_lowering *l, enum box_function which, LLVMValueRef operand)
{
  if (which == BOX_FROM_BITS)
    return lower_box_from(l, operand);
  LLVMValueRef bits = LLVMBuildPtrToInt(l->builder, operand, l->i64, "");
  return which == BOX_IS ? build_box_test(l, bits) : bits;
}

static bool lower_calls(const struct box_lowering *l, enum box_function which)
{
  LLVMValueRef function = find_box_function(l->ctx, which);

  if (!function)
    return false;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
    LLVMValueRef call = LLVMGetUser(use);
    CN_CHECK(LLVMIsACallInst(call)); /* find_box_function() has checked the calls */
    LLVMPositionBuilderBefore(l->builder, call);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
    LLVMReplaceAllUsesWith(call, lower_box_call(l, which, LLVMGetOperand(call, 0)));
    LLVMInstructionEraseFromParent(call);
  }
  LLVMDeleteFunction(function);
  return true;
}

bool cn_boxes_lower(struct cn_ctx *ctx, LLVMBuilderRef builder)
{
  struct box_lowering l = {ctx, builder, LLVMInt64TypeInContext(ctx->llvm)};
  bool any = false;

  CN_CHECK(builder != NULL);
  for (enum box_function which = BOX_FROM_BITS; which < BOX_FUNCTION_COUNT; which++)
    any |= lower_calls(&l, which);
  return any;
}
