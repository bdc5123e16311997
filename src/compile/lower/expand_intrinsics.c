/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `expand-intrinsics`: replaces fills with patterns, and intrinsics that store references to which Cairn cannot
 * add barriers, checks or polls. The optimiser replaces loops by these intrinsics, perhaps before Cairn gets the
 * module.
 *
 *   llvm.experimental.memset.pattern     a loop, which place-safepoints and insert-barriers know
 *   stores of lanes with references      a store for each lane, of those that go to ordinary memory
 *                                        (check-stores checks each), or whose number or distance varies
 *
 * Needs: the final calls from the optimiser. Provides: managed functions without these calls, except for scalable
 * vectors, which check-stores and insert-barriers refuse. Breaks: struct cn_cfg.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

struct intrinsic_expansion {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef call;
  const struct cn_intrinsic *row;
};

static LLVMValueRef operand_of(const struct intrinsic_expansion *e, int which)
{
  CN_CHECK(which >= 0);
  return LLVMGetArgOperand(e->call, (unsigned)which);
}

static LLVMValueRef make_i64(const struct intrinsic_expansion *e, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(e->ctx->llvm), value, false);
}

static void position_builder(const struct intrinsic_expansion *e, LLVMValueRef before)
{
  LLVMPositionBuilderBefore(e->builder, before);
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(e->call));
}

/* The alignment of all addresses at multiples of `distance` bytes from the call's address, whose alignment an attribute
 * gives. */
static unsigned common_alignment_of(const struct intrinsic_expansion *e, uint64_t distance)
{
  LLVMAttributeRef align =
      LLVMGetCallSiteEnumAttribute(e->call, (LLVMAttributeIndex)e->row->place + 1, cn_attribute_kind("align"));
  uint64_t first = align ? LLVMGetEnumAttributeValue(align) : 1, both = first | distance;

  return (unsigned)(both & -both);
}

static void build_store(const struct intrinsic_expansion *e, LLVMValueRef value, LLVMValueRef slot, unsigned align,
                        bool is_volatile)
{
  LLVMValueRef made = LLVMBuildStore(e->builder, value, slot);

  LLVMSetAlignment(made, align);
  LLVMSetVolatile(made, is_volatile);
}

/* ---- a pattern ---- */

/* Emit a loop that stores the value at each index from 0 to `count` - 1. `count` is at least 1. */
static void emit_fill_loop(const struct intrinsic_expansion *e, LLVMBasicBlockRef loop, LLVMBasicBlockRef done,
                           LLVMBasicBlockRef before, LLVMValueRef count)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(e->ctx->llvm);
  LLVMValueRef value = operand_of(e, e->row->value), zero = make_i64(e, 0);
  LLVMTypeRef type = LLVMTypeOf(value);

  LLVMPositionBuilderAtEnd(e->builder, loop);
  LLVMValueRef i = LLVMBuildPhi(e->builder, i64, "");
  LLVMValueRef slot = LLVMBuildGEP2(e->builder, type, operand_of(e, e->row->place), &i, 1, "");
  build_store(e, value, slot, common_alignment_of(e, LLVMABISizeOfType(e->ctx->layout, type)),
              !LLVMIsNull(operand_of(e, e->row->length + 1)));
  LLVMValueRef next = LLVMBuildNUWAdd(e->builder, i, make_i64(e, 1), "");
  LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, next, count, "");
  LLVMBuildCondBr(e->builder, last, done, loop);
  LLVMAddIncoming(i, &zero, &before, 1);
  LLVMAddIncoming(i, &next, &loop, 1);
}

static void expand_pattern(const struct intrinsic_expansion *e)
{
  LLVMBasicBlockRef before = LLVMGetInstructionParent(e->call);
  LLVMBasicBlockRef done = cn_split_block_before(e->ctx, e->call, "filled");
  LLVMBasicBlockRef loop = LLVMInsertBasicBlockInContext(e->ctx->llvm, done, "fill");
  LLVMValueRef end = LLVMGetBasicBlockTerminator(before);

  position_builder(e, end);
  LLVMValueRef count =
      LLVMBuildIntCast2(e->builder, operand_of(e, e->row->length), LLVMInt64TypeInContext(e->ctx->llvm), false, "");
  LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, count, make_i64(e, 0), "");
  LLVMBuildCondBr(e->builder, none, done, loop);
  LLVMInstructionEraseFromParent(end);
  emit_fill_loop(e, loop, done, before, count);
}

/* ---- lanes ---- */

/* Build the condition of the store of a lane, from the mask and the number of lanes. An undefined or poison bit is
 * frozen, because branches may depend only on defined bits. */
static LLVMValueRef build_lane_condition(const struct intrinsic_expansion *e, unsigned lane)
{
  LLVMValueRef bit = LLVMBuildExtractElement(e->builder, operand_of(e, e->row->mask), make_i64(e, lane), "");

  if (LLVMIsUndef(bit))
    return LLVMConstNull(LLVMTypeOf(bit));
  if (!LLVMIsConstant(bit))
    bit = LLVMBuildFreeze(e->builder, bit, "");
  if (e->row->length < 0)
    return bit;
  LLVMValueRef length = operand_of(e, e->row->length);
  LLVMValueRef in = LLVMBuildICmp(e->builder, LLVMIntULT, LLVMConstInt(LLVMTypeOf(length), lane, false), length, "");
  return LLVMBuildAnd(e->builder, bit, in, "");
}

