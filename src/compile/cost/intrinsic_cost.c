/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the work of a call of an intrinsic. The table of effects (effects/intrinsics.def) tells whether the
 * intrinsic accesses memory, and which operand is a length. The table of this file has other intrinsics that take zero
 * or more than two instructions. An unlisted intrinsic that may access memory of any length counts as a call. Needs,
 * breaks: nothing. Provides: cn_work_of_intrinsic().
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/effects/intrinsics.h"

/* Complete names, without the types. Names with the prefix "llvm.vp." or "llvm.experimental.constrained." are looked up
 * without the prefix. */
static const struct intrinsic_cost {
  const char *name;
  uint64_t work; /* per element */
} intrinsic_cost[] = {
    {"llvm.acos", 200},
    {"llvm.asin", 200},
    {"llvm.atan", 200},
    {"llvm.atan2", 200},
    {"llvm.cos", 300},
    {"llvm.cosh", 300},
    {"llvm.ctpop", 10},
    {"llvm.exp", 150},
    {"llvm.exp10", 150},
    {"llvm.exp2", 150},
    {"llvm.fma", 40},
    {"llvm.frem", 150},
    {"llvm.frexp", 40},
    {"llvm.ldexp", 40},
    {"llvm.log", 150},
    {"llvm.log10", 150},
    {"llvm.log2", 150},
    {"llvm.modf", 40},
    {"llvm.pow", 300},
    {"llvm.powi", 300},
    {"llvm.sin", 300},
    {"llvm.sincos", 300},
    {"llvm.sincospi", 300},
    {"llvm.sinh", 300},
    {"llvm.tan", 300},
    {"llvm.tanh", 300},
    {"llvm.fdiv", CN_WORK_DIVIDE},
    {"llvm.sdiv", CN_WORK_DIVIDE},
    {"llvm.sdiv.fix", CN_WORK_DIVIDE},
    {"llvm.sdiv.fix.sat", CN_WORK_DIVIDE},
    {"llvm.sqrt", CN_WORK_DIVIDE},
    {"llvm.srem", CN_WORK_DIVIDE},
    {"llvm.udiv", CN_WORK_DIVIDE},
    {"llvm.udiv.fix", CN_WORK_DIVIDE},
    {"llvm.udiv.fix.sat", CN_WORK_DIVIDE},
    {"llvm.urem", CN_WORK_DIVIDE},
    {"llvm.matrix.multiply", 64},
    {"llvm.clear_cache", CN_CALL_WORK},
    {"llvm.get.rounding", 20},
    /* intrinsics that are deleted or become constants */
    {"llvm.annotation", 0},
    {"llvm.assume", 0},
    {"llvm.codeview.annotation", 0},
    {"llvm.dbg.assign", 0},
    {"llvm.dbg.declare", 0},
    {"llvm.dbg.label", 0},
    {"llvm.dbg.value", 0},
    {"llvm.experimental.gc.get.pointer.base", 0},
    {"llvm.experimental.gc.get.pointer.offset", 0},
    {"llvm.experimental.gc.relocate", 0},
    {"llvm.experimental.gc.result", 0},
    {"llvm.experimental.noalias.scope.decl", 0},
    {"llvm.invariant.end", 0},
    {"llvm.invariant.start", 0},
    {"llvm.launder.invariant.group", 0},
    {"llvm.lifetime.end", 0},
    {"llvm.lifetime.start", 0},
    {"llvm.pseudoprobe", 0},
    {"llvm.ptr.annotation", 0},
    {"llvm.strip.invariant.group", 0},
    {"llvm.var.annotation", 0},
};

static const struct intrinsic_cost *find_intrinsic_cost(const char *name)
{
  static const char *const starts[] = {"llvm.vp.", "llvm.experimental.constrained."};

  CN_ASSERT(strncmp(name, "llvm.", 5) == 0);
  name += 5;
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
    if (strncmp(name, starts[s] + 5, strlen(starts[s] + 5)) == 0)
      name += strlen(starts[s] + 5);
  for (size_t i = 0; i < sizeof intrinsic_cost / sizeof *intrinsic_cost; i++)
    if (strcmp(name, intrinsic_cost[i].name + 5) == 0)
      return &intrinsic_cost[i];
  return NULL;
}

