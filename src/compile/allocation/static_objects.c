/* SPDX-License-Identifier: Apache-2.0
 *
 * Static objects: gives variables of C in the managed address space the form of objects.
 *
 *   static struct node managed nil = {.left = &nil, .right = &nil};
 *
 * clang makes a global in the managed address space, whose address is a reference. The optimiser works on this global.
 * Then the global @nil becomes the internal global @cairn.static.nil, an object outside of the heap:
 *
 *   padding for alignments above 16 | count | header (HEADER_STATIC) | payload
 *
 * and the uses of @nil become the address of the payload. An external variable is a hidden alias of that address. All
 * static objects have a count, so that cairn_length() of an array reads one. A static object never moves: the collector
 * skips references that lead outside of the heap. The references in the payload are roots like the references in any
 * other global (lower/globals.c), so stores into the object need no barrier.
 *
 * The header of a shared layout names the layout that the runtime chose for the program, so a constructor writes it
 * (shared_layouts.c). Such an object is in writable memory.
 *
 * Part of pass `layouts`. Needs: the table of the module's layouts. Provides: the functions of static_objects.h.
 * Breaks: pointers to the replaced globals.
 */
#include "compile/allocation/static_objects.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/allocation/type_metadata.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

enum {
  DW_OP_PLUS_UCONST = 0x23,
  DEBUG_EXPRESSION_OPERAND = 1,
  /* The constructor runs after the registration of the image (lower/globals.c), and before those of the program. */
  CONSTRUCTOR_PRIORITY = 101
};

typedef CN_VECTOR(LLVMValueRef) value_vector;

/* A static object whose header the constructor writes. */
struct shared_object {
  LLVMValueRef object, entry;
  uint64_t prefix;
};

struct static_objects {
  struct cn_ctx *ctx;
  struct cn_layout_table *table;
  CN_VECTOR(struct shared_object) shared;
};

static unsigned mark_kind(LLVMContextRef llvm)
{
  return LLVMGetMDKindIDInContext(llvm, CN_STATIC_METADATA, sizeof CN_STATIC_METADATA - 1);
}

static bool is_marked(LLVMValueRef global)
{
  unsigned kind = mark_kind(LLVMGetTypeContext(LLVMTypeOf(global)));
  bool found = false;
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);

  for (unsigned i = 0; i < count; i++)
    found |= LLVMValueMetadataEntriesGetKind(entries, i) == kind;
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

const char *cn_static_objects_flaw(LLVMValueRef global)
{
  if (LLVMIsThreadLocal(global))
    return "thread-local, so its object would end with the thread";
  switch (LLVMGetLinkage(global)) {
  case LLVMExternalLinkage:
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
    return NULL;
  case LLVMCommonLinkage:
    return "a common symbol (-fcommon), whose memory comes from the linker";
  default:
    return "weak, so the linker may choose another definition, or none";
  }
}

void cn_static_objects_mark(struct cn_ctx *ctx, LLVMValueRef global)
{
  CN_ASSERT(cn_is_ref(LLVMTypeOf(global)));
  if (LLVMIsDeclaration(global))
    LLVMSetVisibility(global, LLVMHiddenVisibility);
  else
    LLVMGlobalSetMetadata(global, mark_kind(ctx->llvm), LLVMMDNodeInContext2(ctx->llvm, NULL, 0));
}

/* ---- llvm.used ---- */

static LLVMValueRef listed_variable(LLVMValueRef element)
{
  while (LLVMIsAConstantExpr(element))
    element = LLVMGetOperand(element, 0);
  return LLVMIsAGlobalVariable(element);
}

static bool is_marked_element(LLVMValueRef element)
{
  LLVMValueRef global = listed_variable(element);

  return global && is_marked(global);
}

/* Append the marked variables of a list to *out, and remove them from the list. */
static void take_listed_variables(struct cn_ctx *ctx, const char *list, value_vector *out)
{
  LLVMValueRef all = LLVMGetNamedGlobal(ctx->module, list), array = all ? LLVMGetInitializer(all) : NULL;
  size_t before = out->count;

  for (unsigned i = 0; array && i < LLVMGetArrayLength2(LLVMTypeOf(array)); i++)
    if (is_marked_element(LLVMGetAggregateElement(array, i)))
      cn_push(out, listed_variable(LLVMGetAggregateElement(array, i)));
  if (out->count > before)
    cn_emit_remove_from_list(ctx, list, is_marked_element);
}

/* ---- one object ---- */

