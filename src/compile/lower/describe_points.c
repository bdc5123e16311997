/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `describe-points`: describes the calls of llvm.experimental.stackmap and patchpoint to the reader of their
 * records (stackmaps-v2; abi.def, "Points"), and refuses those that LLVM 22 cannot lower. rewrite-statepoints describes
 * statepoints with patch bytes.
 *
 * Needs: a module after the optimiser, which may change the values that a point records, with its final statepoints.
 * Provides: points with one description each; fences; targets that are constants; live values that are defined. Breaks:
 * pointers to the calls.
 *
 * LLVM keeps the return addresses of ordinary calls out of a shadow, and not those of statepoints. A fence, which is a
 * stackmap without shadow, ends a shadow before each statepoint that may follow it (point_fences.c).
 *
 * LLVM records an undefined value as the contents of some register. The description names such a value, and a constant
 * replaces it. If the pass runs again, it makes the descriptions anew.
 */
#include <llvm-c/DebugInfo.h>
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/lower/lower.h"
#include "compile/lower/point_fences.h"
#include "compile/lower/point_flaws.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

enum { TARGET_OPERAND = 2, FIRST_CLASS = 4 };

static bool is_void(LLVMValueRef call)
{
  return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind;
}

/* ---- operands ---- */

/* The target, as a constant if a cast instruction makes it: instruction selection needs a constant in the block of the
 * call. */
static LLVMValueRef constant_target(const struct cn_point_call *point)
{
  LLVMValueRef target = point->target;

  return LLVMIsAIntToPtrInst(target) ? LLVMConstIntToPtr(LLVMGetOperand(target, 0), LLVMTypeOf(target)) : target;
}

/* True if an earlier run of the pass has replaced live value `operand`, which was undefined, by a constant. */
static bool was_undefined(const struct cn_point_call *point, unsigned operand, size_t result_and_arguments)
{
  unsigned end = LLVMGetNumArgOperands(point->call);
  size_t values = result_and_arguments + (point->end - point->live);

  if (end - point->end != FIRST_CLASS + values + 1)
    return false;
  size_t at = point->end + FIRST_CLASS + result_and_arguments + (operand - point->live);
  LLVMValueRef word = LLVMGetOperand(point->call, (unsigned)at), value = LLVMGetOperand(point->call, operand);
  return LLVMIsAConstantInt(value) && LLVMIsNull(value) && LLVMIsAConstantInt(word) &&
         (LLVMConstIntGetZExtValue(word) & 0xff) == CAIRN_ABI_POINT_UNDEFINED;
}

/* The values that the description lists: the result, recorded arguments, live values. */
static value_vector described_values_of(const struct cn_point_call *point)
{
  bool recorded = cn_point_records_arguments(point);
  value_vector values = {0};

  if (recorded && !is_void(point->call))
    cn_push(&values, point->call);
  for (unsigned i = recorded ? point->first : point->live; i < point->end; i++) {
    LLVMValueRef value = LLVMGetOperand(point->call, i);
    bool undefined = i >= point->live && was_undefined(point, i, values.count - (i - point->live));
    cn_push(&values, undefined ? LLVMGetUndef(LLVMTypeOf(value)) : value);
  }
  return values;
}

/* The constant 0 with the width of an undefined value. */
static LLVMValueRef zero_for(struct cn_ctx *ctx, LLVMValueRef undefined)
{
  uint64_t bits = LLVMSizeOfTypeInBits(ctx->layout, LLVMTypeOf(undefined));

  return LLVMConstInt(LLVMIntTypeInContext(ctx->llvm, (unsigned)bits), 0, false);
}

static void append_own_operands(struct cn_ctx *ctx, const struct cn_point_call *point, struct cn_operands *out)
{
  for (unsigned i = 0; i < point->end; i++) {
    LLVMValueRef value = LLVMGetOperand(point->call, i);
    if (point->is_patchpoint && i == TARGET_OPERAND)
      value = constant_target(point);
    cn_push(&out->values, i >= point->live && LLVMIsUndef(value) ? zero_for(ctx, value) : value);
  }
}