/* The type with the most elements among the result and the operands. */
static LLVMTypeRef widest_type_of(LLVMValueRef call)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef other = LLVMTypeOf(LLVMGetArgOperand(call, a));
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind || cn_work_element_count(other) > cn_work_element_count(type))
      type = other;
  }
  return type;
}

/* The work of an access to lanes, which are adjacent, at a vector of addresses, or at a stride. */
static uint64_t work_of_lane_access(LLVMValueRef call, const struct cn_intrinsic *row)
{
  LLVMTypeRef place = LLVMTypeOf(LLVMGetArgOperand(call, (unsigned)row->place));
  uint64_t each = 2;

  if (LLVMGetTypeKind(place) != LLVMPointerTypeKind || row->mask - row->place > 1)
    each = row->effect == CN_EFFECT_LOAD ? CN_WORK_LOAD_ANYWHERE : CN_WORK_STORE_ANYWHERE;
  return each * cn_work_element_count(widest_type_of(call));
}

/* The work of an access to a number of bytes, or to a number of values of operand `value`. */
static uint64_t work_of_sized_access(LLVMValueRef call, const struct cn_intrinsic *row)
{
  enum { VECTOR_REGISTER_BYTES = CAIRN_ABI_OBJECT_ALIGN * 2 };
  uint64_t count = cn_largest_value(LLVMGetArgOperand(call, (unsigned)row->length), CN_DEFAULT_VALUE_DEPTH);

  if (row->effect == CN_EFFECT_PATTERN) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, (unsigned)row->value));
    count = cn_work_multiply(count, cn_work_register_count(type) * VECTOR_REGISTER_BYTES);
  }
  return cn_work_of_bytes(count);
}

/* True if an unlisted intrinsic may access memory whose length is an operand. */
static bool has_length_operand(LLVMValueRef call, LLVMValueRef callee)
{
  LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, cn_attribute_kind("memory"));
  enum { INACCESSIBLE_MEMORY = 3 << 2 }; /* reads and writes, in LLVM's encoding of memory(...) */
  bool pointers = false, lengths = false;

  if (memory && (LLVMGetEnumAttributeValue(memory) & ~(uint64_t)INACCESSIBLE_MEMORY) == 0)
    return false;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, a));
    pointers |= LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    lengths |= LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
               !LLVMGetEnumAttributeAtIndex(callee, a + 1, cn_attribute_kind("immarg"));
  }
  return pointers && lengths;
}

uint64_t cn_work_of_intrinsic(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  CN_ASSERT(LLVMGetIntrinsicID(callee) != 0);
  const struct cn_intrinsic *row = cn_intrinsic_row_of_id(LLVMGetIntrinsicID(callee));
  size_t length;

  switch (row ? row->effect : CN_EFFECT_NONE) {
  case CN_EFFECT_LOAD:
  case CN_EFFECT_STORE:
    return work_of_lane_access(call, row);
  case CN_EFFECT_COPY:
  case CN_EFFECT_BYTES:
  case CN_EFFECT_PATTERN:
    return work_of_sized_access(call, row);
  case CN_EFFECT_POINT:
    if (cn_calls_intrinsic(call, "llvm.experimental.stackmap"))
      break;
    /* fall through */
  case CN_EFFECT_CALL:
    return CN_CALL_WORK + CN_CALL_ITSELF;
  default:
    break;
  }
  const char *name = LLVMIntrinsicGetName(LLVMGetIntrinsicID(callee), &length);
  const struct intrinsic_cost *found = find_intrinsic_cost(name);
  if (found)
    return found->work * cn_work_element_count(widest_type_of(call));
  if (cn_intrinsic_runs_code(callee) || cn_calls_is_unknown_intrinsic(call) ||
      (!row && has_length_operand(call, callee)))
    return CN_CALL_WORK + CN_CALL_ITSELF;
  return 2 * cn_work_register_count(widest_type_of(call));
}
