/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout constants: makes the struct cairn_layout of a type, which the collector reads, and finds it again. Needs,
 * breaks: nothing. Provides: the table of a module's layouts, and queries of layouts and allocators for other passes.
 *
 * The LLVM value type of a layout static names every reference in the C type (docs/llvm-22.md, "layouts"). The static's
 * metadata (type_metadata.c) gives names, weak fields and flags. Types with equal layouts and names share one constant.
 */
#include "compile/allocation/layout_constants.h"

#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/allocation/type_metadata.h"

#define MAX_REFERENCE_OFFSETS 65536

/* Fields of struct cairn_layout as LLVM constants. */
enum {
  FIELD_MAGIC,
  FIELD_BASE_REFS,
  FIELD_BASE_SIZE,
  FIELD_ELEM_SIZE,
  FIELD_ELEM_OFFSET,
  FIELD_FLAGS,
  FIELD_ELEM_REFS,
  FIELD_NAMES,
  FIELD_OFFSETS,
  FIELD_COUNT
};

const struct cn_allocator cn_layouts_allocators[CN_ALLOCATOR_COUNT] = {
    {CN_ALLOC, CN_ALLOC_SLOW, CN_LAYOUT_FORM_OBJECT, false, false},
    {CN_ALLOC_ARRAY, CN_ALLOC_INDEXED_SLOW, CN_LAYOUT_FORM_ARRAY, false, false},
    {CN_ALLOC_FLEX, CN_ALLOC_INDEXED_SLOW, CN_LAYOUT_FORM_FLEXIBLE, false, false},
    {CN_ALLOC_ARRAY_UNINIT, CN_ALLOC_UNINIT_SLOW, CN_LAYOUT_FORM_ARRAY, true, false},
    {CN_ALLOC_FLEX_UNINIT, CN_ALLOC_UNINIT_SLOW, CN_LAYOUT_FORM_FLEXIBLE, true, false},
    {CN_RESIZE_ARRAY, CN_RESIZE_SLOW, CN_LAYOUT_FORM_ARRAY, false, true},
    {CN_RESIZE_ARRAY_UNINIT, CN_RESIZE_SLOW, CN_LAYOUT_FORM_ARRAY, true, true},
};

typedef CN_VECTOR(LLVMValueRef) value_vector;

/* Append the offsets of the references in `type` to *out. False if there are too many references, or if an offset is
 * too large. */
static bool append_reference_offsets(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t at, value_vector *out)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (!cn_holds_ref(type))
    return true;
  if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!append_reference_offsets(ctx, LLVMStructGetTypeAtIndex(type, i),
                                    at + LLVMOffsetOfElement(ctx->layout, type, i), out))
        return false;
    return true;
  }
  if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t stride = LLVMABISizeOfType(ctx->layout, element);
    uint64_t count = kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      if (!append_reference_offsets(ctx, element, at + i * stride, out))
        return false;
    return true;
  }
  if (out->count == MAX_REFERENCE_OFFSETS || at > UINT32_MAX || kind != LLVMPointerTypeKind)
    return false;
  cn_push(out, LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), at, false));
  return true;
}

LLVMTypeRef cn_layouts_flexible_member(LLVMTypeRef type)
{
  unsigned members = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
  LLVMTypeRef last = members ? LLVMStructGetTypeAtIndex(type, members - 1) : NULL;

  if (!last || LLVMGetTypeKind(last) != LLVMArrayTypeKind || LLVMGetArrayLength2(last) != 0)
    return NULL;
  return last;
}

/* Mark the references of weak fields. False if a weak field has no reference. */
static bool mark_weak_offsets(struct cn_ctx *ctx, const struct cn_type_metadata *said,
                              const struct cn_layout_sizes *sizes, value_vector *offsets, size_t base_refs)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx->llvm);
  bool all = true;

  for (size_t f = 0; f < said->weak.count; f++) {
    bool any = false;
    for (size_t i = 0; i < offsets->count; i++) {
      uint64_t offset = LLVMConstIntGetZExtValue(offsets->at[i]) & ~UINT64_C(7);
      uint64_t from = i < base_refs ? 0 : sizes->elem_offset;
      if (!cn_weak_field_covers_offset(&said->weak.at[f], from + offset))
        continue;
      offsets->at[i] = LLVMConstInt(i32, offset | CAIRN_ABI_LAYOUT_WEAK_OFFSET, false);
      any = true;
    }
    all &= any;
  }
  return all;
}

