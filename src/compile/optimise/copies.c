/* SPDX-License-Identifier: Apache-2.0
 *
 * Expands copies of memory that may hold references, before the optimiser runs. Part of pass `prepare`.
 *
 * Needs: any function. Provides: copies of constant length that the optimiser keeps as references. Breaks: nothing.
 *
 * LLVM 22 changes llvm.memcpy as follows (seen with opt -passes=sroa, instcombine, default<O3>;
 * test/compile/prepare/copies.ll):
 *   - InstCombine turns a copy of 8 bytes of any type into a load and a store of i64. LLVM may then hoist the load over
 *     a safepoint. The safepoint does not relocate the integer, so a root is lost. Smaller copies cannot contain a
 *     reference. Larger copies stay calls until code generation, so no safepoint can come between their parts.
 *   - SROA cuts a local of struct type at the accessed fields. A piece that is only copied gets a type from the struct
 *     if one fits, and otherwise [N x i8], which hides a reference.
 *
 * So a copy into or out of a local whose type holds references becomes loads and stores of its fields, which SROA
 * promotes. Other copies of 8 bytes become a load and a store of a reference if the type is known, else a volatile load
 * and store of i64, which stay together. Copies whose TBAA excludes pointers stay unchanged. If TBAA is missing, locals
 * with references stay in memory, and attributes forbid new calls of memcpy (cn_copies_guard_without_tbaa(),
 * cn_copies_forbid_idioms()).
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/tbaa.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/core/scalars.h"
#include "compile/optimise/prepare.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

static bool is_volatile(LLVMValueRef copy)
{
  return LLVMConstIntGetZExtValue(LLVMGetOperand(copy, 3)) != 0;
}

static LLVMValueRef build_field_address(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef base, uint64_t offset)
{
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);

  if (offset == 0)
    return base;
  return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(ctx->llvm), base, &index, 1, "");
}

static unsigned alignment_at(LLVMValueRef copy, unsigned argument, uint64_t offset)
{
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(copy, argument + 1, cn_attribute_kind("align"));
  uint64_t align = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;

  CN_CHECK(align > 0);
  while (offset % align != 0)
    align /= 2;
  return (unsigned)align;
}

static LLVMValueRef load_field(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef copy,
                               const struct cn_scalar *scalar)
{
  LLVMValueRef from = build_field_address(ctx, builder, LLVMGetOperand(copy, 1), scalar->offset);
  LLVMValueRef load = LLVMBuildLoad2(builder, scalar->type, from, "");

  LLVMSetAlignment(load, alignment_at(copy, 1, scalar->offset));
  return load;
}

static LLVMValueRef store_field(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef copy,
                                const struct cn_scalar *scalar, LLVMValueRef load)
{
  LLVMValueRef to = build_field_address(ctx, builder, LLVMGetOperand(copy, 0), scalar->offset);
  LLVMValueRef store = LLVMBuildStore(builder, load, to);
  CN_CHECK(LLVMIsALoadInst(load) && LLVMTypeOf(load) == scalar->type);
  LLVMValueRef tag =
      cn_tbaa_field_tag_of_copy(ctx, copy, scalar->offset, LLVMStoreSizeOfType(ctx->layout, scalar->type));

  LLVMSetAlignment(store, alignment_at(copy, 0, scalar->offset));
  if (tag) {
    unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, "tbaa", 4);
    LLVMSetMetadata(load, kind, tag);
    LLVMSetMetadata(store, kind, tag);
  }
  return store;
}

static LLVMBuilderRef create_builder_before(struct cn_ctx *ctx, LLVMValueRef at)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, at);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(at));
  return builder;
}

/* Replace the copy by loads and stores. All loads come first, because source and destination may overlap.
 */
static void expand_copy(struct cn_ctx *ctx, LLVMValueRef copy, const struct cn_scalars *fields)
{
  LLVMBuilderRef builder = create_builder_before(ctx, copy);
  value_vector loads = {0};

  CN_CHECK(fields->list.count > 0 && fields->list.count <= CN_SCALARS_MOST);
  for (size_t i = 0; i < fields->list.count; i++)
    cn_push(&loads, load_field(ctx, builder, copy, &fields->list.at[i]));
  for (size_t i = 0; i < fields->list.count; i++)
    store_field(ctx, builder, copy, &fields->list.at[i], loads.at[i]);
  LLVMInstructionEraseFromParent(copy);
  cn_free(&loads);
  LLVMDisposeBuilder(builder);
}

static void gather_copies(LLVMValueRef function, value_vector *out)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_calls_is_memory_copy(i) && cn_tbaa_constant_copy_length(i) > 0 && !is_volatile(i))
        cn_push(out, i);
}

/* The type of the `size` copied bytes if one of the addresses has a type that holds references, else null. */
static LLVMTypeRef copied_type(struct cn_ctx *ctx, LLVMValueRef copy, uint64_t size)
{
  for (unsigned side = 0; side < 2; side++) {
    LLVMTypeRef type = cn_types_narrow_to_size(ctx, cn_types_memory_type_of(LLVMGetOperand(copy, side)), size);
    if (type && cn_holds_ref(type))
      return type;
  }
  return NULL;
}

