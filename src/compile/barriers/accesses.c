/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the references in managed memory that an instruction reads or writes, for insert-barriers and note-stores. The
 * verifier finds accesses with independent code (verify/barriers/barrier_accesses.c).
 *
 * Needs: nothing. Provides: struct cn_access. Breaks: nothing.
 */
#include "compile/analysis/calls.h"
#include "compile/effects/intrinsics.h"
#include "compile/barriers/barriers.h"

static const struct cn_access no_access;

static struct cn_access make_unknown_access(const char *why)
{
  return (struct cn_access){.kind = CN_ACCESS_UNKNOWN, .why = why};
}

static LLVMValueRef store_size_constant(struct cn_ctx *ctx, LLVMTypeRef type)
{
  return LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), LLVMStoreSizeOfType(ctx->layout, type), false);
}

/* An access to a value of `type` at `slot`; `value` is null for a read. */
static struct cn_access make_typed_access(struct cn_ctx *ctx, LLVMTypeRef type, LLVMValueRef slot, LLVMValueRef value)
{
  if (!cn_is_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return no_access;
  if (cn_is_ref(type))
    return (struct cn_access){.kind = CN_ACCESS_ONE_REFERENCE, .slot = slot, .value = value};
  if (cn_holds_scalable_vector(type))
    return make_unknown_access("a scalable vector of references");
  if (LLVMStoreSizeOfType(ctx->layout, type) == 0)
    return no_access;
  return (struct cn_access){
      .kind = CN_ACCESS_RANGE, .slot = slot, .value = value, .bytes = store_size_constant(ctx, type)};
}

/* An access to the lanes of a vector of `type` that `mask` selects. The vector `slot` has the lanes' addresses, or a
 * scalar `slot` is the address of adjacent lanes. With cards, an access to adjacent lanes counts as a write of all
 * lanes, because extra marks are harmless, even for addresses outside the heap. */
static struct cn_access make_lane_access(struct cn_ctx *ctx, LLVMTypeRef type, LLVMValueRef slot, LLVMValueRef mask,
                                         LLVMValueRef value)
{
  bool apart = LLVMGetTypeKind(LLVMTypeOf(slot)) == LLVMVectorTypeKind;

  if (!cn_holds_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return no_access;
  if (cn_holds_scalable_vector(type))
    return make_unknown_access("a scalable vector of references");
  if (!apart && (ctx->options->barriers == CAIRN_BARRIERS_CARDS || mask == LLVMConstAllOnes(LLVMTypeOf(mask))))
    return make_typed_access(ctx, type, slot, value);
  return (struct cn_access){.kind = CN_ACCESS_LANES, .slot = slot, .mask = mask, .value = value};
}

/* True for a copy in line. A copy that is a safepoint calls a function of the runtime, which has its own barriers. */
static bool is_inline_copy(LLVMValueRef call)
{
  return cn_intrinsic_has_effect(call, CN_EFFECT_COPY) && cn_classify_call(call).kind != CN_CALL_PARSE_POINT;
}

/* An access to `bytes` bytes. Fewer than 8 bytes cannot contain a reference. */
static struct cn_access make_bulk_access(LLVMValueRef pointer, LLVMValueRef bytes)
{
  bool few = LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) < sizeof(uint64_t);

  if (!cn_is_ref(LLVMTypeOf(pointer)) || few)
    return no_access;
  return (struct cn_access){.kind = CN_ACCESS_RANGE, .slot = pointer, .bytes = bytes};
}

/* True for assembly that gets references as operands and may write memory. */
static bool may_assembly_write(LLVMValueRef call)
{
  return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && cn_call_touches_references(call) &&
         !cn_calls_has_attribute(call, "memory") && !cn_calls_has_attribute(call, "readonly") &&
         LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(call));
}

static const char varying_lanes_reason[] = "references in lanes whose number varies";
static const char unknown_intrinsic_reason[] = "an intrinsic whose effect on references is unknown";

