/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the work of one instruction, in units of about half a nanosecond. The estimate is too high rather than too
 * low. The chunks of strip-mined loops and the bounds of functions depend on these estimates
 * (late-insertion-slides-2014, future work: "Inner loop chunking"). Needs, breaks: nothing. Provides:
 * cn_work_of_instruction(); its helpers, which cost.h declares; cn_work_attach_promise(), which adds an attribute to a
 * call.
 *
 * Most instructions count as one unit. A core can run two or three instructions in half a nanosecond, but instructions
 * wait for each other. Instructions that take long on every machine have higher numbers: divisions, accesses that miss
 * the cache, and calls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/core/scalars.h"
#include "compile/cost/cost.h"

#define ATOMIC_COST 40
/* The work of a load in a chain of dependent loads; each load waits for memory. */
#define CHASED_LOAD_COST 64
/* Fills and copies run at four gigabytes per second, which machines reach without cache hits. */
#define BYTES_PER_WORK_UNIT 2
#define FILL_BASE_COST 20

uint64_t cn_work_budget(const struct cn_ctx *ctx)
{
  enum { DEFAULT_BUDGET_MICROSECONDS = 20 };
  unsigned chosen = ctx->options->poll_budget;

  return (uint64_t)(chosen ? chosen : DEFAULT_BUDGET_MICROSECONDS) * CAIRN_TIME_PER_US;
}

/* ---- types ---- */

/* Values of unknown size count as a word, and those of long double as two. */
static unsigned bits_of_scalar(LLVMTypeRef type)
{
  unsigned bits = cn_scalar_bits(type);

  return bits == 0 ? 64 : bits == 80 ? 128 : bits;
}

unsigned cn_work_element_count(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (kind == LLVMScalableVectorTypeKind)
    return 16 * LLVMGetVectorSize(type);
  return kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMTypeRef element_type_of(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The number of registers for a value of `type`, and thus the number of instructions per operation. */
uint64_t cn_work_register_count(LLVMTypeRef type)
{
  uint64_t bits = (uint64_t)bits_of_scalar(element_type_of(type)) * cn_work_element_count(type);
  uint64_t room = cn_work_element_count(type) > 1 ? CN_CONVENTION_VECTOR_BITS : 64;

  if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
    return LLVMCountStructElementTypes(type) + 1;
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return LLVMGetArrayLength2(type) * cn_work_register_count(LLVMGetElementType(type)) + 1;
  return bits <= room ? 1 : (bits + room - 1) / room;
}

/* ---- memory ---- */

/* True if `value` is computed from phis, arguments and constants by additions, scalings and casts, so that it advances
 * evenly. */
static bool advances_evenly(LLVMValueRef value, unsigned depth)
{
  if (!LLVMIsAInstruction(value))
    return true;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMPHI:
    return true;
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
    return depth && advances_evenly(LLVMGetOperand(value, 0), depth - 1) &&
           advances_evenly(LLVMGetOperand(value, 1), depth - 1);
  case LLVMMul:
  case LLVMShl:
    return depth && advances_evenly(LLVMGetOperand(value, 0), depth - 1) &&
           !LLVMIsAInstruction(LLVMGetOperand(value, 1));
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc:
  case LLVMFreeze:
    return depth && advances_evenly(LLVMGetOperand(value, 0), depth - 1);
  default:
    return false;
  }
}

/* True if `value`, perhaps through `depth` phis, selects or loads, is loaded from the memory behind the pointer `phi`,
 * as in a walk along a list. */
static bool is_loaded_through_phi(LLVMValueRef value, LLVMValueRef phi, unsigned depth)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  if (!depth || !LLVMIsAInstruction(value))
    return false;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMLoad: {
    LLVMValueRef from = LLVMGetOperand(value, 0);
    for (unsigned steps = 0; steps < 4 && LLVMIsAGetElementPtrInst(from); steps++)
      from = LLVMGetOperand(from, 0);
    return from == phi || (LLVMIsALoadInst(from) && is_loaded_through_phi(from, phi, depth - 1));
  }
  case LLVMSelect:
    return is_loaded_through_phi(LLVMGetOperand(value, 1), phi, depth - 1) ||
           is_loaded_through_phi(LLVMGetOperand(value, 2), phi, depth - 1);
  case LLVMPHI:
    for (unsigned i = 0; value != phi && i < LLVMCountIncoming(value) && i < 4; i++)
      if (is_loaded_through_phi(LLVMGetIncomingValue(value, i), phi, depth - 1))
        return true;
    return false;
  default:
    return false;
  }
}

static bool is_chased_pointer(LLVMValueRef pointer)
{
  bool chased = false;

  for (unsigned i = 0; LLVMIsAPHINode(pointer) && !chased && i < LLVMCountIncoming(pointer); i++)
    chased = is_loaded_through_phi(LLVMGetIncomingValue(pointer, i), pointer, 3);
  return chased;
}

/* The work of an access through `pointer`: `anywhere` if the address is independent of the previous access, `chased` in
 * a chain of loads. */
