/* SPDX-License-Identifier: Apache-2.0
 *
 * The loads and stores of references that have to have a barrier, for verify-barriers. It answers
 * by opcode and by intrinsic, and shares no code with insert-barriers.
 */
#include <string.h>
#include "compile/verify/verify.h"

static const struct cn_barred_access none;

/* What is moved, of `type`, between a value and managed memory at `slot`. */
static struct cn_barred_access of_type(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot,
                                       LLVMTypeRef type)
{
  struct cn_barred_access access = {.at = at, .slot = slot};

  if (!cn_is_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return none;
  if (cn_is_scalable(type))
    access.beyond = "a scalable vector of references";
  else if (LLVMStoreSizeOfType(ctx->layout, type) == 0)
    return none;
  else if (!cn_is_ref(type))
    access.bytes = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm),
                                LLVMStoreSizeOfType(ctx->layout, type), false);
  return access;
}

enum what { OTHER, COPY, CLEAR, MASKED_STORE, MASKED_LOAD, BEYOND };

static enum what what_intrinsic(LLVMValueRef call)
{
  static const struct {
    const char *name;
    enum what what;
  } known[] = {
      {"llvm.memcpy", COPY},
      {"llvm.memcpy.inline", COPY},
      {"llvm.memmove", COPY},
      {"llvm.memcpy.element.unordered.atomic", COPY},
      {"llvm.memmove.element.unordered.atomic", COPY},
      {"llvm.memset", CLEAR},
      {"llvm.memset.inline", CLEAR},
      {"llvm.memset.element.unordered.atomic", CLEAR},
      {"llvm.masked.store", MASKED_STORE},
      {"llvm.masked.load", MASKED_LOAD},
      {"llvm.masked.scatter", MASKED_STORE},
      {"llvm.masked.gather", MASKED_LOAD},
      {"llvm.vp.store", BEYOND},
      {"llvm.vp.load", BEYOND},
      {"llvm.vp.scatter", BEYOND},
      {"llvm.vp.gather", BEYOND},
      {"llvm.experimental.vp.strided.store", BEYOND},
      {"llvm.experimental.vp.strided.load", BEYOND},
  };

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (cn_calls_intrinsic(call, known[i].name))
      return known[i].what;
  return OTHER;
}

static bool takes_references(LLVMValueRef call)
{
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

/* Assembly with effects of which nothing says that they leave memory alone. */
static bool may_store(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);

  return LLVMIsAInlineAsm(callee) && LLVMGetInlineAsmHasSideEffects(callee) &&
         !LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX,
                                       LLVMGetEnumAttributeKindForName("memory", 6)) &&
         takes_references(call);
}

/* A copy that is a safepoint calls the run-time system, which has the barriers itself. One of a
 * part of a word has no reference. */
static struct cn_barred_access several(LLVMValueRef call, unsigned pointer, bool clears)
{
  struct cn_barred_access access = {.at = call,
                                    .slot = LLVMGetArgOperand(call, pointer),
                                    .bytes = LLVMGetArgOperand(call, 2),
                                    .clears = clears};

  bool in_line = cn_classify_call(call).kind == CN_CALL_LEAF;
  bool part = LLVMIsAConstantInt(access.bytes) && LLVMConstIntGetZExtValue(access.bytes) < 8;
  return in_line && !part && cn_is_ref(LLVMTypeOf(access.slot)) ? access : none;
}

static struct cn_barred_access beyond(LLVMValueRef call)
{
  return (struct cn_barred_access){
      .at = call, .slot = call, .beyond = "references of a vector of variable length"};
}

/* Lanes of `type`, of which some are stored or loaded. */
static struct cn_barred_access of_lanes(struct cn_ctx *ctx, LLVMValueRef call, LLVMTypeRef type,
                                        LLVMValueRef slot, LLVMValueRef mask)
{
  bool vector = LLVMGetTypeKind(LLVMTypeOf(slot)) == LLVMVectorTypeKind;

  if (!cn_holds_ref(type) || !cn_holds_ref(LLVMTypeOf(slot)))
    return none;
  /* Marks beyond what is stored do no harm. */
  bool all =
      ctx->options->barriers == CAIRN_BARRIERS_CARDS || mask == LLVMConstAllOnes(LLVMTypeOf(mask));
  if (!vector && all)
    return of_type(ctx, call, slot, type);
  struct cn_barred_access access = {.at = call, .slot = slot, .mask = mask};
  if (cn_is_scalable(type))
    access.beyond = "a scalable vector of references";
  return access;
}

static struct cn_barred_access write_of_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct cn_barred_access access;
  LLVMTypeRef type;

  switch (what_intrinsic(call)) {
  case COPY:
    return several(call, 0, false);
  case CLEAR:
    return several(call, 0, true);
  case MASKED_STORE:
    type = LLVMTypeOf(LLVMGetArgOperand(call, 0));
    access = of_lanes(ctx, call, type, LLVMGetArgOperand(call, 1), LLVMGetArgOperand(call, 2));
    access.clears = LLVMIsConstant(LLVMGetArgOperand(call, 0));
    return access;
  case BEYOND:
    type = LLVMTypeOf(LLVMGetArgOperand(call, 0));
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind && cn_holds_ref(type))
      return beyond(call);
    return none;
  default:
    if (may_store(call))
      return (struct cn_barred_access){
          .at = call, .slot = call, .beyond = "assembly that is given a reference"};
    return none;
  }
}

struct cn_barred_access cn_barred_write(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMValueRef value, slot;

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore:
    value = LLVMGetOperand(i, 0);
    slot = LLVMGetOperand(i, 1);
    break;
  case LLVMAtomicRMW:
    slot = LLVMGetOperand(i, 0);
    value = LLVMGetOperand(i, 1);
    break;
  case LLVMAtomicCmpXchg:
    slot = LLVMGetOperand(i, 0);
    value = LLVMGetOperand(i, 2);
    break;
  case LLVMCall:
    return write_of_call(ctx, i);
  default:
    return none;
  }
  struct cn_barred_access access = of_type(ctx, i, slot, LLVMTypeOf(value));
  access.value = access.bytes ? NULL : value;
  access.clears = access.bytes && LLVMIsConstant(value);
  return access;
}

static struct cn_barred_access read_of_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  switch (what_intrinsic(call)) {
  case COPY:
    return several(call, 1, false);
  case MASKED_LOAD:
    return of_lanes(ctx, call, LLVMTypeOf(call), LLVMGetArgOperand(call, 0),
                    LLVMGetArgOperand(call, 1));
  case BEYOND:
    return cn_holds_ref(LLVMTypeOf(call)) ? beyond(call) : none;
  default:
    return none;
  }
}

/* What an atomic exchange compares, or returns, has to be healed in memory. */
static struct cn_barred_access read_of_exchange(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
  struct cn_barred_access access = of_type(ctx, i, LLVMGetOperand(i, 0), type);

  access.bytes = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm),
                              LLVMStoreSizeOfType(ctx->layout, type), false);
  return access.slot ? access : none;
}

struct cn_barred_access cn_barred_read(struct cn_ctx *ctx, LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    return of_type(ctx, i, LLVMGetOperand(i, 0), LLVMTypeOf(i));
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return read_of_exchange(ctx, i);
  case LLVMCall:
    return read_of_call(ctx, i);
  default:
    return none;
  }
}