static void enter_conditional_block(const struct intrinsic_expansion *e, LLVMValueRef bit)
{
  LLVMBasicBlockRef before = LLVMGetInstructionParent(e->call);
  LLVMBasicBlockRef done = cn_split_block_before(e->ctx, e->call, "lane.done");
  LLVMBasicBlockRef lane = LLVMInsertBasicBlockInContext(e->ctx->llvm, done, "lane");
  LLVMValueRef end = LLVMGetBasicBlockTerminator(before);

  position_builder(e, end);
  LLVMBuildCondBr(e->builder, bit, lane, done);
  LLVMInstructionEraseFromParent(end);
  LLVMPositionBuilderAtEnd(e->builder, lane);
  position_builder(e, LLVMBuildBr(e->builder, done));
}

/* The bytes from a lane's address to the next lane's, if the call has such an operand; else null. */
static LLVMValueRef stride_of(const struct intrinsic_expansion *e)
{
  return cn_calls_intrinsic(e->call, "llvm.experimental.vp.strided.store") ? operand_of(e, e->row->place + 1) : NULL;
}

static LLVMValueRef build_strided_address(const struct intrinsic_expansion *e, LLVMValueRef stride, unsigned lane)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(e->ctx->llvm);
  LLVMValueRef wide = LLVMBuildIntCast2(e->builder, stride, i64, true, "");
  LLVMValueRef bytes = LLVMBuildMul(e->builder, wide, make_i64(e, lane), "");

  return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->ctx->llvm), operand_of(e, e->row->place), &bytes, 1, "");
}

/* The address of a lane. `before` is the number of lanes stored before it if the stores are packed, else null. */
static LLVMValueRef build_lane_address(const struct intrinsic_expansion *e, LLVMTypeRef element, unsigned lane,
                                       LLVMValueRef before)
{
  LLVMValueRef places = operand_of(e, e->row->place), index = make_i64(e, lane), stride = stride_of(e);

  if (stride)
    return build_strided_address(e, stride, lane);
  if (LLVMGetTypeKind(LLVMTypeOf(places)) == LLVMVectorTypeKind)
    return LLVMBuildExtractElement(e->builder, places, index, "");
  return LLVMBuildGEP2(e->builder, element, places, before ? &before : &index, 1, "");
}

static void expand_lanes(const struct intrinsic_expansion *e)
{
  LLVMValueRef vector = operand_of(e, e->row->value), before = NULL;
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector));
  uint64_t distance = stride_of(e) ? 1 : LLVMABISizeOfType(e->ctx->layout, element);
  unsigned align = common_alignment_of(e, distance);

  if (cn_calls_intrinsic(e->call, "llvm.masked.compressstore"))
    before = make_i64(e, 0);
  for (unsigned lane = 0; lane < LLVMGetVectorSize(LLVMTypeOf(vector)); lane++) {
    position_builder(e, e->call);
    LLVMValueRef bit = build_lane_condition(e, lane), is_before = before;
    if (before)
      before = LLVMBuildAdd(e->builder, before, LLVMBuildZExt(e->builder, bit, LLVMTypeOf(before), ""), "");
    if (LLVMIsAConstantInt(bit) && LLVMIsNull(bit))
      continue;
    if (!LLVMIsAConstantInt(bit))
      enter_conditional_block(e, bit);
    LLVMValueRef slot = build_lane_address(e, element, lane, is_before);
    LLVMValueRef value = LLVMBuildExtractElement(e->builder, vector, make_i64(e, lane), "");
    build_store(e, value, slot, align, false);
  }
}

/* ---- the pass ---- */

static bool stores_ref_lanes(const struct intrinsic_expansion *e)
{
  LLVMTypeRef type = LLVMTypeOf(operand_of(e, e->row->value));

  return e->row->effect == CN_EFFECT_STORE && cn_is_ref_vector(type) && !cn_holds_scalable_vector(type) &&
         (e->row->length >= 0 || !cn_holds_ref(LLVMTypeOf(operand_of(e, e->row->place))));
}

static void expand_call(const struct intrinsic_expansion *e)
{
  bool pattern = e->row->effect == CN_EFFECT_PATTERN;

  if (!pattern && !stores_ref_lanes(e))
    return;
  if (pattern)
    expand_pattern(e);
  else
    expand_lanes(e);
  LLVMInstructionEraseFromParent(e->call);
}

bool cn_expand_intrinsics(struct cn_ctx *ctx)
{
  struct intrinsic_expansion e = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  CN_VECTOR(LLVMValueRef) calls = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      CN_EACH_BLOCK(b, f)
        CN_EACH_INSTRUCTION(i, b)
          if (LLVMIsACallInst(i) &&
              (cn_intrinsic_has_effect(i, CN_EFFECT_PATTERN) || cn_intrinsic_has_effect(i, CN_EFFECT_STORE)))
            cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++) {
    e.call = calls.at[i];
    e.row = cn_intrinsic_row_of_call(e.call);
    expand_call(&e);
  }
  cn_free(&calls);
  LLVMDisposeBuilder(e.builder);
  return ctx->errors == 0;
}
