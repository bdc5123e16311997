/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the allocations whose type allows a local in their place, and names the types for remarks. Part of pass
 * `escape`.
 *
 * Needs: layout statics, as front ends make them. Provides: struct cn_object_node: the call, the object's type, and the
 * reason if the object needs the collector. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/effects/deopt_records.h"
#include "compile/core/memory_types.h"
#include "compile/core/words.h"
#include "compile/escape/escape.h"
#include "compile/allocation/type_metadata.h"

static LLVMTypeRef extend_type_by_bytes(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t more)
{
  LLVMTypeRef both[] = {type, LLVMArrayType2(LLVMInt8TypeInContext(ctx->llvm), more)};

  return more ? LLVMStructTypeInContext(ctx->llvm, both, 2, false) : type;
}

/* The struct `type` with `count` elements in its last member, or null if the last member is no array of length 0. */
static LLVMTypeRef extend_type_by_elements(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t count)
{
  unsigned members = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
  LLVMTypeRef last = members ? LLVMStructGetTypeAtIndex(type, members - 1) : NULL;

  if (!last || LLVMGetTypeKind(last) != LLVMArrayTypeKind || LLVMGetArrayLength2(last) != 0)
    return NULL;
  LLVMTypeRef *all = cn_alloc(members * sizeof *all);
  LLVMGetStructElementTypes(type, all);
  all[members - 1] = LLVMArrayType2(LLVMGetElementType(last), count);
  LLVMTypeRef made = LLVMStructTypeInContext(ctx->llvm, all, members, LLVMIsPackedStruct(type));
  free(all);
  return made;
}

/* The type of the object, or null. `number` is the call's argument: a count, or a size in bytes. */
static LLVMTypeRef object_type_of(struct cn_ctx *ctx, LLVMTypeRef type, enum cn_layout_form form, uint64_t number)
{
  uint64_t least = LLVMABISizeOfType(ctx->layout, type);

  CN_CHECK(number <= CN_MAX_LOCAL_OBJECT_BYTES);
  switch (form) {
  case CN_LAYOUT_FORM_OBJECT:
    return number < least ? NULL : extend_type_by_bytes(ctx, type, number - least);
  case CN_LAYOUT_FORM_ARRAY:
    return LLVMArrayType2(type, number);
  case CN_LAYOUT_FORM_FLEXIBLE:
    return extend_type_by_elements(ctx, type, number);
  }
  CN_UNREACHABLE();
}

/* True if `value` is a static that pass `layouts` will accept by its rules unknown-layout, over-aligned and
 * misaligned-reference. */
static bool is_layout_static(struct cn_ctx *ctx, LLVMValueRef value)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(value);

  return global && !cn_layouts_is_layout_constant(global) && !LLVMIsDeclaration(global) &&
         LLVMIsNull(LLVMGetInitializer(global)) && LLVMTypeIsSized(LLVMGlobalGetValueType(global)) &&
         cn_layouts_object_alignment(ctx, global) <= CAIRN_ABI_OBJECT_ALIGN &&
         !cn_types_has_misaligned_ref(ctx, LLVMArrayType2(LLVMGlobalGetValueType(global), 2));
}

static const char *why_type_needs_collector(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef call)
{
  struct cn_type_metadata said;
  const char *why = NULL;

  if (!cn_type_metadata_read(ctx, global, call, &said))
    why = "the metadata of its type is wrong";
  else if (said.flags & CAIRN_ABI_LAYOUT_FINALISABLE)
    why = "its type is finalisable";
  else if (said.flags & CAIRN_ABI_LAYOUT_FIXED)
    why = "objects of its type never move";
  else if (said.weak.count)
    why = "it has weak fields";
  cn_type_metadata_free(&said);
  return why;
}

bool cn_object_read_allocation(struct cn_ctx *ctx, LLVMValueRef call, struct cn_object_node *out)
{
  const struct cn_allocator *allocator = cn_layouts_called_allocator(call);

  if (!allocator || !LLVMIsACallInst(call) || !cn_is_ref(LLVMTypeOf(call)) ||
      LLVMGetNumArgOperands(call) != (allocator->resizes ? 3 : 2) || !is_layout_static(ctx, LLVMGetOperand(call, 0)))
    return false;
  LLVMValueRef global = LLVMGetOperand(call, 0), number = LLVMGetOperand(call, 1);
  *out = (struct cn_object_node){.root = call, .allocator = allocator, .tag = cn_words(ctx).reference, .stays = NULL};
  if (allocator->resizes)
    out->stays = "it may be the array that is resized";
  else if (!LLVMIsAConstantInt(number))
    out->stays = "its length is not constant";
  else if (LLVMConstIntGetZExtValue(number) > CN_MAX_LOCAL_OBJECT_BYTES)
    out->stays = "it is large";
  else
    out->stays = why_type_needs_collector(ctx, global, call);
  if (out->stays)
    return true;
  out->type = object_type_of(ctx, LLVMGlobalGetValueType(global), allocator->form, LLVMConstIntGetZExtValue(number));
  if (!out->type)
    return false;
  bool indexed = allocator->form != CN_LAYOUT_FORM_OBJECT;
  out->elements = indexed ? LLVMConstIntGetZExtValue(number) : 0;
  out->numbered =
      (indexed || LLVMConstIntGetZExtValue(number) == LLVMABISizeOfType(ctx->layout, LLVMGlobalGetValueType(global))) &&
      cn_deopt_layout_number(ctx, global, &out->language, &out->layout);
  out->size = LLVMABISizeOfType(ctx->layout, out->type);
  out->refs = cn_holds_ref(out->type);
  if (out->size > CN_MAX_LOCAL_OBJECT_BYTES)
    out->stays = "it is large";
  return true;
}

char *cn_object_type_name(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct cn_type_metadata said;

  cn_type_metadata_read(ctx, LLVMGetOperand(call, 0), call, &said);
  char *name = cn_format("%.*s", (int)strcspn(said.names, "\n"), said.names);
  cn_type_metadata_free(&said);
  return name;
}