static LLVMValueRef find_or_make_layout(struct static_objects *o, LLVMValueRef global, uint64_t *count)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  bool array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
  enum cn_layout_form form = array                              ? CN_LAYOUT_FORM_ARRAY
                             : cn_layouts_flexible_member(type) ? CN_LAYOUT_FORM_FLEXIBLE
                                                                : CN_LAYOUT_FORM_OBJECT;
  uint64_t size = LLVMABISizeOfType(o->ctx->layout, type);
  struct cn_type_metadata said = {0};
  bool ok = cn_type_metadata_read(o->ctx, global, global, &said);

  *count = array ? LLVMGetArrayLength2(type) : 0;
  LLVMValueRef layout =
      ok ? cn_layouts_find_or_make(o->ctx, o->table, array ? LLVMGetElementType(type) : type, form,
                                   size < CAIRN_ABI_OBJECT_ALIGN ? CAIRN_ABI_OBJECT_ALIGN : size, &said, global)
         : NULL;
  cn_type_metadata_free(&said);
  return layout;
}

/* Let debuggers find the variable after the prefix. A variable that the optimiser took apart loses its debug
 * information. */
static void shift_debug_location(struct cn_ctx *ctx, LLVMValueRef object, uint64_t prefix)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, "dbg", 3);
  uint64_t operations[] = {DW_OP_PLUS_UCONST, prefix};
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(ctx->module);
  LLVMMetadataRef none = LLVMDIBuilderCreateExpression(builder, NULL, 0),
                  shifted = LLVMDIBuilderCreateExpression(builder, operations, 2);
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(object, &count);

  for (unsigned i = 0; i < count; i++) {
    LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
    if (LLVMValueMetadataEntriesGetKind(entries, i) != kind)
      continue;
    if (cn_debug_operand(ctx, node, DEBUG_EXPRESSION_OPERAND) == none)
      LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(ctx->llvm, node), DEBUG_EXPRESSION_OPERAND, shifted);
    else
      LLVMGlobalEraseMetadata(object, kind);
  }
  LLVMDisposeValueMetadataEntries(entries);
  LLVMDisposeDIBuilder(builder);
}

static void copy_properties(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef object, uint64_t prefix)
{
  static const char *const of_variable[] = {CN_TYPE_METADATA, CN_SHARED_METADATA, CN_STATIC_METADATA};

  LLVMSetLinkage(object, LLVMInternalLinkage);
  if (LLVMGetSection(global) && *LLVMGetSection(global))
    LLVMSetSection(object, LLVMGetSection(global));
  cn_emit_copy_global_metadata(global, object);
  for (size_t i = 0; i < sizeof of_variable / sizeof *of_variable; i++)
    LLVMGlobalEraseMetadata(object,
                            LLVMGetMDKindIDInContext(ctx->llvm, of_variable[i], (unsigned)strlen(of_variable[i])));
  shift_debug_location(ctx, object, prefix);
}

/* Add the global of the object. `*prefix` becomes the distance of the payload. */
static LLVMValueRef add_object(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef layout, uint64_t count,
                               uint64_t *prefix)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global), i64 = LLVMInt64TypeInContext(ctx->llvm);
  uint64_t own = LLVMGetAlignment(global), natural = LLVMABIAlignmentOfType(ctx->layout, type),
           align = own > natural ? own : natural;

  align = align > CAIRN_ABI_OBJECT_ALIGN ? align : CAIRN_ABI_OBJECT_ALIGN;
  *prefix = align > CAIRN_ABI_INDEXED_HEADER_SIZE ? align : CAIRN_ABI_INDEXED_HEADER_SIZE;
  uint64_t padding = *prefix - CAIRN_ABI_INDEXED_HEADER_SIZE;
  LLVMValueRef header = LLVMConstAdd(LLVMConstPtrToInt(layout, i64), LLVMConstInt(i64, CAIRN_ABI_HEADER_STATIC, false));
  LLVMValueRef fields[] = {LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(ctx->llvm), padding)),
                           LLVMConstInt(i64, count << 1 | 1, false), header, LLVMGetInitializer(global)};
  LLVMValueRef value = LLVMConstStructInContext(ctx->llvm, fields, 4, true);
  char *name = cn_format(CN_STATIC_PREFIX "%s", LLVMGetValueName2(global, &(size_t){0}));
  LLVMValueRef object =
      LLVMAddGlobalInAddressSpace(ctx->module, LLVMTypeOf(value), name, LLVMGetPointerAddressSpace(LLVMTypeOf(global)));

  free(name);
  LLVMSetInitializer(object, value);
  LLVMSetAlignment(object, (unsigned)align);
  LLVMSetGlobalConstant(object, LLVMIsGlobalConstant(global) && !cn_shared_layouts_entry_of(layout));
  copy_properties(ctx, global, object, *prefix);
  CN_ASSERT(!is_marked(object) && *prefix % align == 0);
  return object;
}

