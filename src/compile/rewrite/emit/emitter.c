/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds relocates after statepoints and in landing pads, and makes uses and gc-live entries read other values. Part of
 * rewrite-statepoints; statepoint_call.c builds the statepoints. Needs: struct cn_refs, with parse points that are
 * statepoints already. Provides: relocates; struct cn_emitter's builder, constants and insertion points. Breaks:
 * nothing.
 */
#include "compile/rewrite/emit/emitter.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/sorted.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"

enum { FIXED_ARGUMENT_COUNT = CN_STATEPOINT_FIXED_ARGS };

LLVMBuilderRef cn_emitter_builder(const struct cn_emitter *emitter)
{
  return emitter->builder;
}

bool cn_emitter_has_names(const struct cn_emitter *emitter)
{
  return emitter->names;
}

LLVMValueRef cn_emitter_i32_constant(struct cn_emitter *e, uint64_t n)
{
  if (n >= CN_SMALL_NUMBERS)
    return LLVMConstInt(e->i32, n, false);
  if (!e->numbers[n])
    e->numbers[n] = LLVMConstInt(e->i32, n, false);
  return e->numbers[n];
}

LLVMValueRef cn_emitter_build_call(struct cn_emitter *e, LLVMValueRef declaration, LLVMValueRef *args, unsigned count)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(declaration);

  return LLVMBuildCall2(e->builder, type, declaration, args, count, "");
}

void cn_emitter_move_after_definition(struct cn_emitter *e, LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  LLVMPositionBuilderBefore(e->builder, cn_insertion_point_after(instruction));
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(instruction));
}

static uint32_t live_index_of(const struct cn_parse_point *point, uint32_t value)
{
  size_t low = 0;

  CN_BISECT(low, point->live.count, middle, point->live.at[middle] < value);
  CN_CHECK(low < point->live.count && point->live.at[low] == value);
  return (uint32_t)low;
}

/* Build a gc.relocate at the builder's place, on the token of `point` or of its landing pad. */
static LLVMValueRef build_relocate(struct cn_emitter *e, const struct cn_refs *refs, const struct cn_parse_point *point,
                                   uint32_t value, LLVMValueRef token)
{
  const struct cn_ref_value *v = &refs->values.at[value];

  CN_CHECK(v->base != CN_NO_INDEX && v->scalar);
  LLVMTypeRef type = LLVMTypeOf(v->value);
  LLVMValueRef args[] = {token, cn_emitter_i32_constant(e, live_index_of(point, v->base)),
                         cn_emitter_i32_constant(e, live_index_of(point, value))};
  LLVMValueRef relocate = e->relocate;

  if (LLVMGetPointerAddressSpace(type) != CAIRN_ABI_ADDRESS_SPACE)
    relocate = cn_intrinsic(e->ctx, "llvm.experimental.gc.relocate", &type, 1);
  LLVMValueRef made = cn_emitter_build_call(e, relocate, args, 3);
  LLVMSetInstructionCallConv(made, LLVMColdCallConv);
  if (e->names)
    cn_name_value_after(made, v->value, ".relocated");
  return made;
}

LLVMValueRef cn_emit_relocate(struct cn_emitter *e, struct cn_refs *refs, uint32_t at, uint32_t value,
                              LLVMValueRef before)
{
  struct cn_parse_point *point = &refs->points.at[at];

  if (before) {
    LLVMPositionBuilderBefore(e->builder, before);
    LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(point->call));
  } else {
    cn_emitter_move_after_definition(e, point->last);
  }
  LLVMValueRef made = build_relocate(e, refs, point, value, point->call);
  if (!before)
    point->last = made;
  return made;
}

LLVMValueRef cn_emit_relocate_in_pad(struct cn_emitter *e, const struct cn_refs *refs, uint32_t at, uint32_t value)
{
  const struct cn_parse_point *point = &refs->points.at[at];

  CN_CHECK(LLVMIsAInvokeInst(point->call));
  LLVMValueRef pad = LLVMGetFirstInstruction(LLVMGetUnwindDest(point->call));

  CN_CHECK(LLVMIsALandingPadInst(pad));
  cn_emitter_move_after_definition(e, pad);
  return build_relocate(e, refs, point, value, pad);
}

void cn_emitter_move_after_point(struct cn_emitter *emitter, const struct cn_refs *refs, uint32_t point)
{
  cn_emitter_move_after_definition(emitter, refs->points.at[point].last);
}

static uint32_t statepoint_operand_of(const struct cn_parse_point *point, uint32_t operand)
{
  if (operand < point->args)
    return FIXED_ARGUMENT_COUNT + operand;
  if (operand >= point->deopt && operand < point->deopt_end)
    return FIXED_ARGUMENT_COUNT + point->args + 2 + operand - point->deopt;
  CN_CHECK(operand >= point->transition);
  return point->transition_at + operand - point->transition;
}

void cn_emitter_replace_use(const struct cn_refs *refs, const struct cn_ref_use *use, LLVMValueRef to)
{
  if (use->point == CN_NO_INDEX) {
    CN_ASSERT(LLVMTypeOf(LLVMGetOperand(use->user, use->operand)) == LLVMTypeOf(to));
    LLVMSetOperand(use->user, use->operand, to);
    return;
  }
  const struct cn_parse_point *point = &refs->points.at[use->point];
  CN_ASSERT(cn_classify_call(point->call).kind == CN_CALL_STATEPOINT);
  LLVMSetOperand(point->call, statepoint_operand_of(point, use->operand), to);
}

void cn_emitter_replace_live_entry(const struct cn_refs *refs, uint32_t at, uint32_t value, LLVMValueRef to)
{
  const struct cn_parse_point *point = &refs->points.at[at];

  LLVMSetOperand(point->call, point->live_operand + live_index_of(point, value), to);
}