/* The offset of the reference that has `offset` inside of it, or UINT64_MAX. */
static uint64_t enclosing_reference(const struct cn_layout_sizes *sizes, const value_vector *offsets, size_t base_refs,
                                    uint64_t offset)
{
  for (size_t i = 0; i < offsets->count; i++) {
    uint64_t reference = LLVMConstIntGetZExtValue(offsets->at[i]) & ~UINT64_C(7);
    reference += i < base_refs ? 0 : sizes->elem_offset;
    if (offset > reference && offset - reference < sizeof(uint64_t))
      return reference;
  }
  return UINT64_MAX;
}

static bool ends_in_empty_member(struct cn_ctx *ctx, LLVMTypeRef type)
{
  unsigned members = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;

  return members != 0 && LLVMABISizeOfType(ctx->layout, LLVMStructGetTypeAtIndex(type, members - 1)) == 0;
}

/* Report fields of the metadata that lie beyond the type, or that begin inside of a reference. False: there are some.
 */
static bool check_stated_fields(struct cn_ctx *ctx, LLVMTypeRef type, const struct cn_type_metadata *said,
                                const struct cn_layout_sizes *sizes, const value_vector *offsets, size_t base_refs,
                                LLVMValueRef at)
{
  uint64_t bytes = sizes->elem_offset + sizes->elem_size;
  bool all = true;

  if (bytes < sizes->base_size)
    bytes = sizes->base_size;
  for (size_t f = 0; said && f < said->fields.count; f++) {
    const struct cn_stated_field *field = &said->fields.at[f];
    uint64_t reference = enclosing_reference(sizes, offsets, base_refs, field->first);
    if (reference != UINT64_MAX)
      cn_error(ctx, at, "type-metadata", "field %.*s of %.*s is at offset %llu, inside of the reference at offset %llu",
               (int)field->name_length, field->name, (int)strcspn(said->names, "\n"), said->names,
               (unsigned long long)field->first, (unsigned long long)reference);
    else if (field->last > bytes || (field->last == bytes && !ends_in_empty_member(ctx, type)))
      cn_error(ctx, at, "type-metadata", "field %.*s of %.*s is at offset %llu, and the type has %llu bytes",
               (int)field->name_length, field->name, (int)strcspn(said->names, "\n"), said->names,
               (unsigned long long)field->last, (unsigned long long)bytes);
    else
      continue;
    all = false;
  }
  return all;
}

static LLVMValueRef make_layout_value(struct cn_ctx *ctx, const struct cn_layout_sizes *sizes,
                                      const value_vector *offsets, size_t base_refs, uint32_t flags)
{
  CN_CHECK(base_refs <= offsets->count && sizes->elem_offset <= sizes->base_size);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx->llvm), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef fields[FIELD_COUNT] = {
      [FIELD_MAGIC] = LLVMConstInt(i32, CAIRN_ABI_LAYOUT_MAGIC, false),
      [FIELD_BASE_REFS] = LLVMConstInt(i32, base_refs, false),
      [FIELD_BASE_SIZE] = LLVMConstInt(i64, sizes->base_size, false),
      [FIELD_ELEM_SIZE] = LLVMConstInt(i64, sizes->elem_size, false),
      [FIELD_ELEM_OFFSET] = LLVMConstInt(i32, sizes->elem_offset, false),
      [FIELD_FLAGS] = LLVMConstInt(i32, flags, false),
      [FIELD_ELEM_REFS] = LLVMConstInt(i32, offsets->count - base_refs, false),
      [FIELD_NAMES] = LLVMConstInt(i32, 0, false),
      [FIELD_OFFSETS] = LLVMConstArray2(i32, offsets->at, offsets->count),
  };

  return LLVMConstStructInContext(ctx->llvm, fields, FIELD_COUNT, false);
}

/* ---- the table ---- */