/* Replace the variable by the address of the payload. Units of the same image know an external variable by its name;
 * the name is hidden, because a copy relocation in another image would copy the payload without its header. */
static void replace_variable(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef object, uint64_t prefix)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  LLVMValueRef address = cn_constant_address_in_bounds(ctx, object, prefix);
  char *name =
      LLVMGetLinkage(global) == LLVMExternalLinkage ? cn_strdup(LLVMGetValueName2(global, &(size_t){0})) : NULL;

  LLVMReplaceAllUsesWith(global, address);
  LLVMDeleteGlobal(global);
  if (!name)
    return;
  LLVMSetVisibility(LLVMAddAlias2(ctx->module, type, LLVMGetPointerAddressSpace(LLVMTypeOf(address)), address, name),
                    LLVMHiddenVisibility);
  free(name);
}

static LLVMValueRef make_object(struct static_objects *o, LLVMValueRef global)
{
  uint64_t count, prefix;
  LLVMValueRef layout = find_or_make_layout(o, global, &count);
  LLVMValueRef entry = layout ? cn_shared_layouts_entry_of(layout) : NULL;

  if (!layout)
    return NULL;
  LLVMValueRef object = add_object(o->ctx, global, layout, count, &prefix);
  if (entry)
    cn_push(&o->shared, ((struct shared_object){object, entry, prefix}));
  replace_variable(o->ctx, global, object, prefix);
  return object;
}

/* ---- headers of shared layouts ---- */

/* Store the header of one object. */
static void build_header_store(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct shared_object *shared)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef object = LLVMConstAddrSpaceCast(shared->object, pointer);
  LLVMValueRef word = cn_constant_address_in_bounds(ctx, object, shared->prefix - CAIRN_ABI_HEADER_SIZE);
  LLVMValueRef layout = LLVMBuildLoad2(builder, i64, shared->entry, "layout");
  LLVMValueRef bit = LLVMConstInt(i64, CAIRN_ABI_HEADER_STATIC, false);

  LLVMSetAlignment(layout, 8);
  LLVMSetAlignment(LLVMBuildStore(builder, LLVMBuildOr(builder, layout, bit, "header"), word), 8);
}

static void add_header_constructor(struct static_objects *o)
{
  struct cn_ctx *ctx = o->ctx;
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef none = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);
  LLVMValueRef function = LLVMAddFunction(ctx->module, CN_STATIC_PREFIX "headers", none);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMTypeRef types[] = {i32, pointer, pointer};
  LLVMValueRef fields[] = {LLVMConstInt(i32, CONSTRUCTOR_PRIORITY, false), function, LLVMConstNull(pointer)};

  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  for (size_t i = 0; i < o->shared.count; i++)
    build_header_store(ctx, builder, &o->shared.at[i]);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  LLVMValueRef element = LLVMConstStructInContext(ctx->llvm, fields, 3, false);
  cn_emit_append_to_list(ctx, "llvm.global_ctors", LLVMStructTypeInContext(ctx->llvm, types, 3, false), &element, 1);
}

/* ---- the module ---- */

/* Make the object of `variable`, and let it take the variable's place in a list of used globals. */
static void make_listed_object(struct static_objects *o, LLVMValueRef variable, const char *list)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(o->ctx->llvm, 0);
  LLVMValueRef object = make_object(o, variable), element = object ? LLVMConstAddrSpaceCast(object, pointer) : NULL;

  if (object)
    cn_emit_append_to_list(o->ctx, list, pointer, &element, 1);
}

static void make_listed_objects(struct static_objects *o, const char *list)
{
  value_vector variables = {0};

  take_listed_variables(o->ctx, list, &variables);
  for (size_t i = 0; i < variables.count; i++)
    make_listed_object(o, variables.at[i], list);
  cn_free(&variables);
}

void cn_static_objects_make(struct cn_ctx *ctx, struct cn_layout_table *table)
{
  struct static_objects o = {.ctx = ctx, .table = table};
  value_vector variables = {0};

  make_listed_objects(&o, "llvm.used");
  make_listed_objects(&o, "llvm.compiler.used");
  CN_EACH_GLOBAL(g, ctx->module)
    if (is_marked(g) && !LLVMIsDeclaration(g))
      cn_push(&variables, g);
  for (size_t i = 0; i < variables.count; i++)
    make_object(&o, variables.at[i]);
  if (o.shared.count)
    add_header_constructor(&o);
  cn_free(&variables);
  cn_free(&o.shared);
}
