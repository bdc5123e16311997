/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers intrinsics, casts and extracts of vectors of references, casts of constants to references, and calls that
 * return an argument, to instructions that the splitting of aggregates and the search for bases handle (docs/field.md,
 * row 12). Part of rewrite-statepoints. Loaded lanes are bases, pass-through lanes of a masked load keep their bases,
 * and permuted lanes are moved one by one; the code generator combines these moves to a shuffle.
 *
 * Needs: any function. Provides: all references are defined; the only origins of vectors of references are memory,
 * calls, phi, select, insertelement, extractelement, shufflevector, GEP and freeze. Breaks: nothing. Bases of lanes
 * follow statepoints-later, "Base & Derived Pointers".
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/values/refs.h"

struct vector_lowering {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
};

struct lane_origin {
  LLVMValueRef vector;
  unsigned lane;
};

static LLVMValueRef i64_constant_of(const struct vector_lowering *l, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(l->ctx->llvm), n, false);
}

static LLVMValueRef argument_of(LLVMValueRef call, unsigned i)
{
  return LLVMGetArgOperand(call, i);
}

static unsigned lane_count_of(LLVMValueRef vector)
{
  return LLVMGetVectorSize(LLVMTypeOf(vector));
}

static LLVMValueRef build_from_lanes(struct vector_lowering *l, LLVMTypeRef type, const struct lane_origin *lanes)
{
  LLVMValueRef whole = LLVMConstNull(type);

  for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
    CN_CHECK(lanes[i].lane < lane_count_of(lanes[i].vector));
    LLVMValueRef lane = LLVMBuildExtractElement(l->builder, lanes[i].vector, i64_constant_of(l, lanes[i].lane), "");
    whole = LLVMBuildInsertElement(l->builder, whole, lane, i64_constant_of(l, i), "");
  }
  return whole;
}

/* ---- permuted lanes ---- */

/* The origin of lane `i` of the result of `call`. If the call returns a struct, the lane is in element `part`. */
typedef struct lane_origin lane_origin_function(LLVMValueRef call, unsigned i, unsigned part);

static struct lane_origin origin_of_reversed_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  LLVMValueRef v = argument_of(call, 0);

  (void)part;
  return (struct lane_origin){v, lane_count_of(v) - 1 - i};
}

static struct lane_origin origin_of_extracted_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return (struct lane_origin){argument_of(call, 0), (unsigned)LLVMConstIntGetZExtValue(argument_of(call, 1)) + i};
}

static struct lane_origin origin_of_inserted_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  LLVMValueRef inner = argument_of(call, 1);
  unsigned at = (unsigned)LLVMConstIntGetZExtValue(argument_of(call, 2));

  (void)part;
  if (i >= at && i - at < lane_count_of(inner))
    return (struct lane_origin){inner, i - at};
  return (struct lane_origin){argument_of(call, 0), i};
}

static struct lane_origin origin_in_concatenation(LLVMValueRef call, uint64_t from)
{
  unsigned count = lane_count_of(argument_of(call, 0));

  CN_CHECK(from < 2 * (uint64_t)count);
  return from < count ? (struct lane_origin){argument_of(call, 0), (unsigned)from}
                      : (struct lane_origin){argument_of(call, 1), (unsigned)(from - count)};
}

static struct lane_origin origin_of_left_spliced_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return origin_in_concatenation(call, LLVMConstIntGetZExtValue(argument_of(call, 2)) + i);
}

static struct lane_origin origin_of_right_spliced_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  (void)part;
  return origin_in_concatenation(call, lane_count_of(argument_of(call, 0)) -
                                           LLVMConstIntGetZExtValue(argument_of(call, 2)) + i);
}

static struct lane_origin origin_of_interleaved_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  unsigned count = LLVMGetNumArgOperands(call);

  (void)part;
  CN_ASSERT(count > 1);
  return (struct lane_origin){argument_of(call, i % count), i / count};
}

static struct lane_origin origin_of_deinterleaved_lane(LLVMValueRef call, unsigned i, unsigned part)
{
  unsigned count = LLVMCountStructElementTypes(LLVMTypeOf(call));

  CN_ASSERT(part < count);
  return (struct lane_origin){argument_of(call, 0), i * count + part};
}