/* The constant `value` of a layout with another distance to the layout's names. */
static LLVMValueRef with_names_distance(struct cn_ctx *ctx, LLVMValueRef value, LLVMValueRef distance)
{
  LLVMValueRef fields[FIELD_COUNT];

  for (unsigned i = 0; i < FIELD_COUNT; i++)
    fields[i] = i == FIELD_NAMES ? distance : LLVMGetAggregateElement(value, i);
  return LLVMConstStructInContext(ctx->llvm, fields, FIELD_COUNT, false);
}

static LLVMValueRef distance_constant(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);

  return LLVMConstTrunc(LLVMConstSub(LLVMConstPtrToInt(to, i64), LLVMConstPtrToInt(from, i64)), i32);
}

/* The global with a layout's names, or null. */
static LLVMValueRef names_global_of(LLVMValueRef layout)
{
  static const LLVMOpcode path[] = {LLVMTrunc, LLVMSub, LLVMPtrToInt};
  LLVMValueRef value = LLVMGetAggregateElement(LLVMGetInitializer(layout), FIELD_NAMES);

  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    if (!LLVMIsAConstantExpr(value) || LLVMGetConstOpcode(value) != path[i])
      return NULL;
    value = LLVMGetOperand(value, 0);
  }
  return LLVMIsAGlobalVariable(value) && LLVMGetInitializer(value) ? value : NULL;
}

/* The key of a layout, which LLVM makes unique as a constant. Types with different names have different keys, even if
 * their layouts are equal. `shared` is the name of a shared layout, or null. */
static LLVMValueRef key_of_layout(struct cn_ctx *ctx, LLVMValueRef shape, LLVMValueRef names, LLVMValueRef shared)
{
  LLVMValueRef all[] = {shape, names, shared};

  return names ? LLVMConstStructInContext(ctx->llvm, all, shared ? 3 : 2, false) : shape;
}

static void map_if_absent(struct cn_ptrmap *map, LLVMValueRef constant, LLVMValueRef global)
{
  bool added;
  uint64_t *at = cn_ptrmap_add(map, constant, &added);

  if (added)
    *at = (uintptr_t)global;
}

static LLVMValueRef find_mapped_global(const struct cn_ptrmap *map, LLVMValueRef constant)
{
  const uint64_t *at = cn_ptrmap_find(map, constant);

  return at ? (LLVMValueRef)(uintptr_t)*at : NULL;
}

static void add_layout_to_table(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef shape,
                                LLVMValueRef names, LLVMValueRef shared, LLVMValueRef layout)
{
  map_if_absent(&table->by_value, key_of_layout(ctx, shape, names, shared), layout);
  if (!shared)
    map_if_absent(&table->by_shape, shape, layout);
  table->count++;
}

void cn_layouts_table_build(struct cn_ctx *ctx, struct cn_layout_table *table)
{
  LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), 0, false);

  *table = (struct cn_layout_table){0};
  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_layouts_is_layout_constant(g) && !cn_shared_layouts_entry_of(g)) {
      LLVMValueRef names = names_global_of(g), string = names ? LLVMGetInitializer(names) : NULL;
      if (names)
        map_if_absent(&table->names, string, names);
      add_layout_to_table(ctx, table, with_names_distance(ctx, LLVMGetInitializer(g), zero), string, NULL, g);
    }
}

void cn_layouts_table_free(struct cn_layout_table *table)
{
  cn_ptrmap_free(&table->by_value);
  cn_ptrmap_free(&table->by_shape);
  cn_ptrmap_free(&table->names);
  cn_ptrmap_free(&table->shared);
}

static LLVMValueRef find_layout(struct cn_ctx *ctx, const struct cn_layout_table *table, LLVMValueRef shape,
                                LLVMValueRef names, LLVMValueRef shared)
{
  return names ? find_mapped_global(&table->by_value, key_of_layout(ctx, shape, names, shared))
               : find_mapped_global(&table->by_shape, shape);
}

