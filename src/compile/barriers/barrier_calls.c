/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the calls of barriers for insert-barriers: declares each barrier function as a leaf, and tells whether the
 * module itself defines it.
 *
 * A write or read of scattered or masked lanes has a call per lane. The call's length is 0 if the mask excludes the
 * lane, because an excluded lane may have any address. Needs: a builder at the place of the barrier. Provides: calls of
 * barriers, or an error if the module uses the name for anything else. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

static const uint64_t REFERENCE_BYTES = sizeof(uint64_t);

/* Declares the leaf function `name` of this type. Null after an error. */
static LLVMValueRef declare_barrier(const struct cn_barrier_builder *c, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = cn_emit_declare_function(c->ctx, name, type, LLVMCCallConv);

  if (function && !cn_string_attribute(function, CN_ATTR_LEAF))
    cn_emit_mark_leaf(c->ctx, function);
  return function;
}

static LLVMValueRef build_barrier_call(const struct cn_barrier_builder *c, const char *name, LLVMTypeRef result,
                                       LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef types[3];

  CN_CHECK(count <= 3);
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  LLVMValueRef function = declare_barrier(c, name, type);
  return function ? LLVMBuildCall2(c->builder, type, function, arguments, count, "") : NULL;
}

static LLVMTypeRef i64_type(const struct cn_barrier_builder *c)
{
  return LLVMInt64TypeInContext(c->ctx->llvm);
}

bool cn_barrier_is_defined(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  return function && !LLVMIsDeclaration(function);
}

void cn_barrier_emit_store_call(const struct cn_barrier_builder *c, const struct cn_access *access)
{
  LLVMValueRef root = cn_address_root_of(access->slot);
  LLVMValueRef object = LLVMConstNull(cn_ref_type(c->ctx));

  if (c->kind == CAIRN_BARRIERS_CUSTOM && cn_address_is_object_start(root))
    object = root;
  LLVMValueRef arguments[] = {object, access->slot, access->value};
  build_barrier_call(c, CN_BARRIER_STORE, LLVMVoidTypeInContext(c->ctx->llvm), arguments, 3);
}

/* ---- ranges ---- */

static void emit_range_call(const struct cn_barrier_builder *c, LLVMValueRef to, LLVMValueRef bytes)
{
  LLVMValueRef arguments[] = {to, bytes};

  build_barrier_call(c, CN_BARRIER_RANGE, LLVMVoidTypeInContext(c->ctx->llvm), arguments, 2);
}

static LLVMValueRef i64_constant(const struct cn_barrier_builder *c, uint64_t value)
{
  return LLVMConstInt(i64_type(c), value, false);
}

static LLVMValueRef build_lane_address(const struct cn_barrier_builder *c, const struct cn_access *access,
                                       LLVMValueRef i)
{
  LLVMTypeRef reference = cn_ref_type(c->ctx);

  if (LLVMGetTypeKind(LLVMTypeOf(access->slot)) == LLVMVectorTypeKind)
    return LLVMBuildExtractElement(c->builder, access->slot, i, "");
  return LLVMIsNull(i) ? access->slot : LLVMBuildGEP2(c->builder, reference, access->slot, &i, 1, "");
}

/* The length of a lane's barrier in bytes: 0 if the lane's bit of the mask is clear. An undefined bit counts as set. */
static LLVMValueRef build_lane_byte_count(const struct cn_barrier_builder *c, LLVMValueRef bit)
{
  LLVMValueRef all = i64_constant(c, REFERENCE_BYTES);

  return LLVMIsUndef(bit) ? all : LLVMBuildSelect(c->builder, bit, all, i64_constant(c, 0), "");
}

static void emit_lane_calls(const struct cn_barrier_builder *c, const struct cn_access *access)
{
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(access->mask));

  for (uint64_t i = 0; i < lanes; i++) {
    LLVMValueRef index = i64_constant(c, i);
    LLVMValueRef bit = LLVMBuildExtractElement(c->builder, access->mask, index, "");
    LLVMValueRef bytes = build_lane_byte_count(c, bit);
    if (!LLVMIsNull(bytes))
      emit_range_call(c, build_lane_address(c, access, index), bytes);
  }
}

void cn_barrier_emit_range_call(const struct cn_barrier_builder *c, LLVMValueRef at, const struct cn_access *access)
{
  if (c->kind == CAIRN_BARRIERS_CUSTOM && !cn_barrier_is_defined(c->ctx, CN_BARRIER_RANGE)) {
    cn_error(c->ctx, at, "missing-barrier", "the module has no @%s for it", CN_BARRIER_RANGE);
    return;
  }
  if (access->kind == CN_ACCESS_LANES)
    emit_lane_calls(c, access);
  else
    emit_range_call(c, access->slot, LLVMBuildZExtOrBitCast(c->builder, access->bytes, i64_type(c), ""));
}

/* ---- loads ---- */

void cn_barrier_emit_load_call(const struct cn_barrier_builder *c, LLVMValueRef load, const struct cn_access *access)
{
  LLVMValueRef arguments[] = {access->slot, load};

  CN_CHECK(LLVMIsALoadInst(load));
  LLVMValueRef healed = build_barrier_call(c, CN_BARRIER_LOAD, LLVMTypeOf(load), arguments, 2);
  if (!healed)
    return;
  LLVMReplaceAllUsesWith(load, healed);
  LLVMSetOperand(healed, 1, load);
  cn_name_value_after(healed, load, ".healed");
}