static LLVMValueRef build_permuted_vector(struct vector_lowering *l, LLVMValueRef call, LLVMTypeRef type,
                                          lane_origin_function *from, unsigned part)
{
  unsigned count = LLVMGetVectorSize(type);
  struct lane_origin *lanes = cn_alloc(count * sizeof *lanes);

  for (unsigned i = 0; i < count; i++)
    lanes[i] = from(call, i, part);
  LLVMValueRef result = build_from_lanes(l, type, lanes);
  free(lanes);
  return result;
}

static LLVMValueRef lower_lane_permutation(struct vector_lowering *l, LLVMValueRef call, lane_origin_function *from)
{
  LLVMTypeRef type = LLVMTypeOf(call);

  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return build_permuted_vector(l, call, type, from, 0);
  LLVMValueRef whole = LLVMConstNull(type);
  for (unsigned part = 0; part < LLVMCountStructElementTypes(type); part++) {
    LLVMTypeRef vector = LLVMStructGetTypeAtIndex(type, part);
    LLVMValueRef lanes = build_permuted_vector(l, call, vector, from, part);
    whole = LLVMBuildInsertValue(l->builder, whole, lanes, part, "");
  }
  return whole;
}

/* ---- masked lanes ---- */

/* Build a mask of the lanes below the explicit vector length that `mask` enables. */
static LLVMValueRef build_active_mask(struct vector_lowering *l, LLVMValueRef mask, LLVMValueRef length)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(l->ctx->llvm);
  LLVMValueRef before = LLVMConstNull(LLVMTypeOf(mask));

  for (unsigned i = 0; i < lane_count_of(mask); i++) {
    LLVMValueRef lane = LLVMConstInt(i32, i, false);
    LLVMValueRef in = LLVMBuildICmp(l->builder, LLVMIntULT, lane, length, "");
    before = LLVMBuildInsertElement(l->builder, before, in, i64_constant_of(l, i), "");
  }
  return LLVMBuildAnd(l->builder, mask, before, "");
}

/* vp.select, vp.merge */
static LLVMValueRef lower_vp_select(struct vector_lowering *l, LLVMValueRef call)
{
  LLVMValueRef mask = build_active_mask(l, argument_of(call, 0), argument_of(call, 3));

  return LLVMBuildSelect(l->builder, mask, argument_of(call, 1), argument_of(call, 2), "");
}

/* Build a vector with the lanes of `call` that `mask` enables, and with the other lanes of `otherwise`.
 * replace_instruction() makes the other uses of the call read this vector. */
static LLVMValueRef build_masked_result(struct vector_lowering *l, LLVMValueRef call, LLVMValueRef mask,
                                        LLVMValueRef otherwise)
{
  return LLVMBuildSelect(l->builder, mask, call, otherwise, "");
}

/* Lower a load with a mask and a vector length, whose unloaded lanes are poison. An attribute marks loads that are
 * lowered already, since statepoints may be stripped and built again. */
static LLVMValueRef lower_vp_load(struct vector_lowering *l, LLVMValueRef call)
{
  static const char mark[] = "cairn-masked";
  unsigned count = LLVMGetNumArgOperands(call);

  if (LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, mark, sizeof mark - 1))
    return NULL;
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(l->ctx->llvm, mark, sizeof mark - 1, "", 0));
  LLVMValueRef mask = build_active_mask(l, argument_of(call, count - 2), argument_of(call, count - 1));

  return build_masked_result(l, call, mask, LLVMConstNull(LLVMTypeOf(call)));
}

/* Lower a load with a pass-through value for its unloaded lanes. */
static LLVMValueRef lower_masked_load(struct vector_lowering *l, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call);
  LLVMValueRef mask = argument_of(call, count - 2), otherwise = argument_of(call, count - 1);

  CN_ASSERT(LLVMTypeOf(otherwise) == LLVMTypeOf(call));
  if (LLVMIsConstant(otherwise))
    return NULL;
  LLVMSetOperand(call, count - 1, LLVMConstNull(LLVMTypeOf(call)));
  return build_masked_result(l, call, mask, otherwise);
}