/* The layout with the given shape and names. If `names` is null, any layout with that shape is returned. */
static LLVMValueRef find_or_add_layout(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef shape,
                                       LLVMValueRef names, LLVMValueRef shared)
{
  CN_CHECK(LLVMIsAConstantStruct(shape));
  LLVMValueRef layout = find_layout(ctx, table, shape, names, shared), named = names;

  if (layout)
    return layout;
  char *name = cn_format(CN_LAYOUT_PREFIX "%zu", table->count);
  layout = LLVMAddGlobal(ctx->module, LLVMTypeOf(shape), name);
  free(name);
  if (names && !(named = find_mapped_global(&table->names, names))) {
    named = cn_layout_names_add_global(ctx, names);
    map_if_absent(&table->names, names, named);
  }
  LLVMSetInitializer(layout, named ? with_names_distance(ctx, shape, distance_constant(ctx, layout, named)) : shape);
  LLVMSetGlobalConstant(layout, true);
  LLVMSetLinkage(layout, LLVMPrivateLinkage);
  LLVMSetSection(layout, CN_LAYOUT_SECTION);
  LLVMSetAlignment(layout, 8);
  CN_ASSERT(cn_layouts_is_layout_constant(layout) && names_global_of(layout) == named);
  add_layout_to_table(ctx, table, shape, names, shared, layout);
  return layout;
}

static bool has_field_names(LLVMValueRef names)
{
  size_t length;
  const char *text = LLVMGetAsString(names, &length);

  return memchr(text, '\n', length) != NULL;
}

/* True if the layouts are one for the runtime: names of fields count if both layouts have them. */
static bool is_same_shared_layout(struct cn_ctx *ctx, LLVMValueRef layout, LLVMValueRef shape, LLVMValueRef names)
{
  LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), 0, false);
  LLVMValueRef own = LLVMGetInitializer(names_global_of(layout));

  return with_names_distance(ctx, LLVMGetInitializer(layout), zero) == shape &&
         (own == names || !has_field_names(own) || !has_field_names(names));
}

/* The layout of a shared type, with its entry. Null after an error: the module states two layouts of one name. */
static LLVMValueRef find_or_add_shared_layout(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef shape,
                                              const struct cn_type_metadata *said, enum cn_layout_form form,
                                              LLVMValueRef at)
{
  char *name = cn_shared_layouts_format_name(said->shared, form);
  LLVMValueRef shared = cn_layout_names_make_constant(ctx, name);
  LLVMValueRef names = cn_layout_names_make_constant(ctx, said->names);
  LLVMValueRef layout = find_mapped_global(&table->shared, shared);

  if (!layout) {
    layout = find_or_add_layout(ctx, table, shape, names, shared);
    map_if_absent(&table->shared, shared, layout);
    cn_shared_layouts_add_entry(ctx, name, said->module, layout);
  } else if (!is_same_shared_layout(ctx, layout, shape, names)) {
    cn_error(ctx, at, "shared-layout",
             "the module states two different layouts of the name \"%s\"; the size of an object, its references and "
             "the metadata of its type must be the same everywhere",
             name);
    layout = NULL;
  }
  free(name);
  return layout;
}

static LLVMValueRef find_or_add_stated_layout(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef shape,
                                              const struct cn_type_metadata *said, enum cn_layout_form form,
                                              LLVMValueRef at)
{
  if (said && said->shared)
    return find_or_add_shared_layout(ctx, table, shape, said, form, at);
  return find_or_add_layout(ctx, table, shape, said ? cn_layout_names_make_constant(ctx, said->names) : NULL, NULL);
}

/* ---- from a type ---- */

