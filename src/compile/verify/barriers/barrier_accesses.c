/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the loads and stores of references that must have a barrier, for verify-barriers. The results depend on the
 * opcode or the intrinsic, and share no code with insert-barriers. For an intrinsic outside the list, LLVM's attributes
 * say whether it may write memory. The second part finds barriers of single lanes of a vector. Such a barrier has the
 * lane's address, and the length of a reference, either always or only if the mask has the lane's bit.
 *
 * Needs: any function. Provides: the accesses and lanes of barred.h. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/barriers/barred.h"

static const struct cn_barrier_access no_access;

/* The access that moves `type` between a value and managed memory at `slot`. */
static struct cn_barrier_access access_of_type(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, LLVMTypeRef type)
{
  struct cn_barrier_access access = {.at = at, .slot = slot};

  if (!cn_is_ref(LLVMTypeOf(slot)) || !cn_holds_ref(type))
    return no_access;
  if (cn_holds_scalable_vector(type))
    access.beyond = "a scalable vector of references";
  else if (LLVMStoreSizeOfType(ctx->layout, type) == 0)
    return no_access;
  else if (!cn_is_ref(type))
    access.bytes = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), LLVMStoreSizeOfType(ctx->layout, type), false);
  return access;
}

enum what {
  UNLISTED_INTRINSIC,
  COPY_INTRINSIC,
  CLEAR_INTRINSIC,
  MASKED_STORE_INTRINSIC,
  MASKED_LOAD_INTRINSIC,
  UNSUPPORTED_INTRINSIC,
  HARMLESS_INTRINSIC
};

static enum what classify_intrinsic(LLVMValueRef call)
{
  static const struct {
    const char *name;
    enum what what;
  } known[] = {
      {"llvm.memcpy", COPY_INTRINSIC},
      {"llvm.memcpy.inline", COPY_INTRINSIC},
      {"llvm.memmove", COPY_INTRINSIC},
      {"llvm.memcpy.element.unordered.atomic", COPY_INTRINSIC},
      {"llvm.memmove.element.unordered.atomic", COPY_INTRINSIC},
      {"llvm.memset", CLEAR_INTRINSIC},
      {"llvm.memset.inline", CLEAR_INTRINSIC},
      {"llvm.memset.element.unordered.atomic", CLEAR_INTRINSIC},
      {"llvm.masked.store", MASKED_STORE_INTRINSIC},
      {"llvm.masked.load", MASKED_LOAD_INTRINSIC},
      {"llvm.masked.scatter", MASKED_STORE_INTRINSIC},
      {"llvm.masked.gather", MASKED_LOAD_INTRINSIC},
      {"llvm.vp.store", UNSUPPORTED_INTRINSIC},
      {"llvm.vp.load", UNSUPPORTED_INTRINSIC},
      {"llvm.vp.scatter", UNSUPPORTED_INTRINSIC},
      {"llvm.vp.gather", UNSUPPORTED_INTRINSIC},
      {"llvm.experimental.vp.strided.store", UNSUPPORTED_INTRINSIC},
      {"llvm.experimental.vp.strided.load", UNSUPPORTED_INTRINSIC},
      {"llvm.lifetime.start", HARMLESS_INTRINSIC},
      {"llvm.lifetime.end", HARMLESS_INTRINSIC},
      {"llvm.invariant.start", HARMLESS_INTRINSIC},
      {"llvm.invariant.end", HARMLESS_INTRINSIC},
      {"llvm.prefetch", HARMLESS_INTRINSIC},
      {"llvm.masked.compressstore", HARMLESS_INTRINSIC}, /* to unmanaged memory */
      {"llvm.var.annotation", HARMLESS_INTRINSIC},
      {"llvm.ptr.annotation", HARMLESS_INTRINSIC},
      {"llvm.experimental.stackmap", HARMLESS_INTRINSIC},
      {"llvm.experimental.patchpoint", HARMLESS_INTRINSIC}, /* the code that is patched in has its own barriers */
      {"llvm.experimental.patchpoint.void", HARMLESS_INTRINSIC},
      {"llvm.experimental.vector.histogram.add", HARMLESS_INTRINSIC},
      {"llvm.experimental.vector.histogram.uadd.sat", HARMLESS_INTRINSIC},
      {"llvm.experimental.vector.histogram.umax", HARMLESS_INTRINSIC},
      {"llvm.experimental.vector.histogram.umin", HARMLESS_INTRINSIC},
  };

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (cn_calls_intrinsic(call, known[i].name))
      return known[i].what;
  return UNLISTED_INTRINSIC;
}

static bool takes_references(LLVMValueRef call)
{
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

static bool is_assembly_that_may_store(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);

  return LLVMIsAInlineAsm(callee) && LLVMGetInlineAsmHasSideEffects(callee) &&
         !LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, LLVMGetEnumAttributeKindForName("memory", 6)) &&
         takes_references(call);
}

/* True if the attribute memory(...) of a call allows writes to memory that the program sees. The attribute has two bits
 * for each kind of memory; the second bit allows writes. */