/* Lower a mask of a vector to one call per lane, so that each lane has a base. */
static LLVMValueRef lower_ptrmask(struct vector_lowering *l, LLVMValueRef call)
{
  LLVMValueRef pointers = argument_of(call, 0), masks = argument_of(call, 1);

  if (cn_is_ref(LLVMTypeOf(call)))
    return NULL;
  LLVMTypeRef types[] = {LLVMGetElementType(LLVMTypeOf(pointers)), LLVMGetElementType(LLVMTypeOf(masks))};
  LLVMValueRef ptrmask = cn_intrinsic(l->ctx, "llvm.ptrmask", types, 2);
  LLVMValueRef whole = LLVMConstNull(LLVMTypeOf(call));
  for (unsigned i = 0; i < lane_count_of(call); i++) {
    LLVMValueRef args[] = {LLVMBuildExtractElement(l->builder, pointers, i64_constant_of(l, i), ""),
                           LLVMBuildExtractElement(l->builder, masks, i64_constant_of(l, i), "")};
    LLVMValueRef lane = LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(ptrmask), ptrmask, args, 2, "");
    whole = LLVMBuildInsertElement(l->builder, whole, lane, i64_constant_of(l, i), "");
  }
  return whole;
}

/* Drop llvm.ssa.copy, which the code generator cannot lower. */
static LLVMValueRef lower_ssa_copy(struct vector_lowering *l, LLVMValueRef call)
{
  (void)l;
  return argument_of(call, 0);
}

/* ---- table ---- */

static const struct vector_intrinsic {
  const char *name;
  lane_origin_function *places;
  LLVMValueRef (*lower)(struct vector_lowering *l, LLVMValueRef call); /* null: the call stays unchanged */
  bool stays;                                                          /* the call is still needed */
} vector_intrinsics[] = {
    {"llvm.vector.reverse", origin_of_reversed_lane, NULL, false},
    {"llvm.vector.extract", origin_of_extracted_lane, NULL, false},
    {"llvm.vector.insert", origin_of_inserted_lane, NULL, false},
    {"llvm.vector.splice.left", origin_of_left_spliced_lane, NULL, false},
    {"llvm.vector.splice.right", origin_of_right_spliced_lane, NULL, false},
    {"llvm.vector.interleave2", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave3", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave4", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave5", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave6", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave7", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.interleave8", origin_of_interleaved_lane, NULL, false},
    {"llvm.vector.deinterleave2", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave3", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave4", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave5", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave6", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave7", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vector.deinterleave8", origin_of_deinterleaved_lane, NULL, false},
    {"llvm.vp.select", NULL, lower_vp_select, false},
    {"llvm.vp.merge", NULL, lower_vp_select, false},
    {"llvm.vp.load", NULL, lower_vp_load, true},
    {"llvm.vp.gather", NULL, lower_vp_load, true},
    {"llvm.experimental.vp.strided.load", NULL, lower_vp_load, true},
    {"llvm.masked.load", NULL, lower_masked_load, true},
    {"llvm.masked.gather", NULL, lower_masked_load, true},
    {"llvm.masked.expandload", NULL, lower_masked_load, true},
    {"llvm.ssa.copy", NULL, lower_ssa_copy, false},
    {"llvm.ptrmask", NULL, lower_ptrmask, false},
};

static const struct vector_intrinsic *find_vector_intrinsic(LLVMValueRef call)
{
  if (!cn_calls_some_intrinsic(call))
    return NULL;
  for (size_t i = 0; i < sizeof vector_intrinsics / sizeof *vector_intrinsics; i++)
    if (cn_calls_intrinsic(call, vector_intrinsics[i].name))
      return &vector_intrinsics[i];
  return NULL;
}

/* True if the origin of each lane can be found. The origins are unknown in a splice by a variable number of lanes or by
 * more lanes than the vector has, and in interleaved vectors with fewer lanes than the result, which LLVM's verifier
 * accepts. */
static bool has_known_lane_origins(LLVMValueRef call, lane_origin_function *places)
{
  if (places == origin_of_interleaved_lane)
    return LLVMGetNumArgOperands(call) * lane_count_of(argument_of(call, 0)) == lane_count_of(call);
  if (places != origin_of_left_spliced_lane && places != origin_of_right_spliced_lane)
    return true;
  LLVMValueRef by = argument_of(call, 2);

  return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) <= lane_count_of(argument_of(call, 0));
}

bool cn_vector_intrinsics_can_lower(LLVMValueRef call)
{
  const struct vector_intrinsic *known = find_vector_intrinsic(call);

  CN_ASSERT(LLVMIsAInstruction(call));
  return known && has_known_lane_origins(call, known->places);
}

/* ---- instructions ---- */