LLVMValueRef cn_layouts_find_or_make(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMTypeRef type,
                                     enum cn_layout_form form, uint64_t size, const struct cn_type_metadata *said,
                                     LLVMValueRef at)
{
  struct cn_layout_sizes sizes = {0};
  value_vector offsets = {0};
  LLVMValueRef layout = NULL;
  LLVMTypeRef flexible = form == CN_LAYOUT_FORM_FLEXIBLE ? cn_layouts_flexible_member(type) : NULL;

  if (form == CN_LAYOUT_FORM_FLEXIBLE && !flexible) {
    cn_error(ctx, at, "flex-layout",
             "the type of a flexible object must be a struct that ends in a flexible array "
             "member; use cairn_new or cairn_new_array");
    return NULL;
  }
  if (cn_types_has_misaligned_ref(ctx, form == CN_LAYOUT_FORM_ARRAY ? LLVMArrayType2(type, 2) : type)) {
    cn_error(ctx, at, "misaligned-reference",
             "a packed struct puts a reference at an address that is not a multiple of 8; do not pack structs that "
             "hold references");
    return NULL;
  }
  LLVMTypeRef element = flexible ? LLVMGetElementType(flexible) : type;
  bool ok = form == CN_LAYOUT_FORM_ARRAY || append_reference_offsets(ctx, type, 0, &offsets);
  size_t base_refs = offsets.count;
  if (form == CN_LAYOUT_FORM_OBJECT)
    sizes.base_size = size;
  else
    sizes.elem_size = LLVMABISizeOfType(ctx->layout, element);
  if (flexible) {
    sizes.base_size = LLVMABISizeOfType(ctx->layout, type);
    sizes.elem_offset = LLVMOffsetOfElement(ctx->layout, type, LLVMCountStructElementTypes(type) - 1);
  }
  if (form != CN_LAYOUT_FORM_OBJECT)
    ok = ok && sizes.elem_offset <= UINT32_MAX && append_reference_offsets(ctx, element, 0, &offsets);
  /* An empty element gets one byte, because an element size of 0 marks single objects. */
  if (form != CN_LAYOUT_FORM_OBJECT && sizes.elem_size == 0)
    sizes.elem_size = 1;
  uint32_t flags = offsets.count ? 0 : CAIRN_ABI_LAYOUT_NO_REFERENCES;
  if (said)
    flags |= said->flags | (said->weak.count ? CAIRN_ABI_LAYOUT_WEAK_FIELDS : 0);
  if (ok && (flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0 && said->weak.count == 0)
    cn_error(ctx, at, "type-metadata", "%.*s is an ephemeron, and has no weak field", (int)strcspn(said->names, "\n"),
             said->names);
  else if (ok && said && !mark_weak_offsets(ctx, said, &sizes, &offsets, base_refs))
    cn_error(ctx, at, "type-metadata", "a weak field of %.*s has no reference", (int)strcspn(said->names, "\n"),
             said->names);
  else if (ok && check_stated_fields(ctx, type, said, &sizes, &offsets, base_refs, at))
    layout = find_or_add_stated_layout(ctx, table, make_layout_value(ctx, &sizes, &offsets, base_refs, flags), said,
                                       form, at);
  else if (!ok)
    cn_error(ctx, at, "layout-too-large",
             "a type with more than %d references in its fixed part, or one beyond its first 4 GiB, "
             "cannot be described",
             MAX_REFERENCE_OFFSETS);
  cn_free(&offsets);
  return layout;
}

bool cn_layouts_is_layout_constant(LLVMValueRef value)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(value);
  const char *section = global ? LLVMGetSection(global) : NULL;

  return section && strcmp(section, CN_LAYOUT_SECTION) == 0 && LLVMGetInitializer(global);
}

void cn_layouts_read_sizes(LLVMValueRef layout, struct cn_layout_sizes *out)
{
  CN_CHECK(cn_layouts_is_layout_constant(layout));
  LLVMValueRef value = LLVMGetInitializer(layout);

  out->base_size = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(value, FIELD_BASE_SIZE));
  out->elem_size = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(value, FIELD_ELEM_SIZE));
  out->elem_offset = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(value, FIELD_ELEM_OFFSET));
  uint64_t flags = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(value, FIELD_FLAGS));
  out->refs = (flags & CAIRN_ABI_LAYOUT_NO_REFERENCES) == 0;
  out->finalisable = (flags & CAIRN_ABI_LAYOUT_FINALISABLE) != 0;
}

const struct cn_allocator *cn_layouts_called_allocator(LLVMValueRef instruction)
{
  size_t length;

  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return NULL;
  LLVMValueRef callee = cn_direct_callee(instruction);
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  for (unsigned i = 0; i < CN_ALLOCATOR_COUNT; i++) {
    size_t own = strlen(cn_layouts_allocators[i].name);
    if (strncmp(name, cn_layouts_allocators[i].name, own) == 0 &&
        (name[own] == 0 || strcmp(name + own, CN_ALLOC_ASKED) == 0))
      return &cn_layouts_allocators[i];
  }
  return NULL;
}

unsigned cn_layouts_object_alignment(struct cn_ctx *ctx, LLVMValueRef global)
{
  unsigned given = LLVMGetAlignment(global);

  return given && given <= CAIRN_ABI_OBJECT_ALIGN ? given
                                                  : LLVMABIAlignmentOfType(ctx->layout, LLVMGlobalGetValueType(global));
}