static void append_description(struct cn_ctx *ctx, const struct cn_point_call *point, struct cn_operands *out)
{
  bool recorded = cn_point_records_arguments(point);
  value_vector values = described_values_of(point);
  struct cn_point_description d = {
      .kind = point->is_patchpoint ? CAIRN_ABI_POINT_PATCHPOINT : CAIRN_ABI_POINT_SHADOW,
      .convention = LLVMGetInstructionCallConv(point->call),
      .bytes = point->bytes,
      .arguments = recorded ? point->arguments : 0,
      .values = values.at,
      .count = values.count,
  };

  if (recorded && !is_void(point->call))
    d.flags |= CAIRN_ABI_POINT_HAS_RESULT;
  if (point->target && !LLVMIsNull(constant_target(point)))
    d.flags |= CAIRN_ABI_POINT_HAS_TARGET;
  cn_point_append_description(ctx, &d, out);
  cn_free(&values);
}

/* ---- calls ---- */

static bool has_operands(LLVMValueRef call, const struct cn_operands *operands)
{
  if (LLVMGetNumArgOperands(call) != operands->values.count)
    return false;
  for (unsigned i = 0; i < operands->values.count; i++)
    if (LLVMGetOperand(call, i) != operands->values.at[i])
      return false;
  return true;
}

static LLVMValueRef build_call(LLVMBuilderRef builder, LLVMValueRef call, const struct cn_operands *operands)
{
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef callee = LLVMGetCalledValue(call), *values = operands->values.at;
  unsigned count = (unsigned)operands->values.count;

  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  if (LLVMIsAInvokeInst(call))
    return LLVMBuildInvoke2(builder, type, callee, values, count, LLVMGetNormalDest(call), LLVMGetUnwindDest(call), "");
  LLVMValueRef made = LLVMBuildCall2(builder, type, callee, values, count, "");
  LLVMSetTailCallKind(made, LLVMGetTailCallKind(call));
  return made;
}

/* Replace the call by a call with these operands. The attributes of live values go, because a constant may have
 * replaced a value. */
static void replace_call(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_point_call *point,
                         const struct cn_operands *operands)
{
  LLVMValueRef call = point->call, made = build_call(builder, call, operands);

  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  cn_emit_copy_attributes(call, CN_FUNCTION_INDEX, made, CN_FUNCTION_INDEX, NULL);
  for (LLVMAttributeIndex i = LLVMAttributeReturnIndex; i <= point->live; i++)
    cn_emit_copy_attributes(call, i, made, i, NULL);
  cn_emit_copy_metadata(ctx, call, made);
  cn_emit_replace_instruction(call, made);
}

static void describe_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call)
{
  struct cn_point_call point = cn_point_call_of(call);
  struct cn_operands operands = {0};

  if (!cn_refuse_point_flaws(ctx, &point))
    return;
  append_own_operands(ctx, &point, &operands);
  append_description(ctx, &point, &operands);
  if (!has_operands(call, &operands))
    replace_call(ctx, builder, &point, &operands);
  cn_free(&operands.values);
}

bool cn_describe_points(struct cn_ctx *ctx)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  value_vector calls = {0};

  CN_EACH_FUNCTION(f, ctx->module) {
    cn_remove_point_fences(f);
    cn_deopt_operands_replace(ctx, f);
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_is_point_call(i))
          cn_push(&calls, i);
    for (size_t i = 0; i < calls.count; i++)
      describe_call(ctx, builder, calls.at[i]);
    if (calls.count)
      cn_insert_point_fences(ctx, builder, f);
    calls.count = 0;
  }
  cn_free(&calls);
  LLVMDisposeBuilder(builder);
  return ctx->errors == 0;
}