static struct cn_access lanes_written_by_call(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_intrinsic *row)
{
  LLVMValueRef value = LLVMGetArgOperand(call, (unsigned)row->value);
  LLVMValueRef slot = LLVMGetArgOperand(call, (unsigned)row->place);

  if (!cn_holds_ref(LLVMTypeOf(value)))
    return no_access;
  if (row->effect == CN_EFFECT_PATTERN)
    return cn_holds_ref(LLVMTypeOf(slot))
               ? make_unknown_access("a fill with a pattern (pass expand-intrinsics makes a loop of it)")
               : no_access;
  if (row->length >= 0)
    return make_unknown_access(varying_lanes_reason);
  return make_lane_access(ctx, LLVMTypeOf(value), slot, LLVMGetArgOperand(call, (unsigned)row->mask), value);
}

static struct cn_access access_written_by_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  if (cn_calls_is_unknown_intrinsic(call))
    return make_unknown_access(unknown_intrinsic_reason);
  if (is_inline_copy(call))
    return make_bulk_access(LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 2));
  if (row && row->effect == CN_EFFECT_BYTES) {
    struct cn_access access = make_bulk_access(LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 2));
    access.kind = access.kind ? CN_ACCESS_NON_REFERENCES : CN_ACCESS_NONE;
    return access;
  }
  if (row && (row->effect == CN_EFFECT_STORE || row->effect == CN_EFFECT_PATTERN))
    return lanes_written_by_call(ctx, call, row);
  if (may_assembly_write(call))
    return make_unknown_access("assembly that is given a reference and may store it");
  return no_access;
}

struct cn_access cn_access_written_by(struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (LLVMIsAStoreInst(instruction)) {
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    return make_typed_access(ctx, LLVMTypeOf(value), LLVMGetOperand(instruction, 1), value);
  }
  if (LLVMIsAAtomicCmpXchgInst(instruction) || LLVMIsAAtomicRMWInst(instruction)) {
    LLVMValueRef value = LLVMGetOperand(instruction, LLVMIsAAtomicRMWInst(instruction) ? 1 : 2);
    return make_typed_access(ctx, LLVMTypeOf(value), LLVMGetOperand(instruction, 0), value);
  }
  return LLVMIsACallInst(instruction) ? access_written_by_call(ctx, instruction) : no_access;
}

static struct cn_access access_read_by_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  if (cn_calls_is_unknown_intrinsic(call))
    return make_unknown_access(unknown_intrinsic_reason);
  if (is_inline_copy(call))
    return make_bulk_access(LLVMGetArgOperand(call, 1), LLVMGetArgOperand(call, 2));
  if (!row || row->effect != CN_EFFECT_LOAD || !cn_holds_ref(LLVMTypeOf(call)))
    return no_access;
  if (row->length >= 0)
    return make_unknown_access(varying_lanes_reason);
  return make_lane_access(ctx, LLVMTypeOf(call), LLVMGetArgOperand(call, (unsigned)row->place),
                          LLVMGetArgOperand(call, (unsigned)row->mask), NULL);
}

struct cn_access cn_access_read_by(struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (LLVMIsALoadInst(instruction))
    return make_typed_access(ctx, LLVMTypeOf(instruction), LLVMGetOperand(instruction, 0), NULL);
  if (LLVMIsAAtomicCmpXchgInst(instruction) || LLVMIsAAtomicRMWInst(instruction)) {
    /* The barrier runs before the instruction and updates the reference in memory that the instruction compares or
     * returns. */
    LLVMValueRef value = LLVMGetOperand(instruction, 1), slot = LLVMGetOperand(instruction, 0);
    return cn_holds_ref(LLVMTypeOf(value)) ? make_bulk_access(slot, store_size_constant(ctx, LLVMTypeOf(value)))
                                           : no_access;
  }
  return LLVMIsACallInst(instruction) ? access_read_by_call(ctx, instruction) : no_access;
}