/* Lower a cast between a reference and a vector with one lane. */
static LLVMValueRef lower_vector_bitcast(struct vector_lowering *l, LLVMValueRef cast)
{
  LLVMValueRef from = LLVMGetOperand(cast, 0);
  bool to_ref = cn_is_ref(LLVMTypeOf(cast)), from_ref = cn_is_ref(LLVMTypeOf(from));

  if (to_ref == from_ref)
    return NULL;
  CN_CHECK(lane_count_of(to_ref ? from : cast) == 1);
  if (to_ref)
    return LLVMBuildExtractElement(l->builder, from, i64_constant_of(l, 0), "");
  LLVMValueRef null = LLVMConstNull(LLVMTypeOf(cast));
  return LLVMBuildInsertElement(l->builder, null, from, i64_constant_of(l, 0), "");
}

static LLVMValueRef lower_constant_cast(LLVMValueRef cast)
{
  LLVMValueRef from = LLVMGetOperand(cast, 0);

  if (!LLVMIsConstant(from))
    return NULL;
  return LLVMIsAIntToPtrInst(cast) ? LLVMConstIntToPtr(from, LLVMTypeOf(cast))
                                   : LLVMConstAddrSpaceCast(from, LLVMTypeOf(cast));
}

/* An extract beyond the end is poison, whose register may have any contents: it becomes null. */
static LLVMValueRef lower_extract_beyond_end(struct vector_lowering *l, LLVMValueRef extract)
{
  LLVMValueRef index = LLVMGetOperand(extract, 1);

  (void)l;
  if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) < lane_count_of(LLVMGetOperand(extract, 0)))
    return NULL;
  return LLVMConstNull(LLVMTypeOf(extract));
}

/* The argument that a leaf returns unchanged ("returned"), or null. A returned argument may be a derived pointer; any
 * other result of a call is a base. */
static LLVMValueRef returned_argument_of(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = cn_attribute_kind("returned"), arguments = LLVMGetNumArgOperands(call);

  for (unsigned a = 0; a < arguments; a++)
    if (LLVMTypeOf(argument_of(call, a)) == LLVMTypeOf(call) &&
        (LLVMGetCallSiteEnumAttribute(call, a + 1, kind) ||
         (callee && LLVMGetEnumAttributeAtIndex(callee, a + 1, kind))))
      return cn_classify_call(call).kind == CN_CALL_LEAF ? argument_of(call, a) : NULL;
  return NULL;
}

/* The replacement of `i`, or null if `i` stays unchanged; *stays says whether `i` is still needed. */
static LLVMValueRef lower_instruction(struct vector_lowering *l, LLVMValueRef i, bool *stays)
{
  const struct vector_intrinsic *known;

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMBitCast:
    return lower_vector_bitcast(l, i);
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast: /* a cast of a constant becomes a constant, which never moves */
    return lower_constant_cast(i);
  case LLVMExtractElement:
    return lower_extract_beyond_end(l, i);
  case LLVMCall:
    known = find_vector_intrinsic(i);
    *stays = known ? known->stays : true;
    if (!known)
      return returned_argument_of(i);
    CN_CHECK(known->places || known->lower);
    return known->places ? lower_lane_permutation(l, i, known->places) : known->lower(l, i);
  default:
    return NULL;
  }
}

/* Make the uses of `i`, except the use by `to`, read `to`. */
static void replace_instruction(LLVMValueRef i, LLVMValueRef to, bool stays)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(i, &length));

  CN_CHECK(to != i && LLVMTypeOf(to) == LLVMTypeOf(i));
  LLVMReplaceAllUsesWith(i, to);
  if (stays && LLVMIsASelectInst(to) && LLVMGetOperand(to, 1) == to)
    LLVMSetOperand(to, 1, i); /* the select itself still reads `i` */
  if (!stays)
    LLVMInstructionEraseFromParent(i);
  if (!stays && length && LLVMIsAInstruction(to) && !*LLVMGetValueName2(to, &length))
    LLVMSetValueName2(to, name, strlen(name));
  free(name);
}

static bool may_be_lowered(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMBitCast:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
  case LLVMExtractElement:
  case LLVMCall:
    return true;
  default:
    return false;
  }
}

void cn_vector_intrinsics_lower(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct vector_lowering l = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      bool stays = false;
      next = LLVMGetNextInstruction(i);
      if (!next || !may_be_lowered(i) || !cn_holds_ref(LLVMTypeOf(i)))
        continue;
      LLVMPositionBuilderBefore(l.builder, next);
      LLVMSetCurrentDebugLocation2(l.builder, LLVMInstructionGetDebugLoc(i));
      LLVMValueRef to = lower_instruction(&l, i, &stays);
      if (to)
        replace_instruction(i, to, stays);
    }
  LLVMDisposeBuilder(l.builder);
}