static uint64_t work_of_access(LLVMValueRef pointer, uint64_t anywhere, uint64_t chased)
{
  while (LLVMIsAInstruction(pointer)) {
    if (LLVMIsAGetElementPtrInst(pointer)) {
      for (int o = 1; o < LLVMGetNumOperands(pointer); o++)
        if (!advances_evenly(LLVMGetOperand(pointer, (unsigned)o), 4))
          return anywhere;
    } else if (!LLVMIsABitCastInst(pointer) && !LLVMIsAAddrSpaceCastInst(pointer)) {
      break;
    }
    pointer = LLVMGetOperand(pointer, 0);
  }
  if (LLVMIsAPHINode(pointer))
    return is_chased_pointer(pointer) ? chased : 1;
  return LLVMIsALoadInst(pointer) || LLVMIsAIntToPtrInst(pointer) ? anywhere / 4 : 1;
}

/* The additional work of a miss in all caches, for an access whose address is independent of the previous access. */
#define LOAD_MISS_COST 84
#define STORE_MISS_COST 32

uint64_t cn_work_of_cache_miss(LLVMValueRef i)
{
  bool load = LLVMIsALoadInst(i) != NULL;

  if (!load && !LLVMIsAStoreInst(i))
    return 0;
  uint64_t place = work_of_access(LLVMGetOperand(i, load ? 0 : 1), CN_WORK_LOAD_ANYWHERE, CHASED_LOAD_COST);
  return place < CN_WORK_LOAD_ANYWHERE ? 0 : load ? LOAD_MISS_COST : STORE_MISS_COST;
}

/* ---- calls ---- */

uint64_t cn_work_of_bytes(uint64_t bytes)
{
  return bytes >= CN_WORK_UNKNOWN / 2 ? CN_WORK_UNKNOWN : FILL_BASE_COST + bytes / BYTES_PER_WORK_UNIT;
}

/* Functions of the C library and of the runtime whose work depends on a length argument. */
static const struct sized_function {
  const char *name;
  unsigned length; /* the index of the argument */
} sized_function[] = {
    {"memcpy", 2},         {"memmove", 2},     {"memset", 2},       {"memcmp", 2},        {"bcmp", 2},
    {"memchr", 2},         {"memrchr", 2},     {"mempcpy", 2},      {"strncpy", 2},       {"stpncpy", 2},
    {"strncmp", 2},        {"strncasecmp", 2}, {"strnlen", 1},      {"strndup", 1},       {"bzero", 1},
    {"explicit_bzero", 1}, {"bcopy", 2},       {"memccpy", 3},      {"__memcpy_chk", 2},  {"__memmove_chk", 2},
    {"calloc", 1},         {"realloc", 1},     {"__memset_chk", 2}, {"__mempcpy_chk", 2}, {CN_TEXT_LENGTH, 1},
    {CN_TEXT_COMPARE, 2},  {CN_TEXT_FIND, 2},
};

/* The work of a call of a function in the table, or 0 for other calls. The number of elements is a second factor for
 * calloc. */
static uint64_t work_of_sized_call(LLVMValueRef call, const char *name)
{
  name = cn_calls_library_name(name);
  for (size_t i = 0; i < sizeof sized_function / sizeof *sized_function; i++) {
    if (strcmp(name, sized_function[i].name) != 0 || LLVMGetNumArgOperands(call) <= sized_function[i].length)
      continue;
    uint64_t bytes = cn_largest_value(LLVMGetOperand(call, sized_function[i].length), CN_DEFAULT_VALUE_DEPTH);
    uint64_t count =
        strcmp(name, "calloc") == 0 ? cn_largest_value(LLVMGetOperand(call, 0), CN_DEFAULT_VALUE_DEPTH) : 1;
    return __builtin_mul_overflow(bytes, count, &bytes) ? CN_WORK_UNKNOWN : cn_work_of_bytes(bytes);
  }
  return 0;
}

/* The bound "cairn-work"="N" of the call or of its callee, or 0. */
static uint64_t promised_work_of(LLVMValueRef call, LLVMValueRef callee)
{
  unsigned length = sizeof CN_ATTR_WORK - 1;
  LLVMAttributeRef attribute = LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_WORK, length);

  if (!attribute && callee)
    attribute = cn_string_attribute(callee, CN_ATTR_WORK);
  return attribute ? cn_work_parse_promise(attribute) : 0;
}

uint64_t cn_work_parse_promise(LLVMAttributeRef attribute)
{
  unsigned length;
  const char *text = LLVMGetStringAttributeValue(attribute, &length);
  uint64_t n = 0;

  if (!length)
    return CN_WORK_UNKNOWN;
  for (unsigned i = 0; i < length; i++)
    if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(n, 10, &n) ||
        __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
      return CN_WORK_UNKNOWN;
  return n;
}

void cn_work_attach_promise(struct cn_ctx *ctx, LLVMValueRef call, uint64_t work)
{
  char number[24];
  int length = snprintf(number, sizeof number, "%" PRIu64, work);

  CN_ASSERT(cn_is_call(call));
  LLVMAddCallSiteAttribute(
      call, CN_FUNCTION_INDEX,
      LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_WORK, sizeof CN_ATTR_WORK - 1, number, (unsigned)length));
}

