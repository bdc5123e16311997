/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the calls that are points, and makes the operands that describe points. Needs, breaks: nothing. Provides: the
 * functions of points.h.
 */
#include "compile/effects/points.h"

#include "base/check.h"
#include "compile/core/convention.h"

enum { BYTES_OPERAND = 1, TARGET_OPERAND = 2, COUNT_OPERAND = 3 };
enum { STACKMAP_FIXED_OPERANDS = 2, PATCHPOINT_FIXED_OPERANDS = 4 };
/* The operands of a description other than classes: mark, kind, bytes, arguments; and the length. */
enum { HEAD_OPERANDS = 4 };

/* ---- calls ---- */

static bool is_word(LLVMValueRef operand, uint64_t *value)
{
  if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) != 64)
    return false;
  *value = LLVMConstIntGetZExtValue(operand);
  return true;
}

static bool is_patchpoint(LLVMValueRef instruction)
{
  return cn_calls_intrinsic(instruction, "llvm.experimental.patchpoint") ||
         cn_calls_intrinsic(instruction, "llvm.experimental.patchpoint.void");
}

bool cn_is_point_call(LLVMValueRef instruction)
{
  return cn_calls_intrinsic(instruction, "llvm.experimental.stackmap") || is_patchpoint(instruction);
}

struct cn_point_call cn_point_call_of(LLVMValueRef call)
{
  struct cn_point_call point = {.call = call, .is_patchpoint = is_patchpoint(call)};
  unsigned operands = LLVMGetNumArgOperands(call);

  CN_ASSERT(cn_is_point_call(call));
  point.bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, BYTES_OPERAND));
  if (point.is_patchpoint) {
    point.target = LLVMGetOperand(call, TARGET_OPERAND);
    point.arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(call, COUNT_OPERAND));
  }
  point.first = point.is_patchpoint ? PATCHPOINT_FIXED_OPERANDS : STACKMAP_FIXED_OPERANDS;
  point.live = point.arguments <= operands - point.first ? point.first + (unsigned)point.arguments : operands;
  point.end = cn_point_find_description(call, point.live, operands);
  return point;
}

bool cn_is_point_fence(LLVMValueRef instruction)
{
  enum { MARK_OPERAND = STACKMAP_FIXED_OPERANDS, KIND_OPERAND };
  uint64_t mark, kind;

  return cn_calls_intrinsic(instruction, "llvm.experimental.stackmap") &&
         LLVMGetNumArgOperands(instruction) == STACKMAP_FIXED_OPERANDS + HEAD_OPERANDS + 1 &&
         is_word(LLVMGetOperand(instruction, MARK_OPERAND), &mark) && mark == CAIRN_ABI_POINT_MARK &&
         is_word(LLVMGetOperand(instruction, KIND_OPERAND), &kind) && kind == CAIRN_ABI_POINT_FENCE;
}

bool cn_point_records_arguments(const struct cn_point_call *point)
{
  return point->is_patchpoint && LLVMGetInstructionCallConv(point->call) == CN_CONVENTION_ANY_REGISTER;
}

/* ---- values ---- */

const char *cn_point_type_flaw(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64 ? NULL
                                           : "an integer of more than 64 bits, of which LLVM 22 records a part, or "
                                             "another number in each compilation: pass its words";
  case LLVMPointerTypeKind:
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    return NULL;
  case LLVMBFloatTypeKind:
    return "a bfloat, which LLVM 22 records as an integer: pass an i16, by bitcast";
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
    return "an aggregate, of which LLVM 22 records the first field: pass the fields, by extractvalue";
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind:
    return "a vector, whose form in the record depends on the target: pass its elements, by extractelement";
  default:
    return cn_is_returned_on_x87_stack(type)
               ? "a long double, which LLVM 22 leaves out of the record, so that later values take its place: pass a "
                 "pointer to it"
               : "a value that is neither a number nor a pointer";
  }
}

/* True for an alloca that LLVM places in the frame at a constant distance from its base. */
static bool has_fixed_place(LLVMValueRef value)
{
  if (!LLVMIsAAllocaInst(value) || !LLVMIsAConstantInt(LLVMGetOperand(value, 0)))
    return false;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) &&
         !cn_holds_scalable_vector(LLVMGetAllocatedType(value));
}

static uint64_t class_of(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (LLVMIsUndef(value))
    return CAIRN_ABI_POINT_UNDEFINED;
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    return CAIRN_ABI_POINT_VECTOR;
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind)
    return CAIRN_ABI_POINT_INTEGER;
  if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
    return CAIRN_ABI_POINT_FLOAT;
  if (cn_is_ref(type))
    return CAIRN_ABI_POINT_REFERENCE;
  return has_fixed_place(value) ? CAIRN_ABI_POINT_LOCAL : CAIRN_ABI_POINT_POINTER;
}

uint64_t cn_point_class_word(struct cn_ctx *ctx, LLVMValueRef value)
{
  uint64_t bits = LLVMSizeOfTypeInBits(ctx->layout, LLVMTypeOf(value));
  CN_ASSERT(bits <= CAIRN_ABI_DEOPT_BITS_MAX);
  return class_of(value) | bits << CAIRN_ABI_POINT_BITS_SHIFT;
}

/* ---- descriptions ---- */

unsigned cn_point_find_description(LLVMValueRef user, unsigned first, unsigned end)
{
  uint64_t length, mark;

  if (end - first < HEAD_OPERANDS + 1 || !is_word(LLVMGetOperand(user, end - 1), &length) || length < HEAD_OPERANDS ||
      length > end - 1 - first)
    return end;
  unsigned at = end - 1 - (unsigned)length;
  return is_word(LLVMGetOperand(user, at), &mark) && mark == CAIRN_ABI_POINT_MARK ? at : end;
}

static void push_word(struct cn_ctx *ctx, struct cn_operands *out, uint64_t value)
{
  cn_push(&out->values, LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), value, false));
}

void cn_point_append_description(struct cn_ctx *ctx, const struct cn_point_description *d, struct cn_operands *out)
{
  CN_ASSERT(d->kind <= CAIRN_ABI_POINT_FENCE);
  push_word(ctx, out, CAIRN_ABI_POINT_MARK);
  push_word(ctx, out,
            d->kind | d->convention << CAIRN_ABI_POINT_CONVENTION_SHIFT | d->flags << CAIRN_ABI_POINT_FLAGS_SHIFT);
  push_word(ctx, out, d->bytes);
  push_word(ctx, out, d->arguments);
  for (size_t i = 0; i < d->count; i++)
    push_word(ctx, out, cn_point_class_word(ctx, d->values[i]));
  push_word(ctx, out, HEAD_OPERANDS + d->count);
}