/* True if the pointer points into a local, or into memory of an argument such as an sret result. */
static bool is_pointer_to_local(LLVMValueRef pointer)
{
  LLVMValueRef root = cn_types_root_of(pointer);

  return LLVMIsAAllocaInst(root) || LLVMIsAArgument(root);
}

void cn_copies_expand(struct cn_ctx *ctx, LLVMValueRef function)
{
  value_vector copies = {0};

  CN_ASSERT(LLVMIsAFunction(function));
  gather_copies(function, &copies);
  for (size_t i = 0; i < copies.count; i++) {
    LLVMValueRef copy = copies.at[i];
    if (!is_pointer_to_local(LLVMGetOperand(copy, 0)) && !is_pointer_to_local(LLVMGetOperand(copy, 1)))
      continue;
    LLVMTypeRef type = copied_type(ctx, copy, cn_tbaa_constant_copy_length(copy));
    struct cn_scalars fields = {0};
    if (type)
      cn_scalars_of(ctx, type, &fields);
    if (fields.list.count > 0 && fields.list.count <= CN_SCALARS_MOST)
      expand_copy(ctx, copy, &fields);
    cn_free(&fields.list);
  }
  cn_free(&copies);
}

/* ---- the remaining copies of eight bytes ---- */

static void replace_by_volatile_word(struct cn_ctx *ctx, LLVMValueRef copy)
{
  CN_CHECK(cn_tbaa_constant_copy_length(copy) == CN_REF_SIZE);
  LLVMBuilderRef builder = create_builder_before(ctx, copy);
  struct cn_scalar whole = {LLVMInt64TypeInContext(ctx->llvm), 0};
  LLVMValueRef load = load_field(ctx, builder, copy, &whole);

  LLVMSetVolatile(load, true);
  LLVMSetVolatile(store_field(ctx, builder, copy, &whole, load), true);
  LLVMInstructionEraseFromParent(copy);
  LLVMDisposeBuilder(builder);
}

void cn_copies_make_volatile(struct cn_ctx *ctx, LLVMValueRef function)
{
  value_vector copies = {0};

  CN_ASSERT(LLVMIsAFunction(function));
  gather_copies(function, &copies);
  for (size_t i = 0; i < copies.count; i++) {
    LLVMValueRef copy = copies.at[i];
    if (cn_tbaa_constant_copy_length(copy) != CN_REF_SIZE || cn_tbaa_is_plain_data_copy(ctx, copy))
      continue;
    LLVMTypeRef type = copied_type(ctx, copy, CN_REF_SIZE);
    struct cn_scalars fields = {0};
    if (type)
      cn_scalars_of(ctx, type, &fields);
    if (fields.list.count == 1)
      expand_copy(ctx, copy, &fields);
    else
      replace_by_volatile_word(ctx, copy);
    cn_free(&fields.list);
  }
  cn_free(&copies);
}

/* ---- copies without TBAA tags ---- */

void cn_copies_forbid_idioms(struct cn_ctx *ctx)
{
  static const char *const names[] = {"no-builtin-memcpy", "no-builtin-memmove"};

  /* Every function gets the attributes, because the inliner needs equal attributes in callers and callees. */
  CN_EACH_FUNCTION(f, ctx->module)
    for (size_t i = 0; i < 2 && !LLVMIsDeclaration(f); i++)
      LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX,
                              LLVMCreateStringAttribute(ctx->llvm, names[i], (unsigned)strlen(names[i]), "", 0));
}

static bool is_copy_without_tbaa(struct cn_ctx *ctx, LLVMValueRef i)
{
  LLVMValueRef tag = LLVMGetMetadata(i, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa", 4));

  if (cn_calls_is_memory_copy(i))
    return !tag && cn_tbaa_constant_copy_length(i) >= CN_REF_SIZE &&
           !LLVMGetMetadata(i, LLVMGetMDKindIDInContext(ctx->llvm, "tbaa.struct", 11));
  return LLVMIsAStoreInst(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) && LLVMIsALoadInst(LLVMGetOperand(i, 0)) &&
         (!tag || !cn_tbaa_is_pointer(tag));
}

static void find_copies_without_tbaa(struct cn_ctx *ctx, LLVMValueRef function, bool *references, bool *memory)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_copy_without_tbaa(ctx, i))
        *(LLVMIsAStoreInst(i) ? references : memory) = true;
}

void cn_copies_guard_without_tbaa(struct cn_ctx *ctx)
{
  bool references = false, memory = false;

  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f))
      find_copies_without_tbaa(ctx, f, &references, &memory);
  if (references)
    cn_copies_forbid_idioms(ctx);
  if (references || memory)
    cn_hidden_locals_prevent(ctx);
}