static bool may_write_memory(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
  LLVMAttributeRef at_call = LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, kind);
  LLVMAttributeRef of_callee = LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, kind);
  uint64_t effects = UINT64_MAX, written = UINT64_C(0xaaaaaaaaaaaaaaaa);

  if (at_call)
    effects &= LLVMGetEnumAttributeValue(at_call);
  if (of_callee)
    effects &= LLVMGetEnumAttributeValue(of_callee);
  return effects & written & ~(uint64_t)CN_MEMORY_INACCESSIBLE;
}

/* True for an intrinsic outside the list that may write memory and takes a reference. */
static bool is_unlisted_writing_intrinsic(LLVMValueRef call)
{
  return cn_calls_some_intrinsic(call) && takes_references(call) && may_write_memory(call) &&
         cn_classify_call(call).kind == CN_CALL_LEAF;
}

/* A copy that is a safepoint calls a function of the runtime that has barriers. A copy of less than a word moves only
 * plain data. */
static struct cn_barrier_access access_of_copy(LLVMValueRef call, unsigned pointer, bool clears)
{
  struct cn_barrier_access access = {
      .at = call, .slot = LLVMGetArgOperand(call, pointer), .bytes = LLVMGetArgOperand(call, 2), .clears = clears};

  bool in_line = cn_classify_call(call).kind == CN_CALL_LEAF;
  bool part = LLVMIsAConstantInt(access.bytes) && LLVMConstIntGetZExtValue(access.bytes) < 8;
  return in_line && !part && cn_is_ref(LLVMTypeOf(access.slot)) ? access : no_access;
}

static struct cn_barrier_access unsupported_access_of(LLVMValueRef call)
{
  return (struct cn_barrier_access){.at = call, .slot = call, .beyond = "references in lanes whose number varies"};
}

/* The access that stores or loads the lanes of `type` that a mask selects. */
static struct cn_barrier_access access_of_lanes(struct cn_ctx *ctx, LLVMValueRef call, LLVMTypeRef type,
                                                LLVMValueRef slot, LLVMValueRef mask)
{
  bool vector = LLVMGetTypeKind(LLVMTypeOf(slot)) == LLVMVectorTypeKind;

  if (!cn_holds_ref(type) || !cn_holds_ref(LLVMTypeOf(slot)))
    return no_access;
  /* marking more cards than were stored to is harmless */
  bool all = ctx->options->barriers == CAIRN_BARRIERS_CARDS || mask == LLVMConstAllOnes(LLVMTypeOf(mask));
  if (!vector && all)
    return access_of_type(ctx, call, slot, type);
  struct cn_barrier_access access = {.at = call, .slot = slot, .mask = mask};
  if (cn_holds_scalable_vector(type))
    access.beyond = "a scalable vector of references";
  return access;
}

static struct cn_barrier_access write_access_of_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct cn_barrier_access access = no_access;
  LLVMTypeRef type;

  switch (classify_intrinsic(call)) {
  case COPY_INTRINSIC:
    return access_of_copy(call, 0, false);
  case CLEAR_INTRINSIC:
    return access_of_copy(call, 0, true);
  case MASKED_STORE_INTRINSIC:
    type = LLVMTypeOf(LLVMGetArgOperand(call, 0));
    access = access_of_lanes(ctx, call, type, LLVMGetArgOperand(call, 1), LLVMGetArgOperand(call, 2));
    access.clears = LLVMIsConstant(LLVMGetArgOperand(call, 0));
    return access;
  case UNSUPPORTED_INTRINSIC:
    type = LLVMTypeOf(LLVMGetArgOperand(call, 0));
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind && cn_holds_ref(type))
      return unsupported_access_of(call);
    return no_access;
  case MASKED_LOAD_INTRINSIC:
  case HARMLESS_INTRINSIC:
    return no_access;
  case UNLISTED_INTRINSIC:
    if (is_assembly_that_may_store(call))
      access = (struct cn_barrier_access){.at = call, .slot = call, .beyond = "assembly that is given a reference"};
    else if (is_unlisted_writing_intrinsic(call))
      access = (struct cn_barrier_access){.at = call, .slot = call, .beyond = "an intrinsic that may write references"};
    break;
  }
  return access;
}

struct cn_barrier_access cn_barrier_write_of(struct cn_ctx *ctx, LLVMValueRef i)
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
    return write_access_of_call(ctx, i);
  default:
    return no_access;
  }
  struct cn_barrier_access access = access_of_type(ctx, i, slot, LLVMTypeOf(value));
  access.value = access.bytes ? NULL : value;
  access.clears = access.bytes && LLVMIsConstant(value);
  return access;
}