/* True for a call that a later pass deletes or replaces by one or two instructions. */
static bool is_marker(const char *name)
{
  return cn_calls_is_marker_name(name) || cn_calls_is_tag_name(name) || cn_calls_is_query_name(name) ||
         strcmp(name, CN_PTRDIFF) == 0;
}

static uint64_t work_of_call(LLVMValueRef call)
{
  LLVMValueRef callee = cn_work_callee_of(call);
  size_t length;

  uint64_t work = promised_work_of(call, callee);
  if (!work && LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    return cn_work_of_assembly(LLVMGetCalledValue(call));
  if (work || !callee)
    return cn_work_add(work ? work : CN_CALL_WORK, CN_CALL_ITSELF);
  const char *name = LLVMGetValueName2(callee, &length);
  if (LLVMGetIntrinsicID(callee))
    return cn_work_of_intrinsic(call);
  if (is_marker(name))
    return 1;
  if (LLVMIsDeclaration(callee) && !cn_is_managed(callee) && cn_calls_leaf_reason(name)) {
    work = work_of_sized_call(call, name);
    return cn_work_add(work ? work : cn_calls_leaf_work(name), CN_CALL_ITSELF);
  }
  return CN_CALL_WORK + CN_CALL_ITSELF;
}

LLVMValueRef cn_work_callee_of(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  if (!callee || cn_classify_call(call).kind != CN_CALL_STATEPOINT)
    return callee;
  callee = LLVMGetOperand(call, 2);
  return LLVMIsAFunction(callee);
}

/* ---- the others ---- */

/* The work of a division. For integers wider than two registers, the code generator emits a loop over the bits. */
static uint64_t work_of_division(LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);
  uint64_t bits = bits_of_scalar(element_type_of(type));

  if (bits > 128)
    return 8 * bits * ((bits + 63) / 64) * cn_work_element_count(type);
  if (LLVMIsConstant(LLVMGetOperand(i, 1)))
    return 4 * cn_work_register_count(type);
  return CN_WORK_DIVIDE * cn_work_element_count(type) * (bits > 64 ? 4 : 1);
}

/* The work of a multiplication. Integers wider than a register need a product for each pair of parts. */
static uint64_t work_of_product(LLVMTypeRef type)
{
  uint64_t parts = (bits_of_scalar(element_type_of(type)) + 63) / 64;

  return 2 * (parts > 1 ? parts * parts * cn_work_element_count(type) : cn_work_register_count(type));
}

static uint64_t work_of_float_operation(LLVMValueRef i, uint64_t one)
{
  bool soft = LLVMGetTypeKind(element_type_of(LLVMTypeOf(i))) == LLVMFP128TypeKind;

  return (soft ? 100 : one) * cn_work_register_count(LLVMTypeOf(i));
}

/* The work of a call of fmod() and the like, which takes a step for each bit of the difference of the exponents. */
static uint64_t work_of_float_remainder(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(element_type_of(type));
  uint64_t one = kind == LLVMFloatTypeKind || kind == LLVMHalfTypeKind ? 300
                 : kind == LLVMDoubleTypeKind                          ? 1600
                                                                       : 24000;

  return one * cn_work_element_count(type);
}

static uint64_t work_of_computation(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    return work_of_division(i);
  case LLVMFDiv:
    return work_of_float_operation(i, CN_WORK_DIVIDE);
  case LLVMFRem:
    return work_of_float_remainder(LLVMTypeOf(i));
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
    return work_of_float_operation(i, 2);
  case LLVMMul:
    return work_of_product(LLVMTypeOf(i));
  case LLVMICmp:
  case LLVMFCmp:
    return cn_work_register_count(LLVMTypeOf(LLVMGetOperand(i, 0)));
  default:
    return cn_work_register_count(LLVMTypeOf(i));
  }
}

uint64_t cn_work_of_instruction(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI:
  case LLVMBitCast:
  case LLVMFreeze:
  case LLVMUnreachable:
    return 0;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    return work_of_call(i);
  case LLVMLoad:
    return work_of_access(LLVMGetOperand(i, 0), CN_WORK_LOAD_ANYWHERE, CHASED_LOAD_COST) +
           cn_work_register_count(LLVMTypeOf(i)) - 1;
  case LLVMStore:
    return work_of_access(LLVMGetOperand(i, 1), CN_WORK_STORE_ANYWHERE, CN_WORK_STORE_ANYWHERE) +
           cn_work_register_count(LLVMTypeOf(LLVMGetOperand(i, 0))) - 1;
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return ATOMIC_COST;
  CN_CASE_BRANCH:
  case LLVMRet:
  case LLVMGetElementPtr:
  case LLVMAlloca:
    return 1;
  case LLVMSwitch:
  case LLVMIndirectBr:
    return 4;
  default:
    return LLVMIsATerminatorInst(i) ? 1 : work_of_computation(i);
  }
}
