/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles tagged unions in the initialisers of globals (unions.c). Part of pass `rules`, after the rules of constants.
 *
 * Needs: the front end's IR, in which a global with an initialised number has a type with the number in place of the
 * union, after a member of type struct cairn_union_bit_. Provides: a global with the word of a reference there, whose
 * value is the box of the number; errors of rule tagged-union. Breaks: pointers to replaced globals.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/source/unions.h"

typedef CN_VECTOR(LLVMValueRef) constant_vector;

struct constant_rewrite {
  struct cn_ctx *ctx;
  LLVMValueRef global;
};

static LLVMValueRef rewrite_constant(struct constant_rewrite *r, LLVMValueRef constant);

static unsigned element_count_of(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                     : (unsigned)LLVMGetArrayLength2(type);
}

/* True for the bytes that clang puts between the bit and the union. */
static bool is_padding(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
         LLVMGetElementType(type) == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
}

/* The bits of the number that a union is initialised with. False for another constant, such as an address. */
static bool number_of(struct constant_rewrite *r, LLVMValueRef constant, uint64_t *bits)
{
  LLVMTypeRef type = LLVMTypeOf(constant);

  while (LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 0) {
    constant = LLVMGetAggregateElement(constant, 0);
    type = LLVMTypeOf(constant);
  }
  *bits = 0;
  if (LLVMIsNull(constant) || LLVMIsUndef(constant))
    return true;
  if (LLVMIsAConstantFP(constant)) {
    unsigned width = (unsigned)LLVMSizeOfTypeInBits(r->ctx->layout, type);
    constant = LLVMConstBitCast(constant, LLVMIntTypeInContext(r->ctx->llvm, width));
  }
  if (!LLVMIsAConstantInt(constant) || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
    return false;
  *bits = LLVMConstIntGetZExtValue(constant);
  return true;
}

/* A constant of the bit's type, whose last member is the bit. */
static LLVMValueRef build_bit(LLVMTypeRef type, LLVMValueRef bit)
{
  constant_vector members = {0};
  unsigned count = LLVMCountStructElementTypes(type);

  CN_CHECK(count > 0);
  for (unsigned i = 0; i + 1 < count; i++)
    cn_push(&members, LLVMConstNull(LLVMStructGetTypeAtIndex(type, i)));
  cn_push(&members, bit);
  LLVMValueRef built = LLVMConstNamedStruct(type, members.at, count);
  cn_free(&members);
  return built;
}

/* Rewrite the bit `elements[0]` and the union after it, among `count` elements. */
static void rewrite_union(struct constant_rewrite *r, LLVMValueRef *elements, unsigned count)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(r->ctx->llvm), i64 = LLVMInt64TypeInContext(r->ctx->llvm);
  unsigned at = 1;
  uint64_t bits;

  while (at < count && is_padding(LLVMTypeOf(elements[at])))
    at++;
  if (at == count || cn_holds_ref(LLVMTypeOf(elements[at])))
    return;
  if (!number_of(r, elements[at], &bits)) {
    cn_error(r->ctx, r->global, "tagged-union",
             "a cairn_union() is initialised with an address, whose box is known at run time only; assign it at run "
             "time");
    elements[at] = LLVMConstNull(cn_ref_type(r->ctx));
    return;
  }
  LLVMValueRef word = LLVMConstInt(i64, bits | UINT64_C(1) << 63, false), bit = LLVMConstInt(i8, ~bits >> 63, false);
  elements[at] = LLVMConstIntToPtr(word, cn_ref_type(r->ctx));
  elements[0] = build_bit(LLVMTypeOf(elements[0]), bit);
}

static LLVMValueRef build_array(struct constant_rewrite *r, LLVMValueRef *elements, unsigned count)
{
  LLVMTypeRef type = LLVMTypeOf(elements[0]);

  for (unsigned i = 1; i < count; i++)
    if (LLVMTypeOf(elements[i]) != type)
      return LLVMConstStructInContext(r->ctx->llvm, elements, count, false);
  return LLVMConstArray2(type, elements, count);
}

/* The constant with the boxes of numbers in its tagged unions, or the constant itself. */
static LLVMValueRef rewrite_constant(struct constant_rewrite *r, LLVMValueRef constant)
{
  LLVMTypeRef type = LLVMTypeOf(constant);
  bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind, changed = false;
  constant_vector elements = {0};

  if (!cn_unions_has_union(type))
    return constant;
  unsigned count = element_count_of(type);
  for (unsigned i = 0; i < count; i++)
    cn_push(&elements, rewrite_constant(r, LLVMGetAggregateElement(constant, i)));
  for (unsigned i = 0; is_struct && i < count; i++)
    if (cn_unions_is_bit_type(LLVMTypeOf(elements.at[i])))
      rewrite_union(r, &elements.at[i], count - i);
  for (unsigned i = 0; i < count && !changed; i++)
    changed = elements.at[i] != LLVMGetAggregateElement(constant, i);
  if (changed && is_struct)
    constant = LLVMConstStructInContext(r->ctx->llvm, elements.at, count, LLVMIsPackedStruct(type));
  else if (changed)
    constant = build_array(r, elements.at, count);
  cn_free(&elements);
  return constant;
}

static void replace_global(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef initialiser)
{
  LLVMValueRef fresh = LLVMAddGlobal(ctx->module, LLVMTypeOf(initialiser), "");
  size_t length;

  LLVMSetInitializer(fresh, initialiser);
  LLVMSetLinkage(fresh, LLVMGetLinkage(global));
  LLVMSetVisibility(fresh, LLVMGetVisibility(global));
  LLVMSetUnnamedAddress(fresh, LLVMGetUnnamedAddress(global));
  LLVMSetAlignment(fresh, LLVMGetAlignment(global));
  LLVMSetThreadLocalMode(fresh, LLVMGetThreadLocalMode(global));
  LLVMSetGlobalConstant(fresh, LLVMIsGlobalConstant(global));
  if (LLVMGetSection(global))
    LLVMSetSection(fresh, LLVMGetSection(global));
  if (LLVMGetComdat(global))
    LLVMSetComdat(fresh, LLVMGetComdat(global));
  cn_emit_copy_global_metadata(global, fresh);
  char *name = cn_strdup(LLVMGetValueName2(global, &length));
  LLVMSetValueName2(global, "", 0);
  LLVMSetValueName2(fresh, name, strlen(name));
  free(name);
  LLVMReplaceAllUsesWith(global, fresh);
  LLVMDeleteGlobal(global);
}

void cn_unions_compile_constants(struct cn_ctx *ctx)
{
  constant_vector globals = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (LLVMGetInitializer(g))
      cn_push(&globals, g);
  for (size_t i = 0; i < globals.count; i++) {
    struct constant_rewrite r = {ctx, globals.at[i]};
    LLVMValueRef before = LLVMGetInitializer(r.global), after = rewrite_constant(&r, before);
    if (after != before)
      replace_global(ctx, r.global, after);
  }
  cn_free(&globals);
}