static struct cn_barrier_access read_access_of_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  switch (classify_intrinsic(call)) {
  case COPY_INTRINSIC:
    return access_of_copy(call, 1, false);
  case MASKED_LOAD_INTRINSIC:
    return access_of_lanes(ctx, call, LLVMTypeOf(call), LLVMGetArgOperand(call, 0), LLVMGetArgOperand(call, 1));
  case UNSUPPORTED_INTRINSIC:
    return cn_holds_ref(LLVMTypeOf(call)) ? unsupported_access_of(call) : no_access;
  default:
    return no_access;
  }
}

/* The read barrier must heal, in memory, the value that an atomic exchange compares or returns. */
static struct cn_barrier_access read_access_of_exchange(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
  struct cn_barrier_access access = access_of_type(ctx, i, LLVMGetOperand(i, 0), type);

  access.bytes = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), LLVMStoreSizeOfType(ctx->layout, type), false);
  return access.slot ? access : no_access;
}

struct cn_barrier_access cn_barrier_read_of(struct cn_ctx *ctx, LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    return access_of_type(ctx, i, LLVMGetOperand(i, 0), LLVMTypeOf(i));
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return read_access_of_exchange(ctx, i);
  case LLVMCall:
    return read_access_of_call(ctx, i);
  default:
    return no_access;
  }
}

/* ---- lanes ---- */

static const uint64_t REFERENCE_BYTES = sizeof(uint64_t);

/* A lane of a vector, or a whole value, whose lane is NO_LANE. */
struct vector_element {
  LLVMValueRef value;
  unsigned lane;
};
enum { NO_LANE = INT32_MAX };

static struct vector_element source_lane_of(struct vector_element e)
{
  unsigned first = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(e.value, 0)));
  int from = LLVMGetMaskValue(e.value, e.lane);

  if (from < 0)
    return (struct vector_element){NULL, NO_LANE};
  bool second = (unsigned)from >= first;
  return (struct vector_element){LLVMGetOperand(e.value, second), second ? (unsigned)from - first : (unsigned)from};
}

static struct vector_element origin_of_lane(struct vector_element e)
{
  while (e.value && e.lane != NO_LANE) {
    if (LLVMIsAShuffleVectorInst(e.value)) {
      e = source_lane_of(e);
    } else if (LLVMIsConstant(e.value)) {
      e = (struct vector_element){LLVMGetAggregateElement(e.value, e.lane), NO_LANE};
    } else if (LLVMIsAInsertElementInst(e.value) && LLVMIsAConstantInt(LLVMGetOperand(e.value, 2))) {
      bool here = LLVMConstIntGetZExtValue(LLVMGetOperand(e.value, 2)) == e.lane;
      e = here ? (struct vector_element){LLVMGetOperand(e.value, 1), NO_LANE}
               : (struct vector_element){LLVMGetOperand(e.value, 0), e.lane};
    } else {
      break;
    }
  }
  return e;
}

static bool is_lane_of_vector(LLVMValueRef value, LLVMValueRef vector, unsigned lane)
{
  struct vector_element a = {value, NO_LANE}, b = origin_of_lane((struct vector_element){vector, lane});

  if (LLVMIsAExtractElementInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
    a = origin_of_lane((struct vector_element){LLVMGetOperand(value, 0),
                                               (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1))});
  return a.value && a.value == b.value && a.lane == b.lane;
}

static bool is_constant_equal_to(LLVMValueRef value, uint64_t number)
{
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

bool cn_barrier_mask_skips_lane(LLVMValueRef mask, unsigned lane)
{
  LLVMValueRef bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, lane) : NULL;

  return bit && is_constant_equal_to(bit, 0);
}

static bool covers_reference_of_lane(const struct cn_barrier_access *access, unsigned lane, LLVMValueRef bytes)
{
  if (LLVMIsAConstantInt(bytes))
    return LLVMConstIntGetZExtValue(bytes) >= REFERENCE_BYTES;
  return LLVMIsASelectInst(bytes) && is_lane_of_vector(LLVMGetOperand(bytes, 0), access->mask, lane) &&
         is_constant_equal_to(LLVMGetOperand(bytes, 1), REFERENCE_BYTES);
}

/* True if `slot` is `lane` references after `from`. */
static bool is_slot_of_lane(struct cn_ctx *ctx, LLVMValueRef slot, LLVMValueRef from, unsigned lane)
{
  uint64_t offset = 0;

  while (slot != from && LLVMIsAGetElementPtrInst(slot) && cn_types_gep_offset(ctx, slot, &offset))
    slot = LLVMGetOperand(slot, 0);
  return slot == from && offset == lane * REFERENCE_BYTES;
}

bool cn_barrier_covers_lane(struct cn_ctx *ctx, const struct cn_barrier_access *access, unsigned lane,
                            LLVMValueRef slot, LLVMValueRef bytes)
{
  CN_ASSERT(access->mask);
  if (bytes && !covers_reference_of_lane(access, lane, bytes))
    return false;
  if (LLVMGetTypeKind(LLVMTypeOf(access->slot)) == LLVMVectorTypeKind)
    return is_lane_of_vector(slot, access->slot, lane);
  return is_slot_of_lane(ctx, slot, access->slot, lane);
}
