/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the references in managed memory that an instruction reads or writes, for insert-barriers and note-stores.
 * verify/barriers/barrier_accesses.c answers the same question by separate code.
 *
 * Needs: nothing. Provides: struct cn_access. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/effects/intrinsics.h"
#include "compile/barriers/barriers.h"

static const struct cn_access none;

static struct cn_access make_unknown_access(const char *why)
{
  return (struct cn_access){.kind = CN_ACCESS_UNKNOWN, .why = why};
}

static LLVMValueRef size_of(struct cn_ctx *ctx, LLVMTypeRef type)
{
  return LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), LLVMStoreSizeOfType(ctx->layout, type), false);
}

/* An access of a value of `type` at `slot`; `value` is null for a read. */
static struct cn_access of_type(struct cn_ctx *ctx, LLVMTypeRef type, LLVMValueRef slot, LLVMValueRef value)
{
  if (!cn_is_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return none;
  if (cn_is_ref(type))
    return (struct cn_access){.kind = CN_ACCESS_ONE, .slot = slot, .value = value};
  if (cn_is_scalable(type))
    return make_unknown_access("a scalable vector of references");
  if (LLVMStoreSizeOfType(ctx->layout, type) == 0)
    return none;
  return (struct cn_access){.kind = CN_ACCESS_BULK, .slot = slot, .value = value, .bytes = size_of(ctx, type)};
}

/* An access of the lanes that `mask` chooses of a vector of `type`: at the places in vector `slot`, or side by side
 * from `slot` on. For cards the latter is a write of all lanes: a mark too many is harmless, also for a place outside
 * the heap. */
static struct cn_access of_lanes(struct cn_ctx *ctx, LLVMTypeRef type, LLVMValueRef slot, LLVMValueRef mask,
                                 LLVMValueRef value)
{
  bool apart = LLVMGetTypeKind(LLVMTypeOf(slot)) == LLVMVectorTypeKind;

  if (!cn_holds_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return none;
  if (cn_is_scalable(type))
    return make_unknown_access("a scalable vector of references");
  if (!apart && (ctx->options->barriers == CAIRN_BARRIERS_CARDS || mask == LLVMConstAllOnes(LLVMTypeOf(mask))))
    return of_type(ctx, type, slot, value);
  return (struct cn_access){.kind = CN_ACCESS_LANES, .slot = slot, .mask = mask, .value = value};
}

/* True for a copy in line. A copy that is a safepoint is a function of the runtime, with its own barriers. */
static bool is_inline_copy(LLVMValueRef call)
{
  return cn_intrinsic_does(call, CN_EFFECT_COPY) && cn_classify_call(call).kind != CN_CALL_PARSE;
}

/* An access of several words: a reference takes at least a word. */
static struct cn_access make_bulk_access(LLVMValueRef pointer, LLVMValueRef bytes)
{
  bool few = LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) < sizeof(uint64_t);

  if (!cn_is_ref(LLVMTypeOf(pointer)) || few)
    return none;
  return (struct cn_access){.kind = CN_ACCESS_BULK, .slot = pointer, .bytes = bytes};
}

/* True for assembly that is given references and may write memory. */
static bool is_writing_assembly(LLVMValueRef call)
{
  return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && cn_intrinsic_touches(call) && !cn_calls_have(call, "memory") &&
         !cn_calls_have(call, "readonly") && LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(call));
}

static const char variable[] = "references of a vector of variable length";
static const char not_known[] = "an intrinsic whose effect on references is unknown";

static struct cn_access written_by_lanes(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_intrinsic *row)
{
  LLVMValueRef value = LLVMGetArgOperand(call, (unsigned)row->value);
  LLVMValueRef slot = LLVMGetArgOperand(call, (unsigned)row->place);

  if (!cn_holds_ref(LLVMTypeOf(value)))
    return none;
  if (row->effect == CN_EFFECT_PATTERN)
    return cn_holds_ref(LLVMTypeOf(slot))
               ? make_unknown_access("a fill with a pattern (pass expand-intrinsics makes a loop of it)")
               : none;
  if (row->length >= 0)
    return make_unknown_access(variable);
  return of_lanes(ctx, LLVMTypeOf(value), slot, LLVMGetArgOperand(call, (unsigned)row->mask), value);
}

static struct cn_access written_by_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_of(call);

  if (cn_calls_unknown_intrinsic(call))
    return make_unknown_access(not_known);
  if (is_inline_copy(call))
    return make_bulk_access(LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 2));
  if (row && row->effect == CN_EFFECT_BYTES) {
    struct cn_access access = make_bulk_access(LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 2));
    access.kind = access.kind ? CN_ACCESS_CLEARS : CN_ACCESS_NONE;
    return access;
  }
  if (row && (row->effect == CN_EFFECT_STORE || row->effect == CN_EFFECT_PATTERN))
    return written_by_lanes(ctx, call, row);
  if (is_writing_assembly(call))
    return make_unknown_access("assembly that is given a reference and may store it");
  return none;
}

struct cn_access cn_access_written(struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (LLVMIsAStoreInst(instruction)) {
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    return of_type(ctx, LLVMTypeOf(value), LLVMGetOperand(instruction, 1), value);
  }
  if (LLVMIsAAtomicCmpXchgInst(instruction) || LLVMIsAAtomicRMWInst(instruction)) {
    LLVMValueRef value = LLVMGetOperand(instruction, LLVMIsAAtomicRMWInst(instruction) ? 1 : 2);
    return of_type(ctx, LLVMTypeOf(value), LLVMGetOperand(instruction, 0), value);
  }
  return LLVMIsACallInst(instruction) ? written_by_call(ctx, instruction) : none;
}

static struct cn_access read_by_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_of(call);

  if (cn_calls_unknown_intrinsic(call))
    return make_unknown_access(not_known);
  if (is_inline_copy(call))
    return make_bulk_access(LLVMGetArgOperand(call, 1), LLVMGetArgOperand(call, 2));
  if (!row || row->effect != CN_EFFECT_LOAD || !cn_holds_ref(LLVMTypeOf(call)))
    return none;
  if (row->length >= 0)
    return make_unknown_access(variable);
  return of_lanes(ctx, LLVMTypeOf(call), LLVMGetArgOperand(call, (unsigned)row->place),
                  LLVMGetArgOperand(call, (unsigned)row->mask), NULL);
}

struct cn_access cn_access_read(struct cn_ctx *ctx, LLVMValueRef instruction)
{
  if (LLVMIsALoadInst(instruction))
    return of_type(ctx, LLVMTypeOf(instruction), LLVMGetOperand(instruction, 0), NULL);
  if (LLVMIsAAtomicCmpXchgInst(instruction) || LLVMIsAAtomicRMWInst(instruction)) {
    /* The barrier comes first: it heals in memory the reference that is compared or returned. */
    LLVMValueRef value = LLVMGetOperand(instruction, 1), slot = LLVMGetOperand(instruction, 0);
    return cn_holds_ref(LLVMTypeOf(value)) ? make_bulk_access(slot, size_of(ctx, LLVMTypeOf(value))) : none;
  }
  return LLVMIsACallInst(instruction) ? read_by_call(ctx, instruction) : none;
}
