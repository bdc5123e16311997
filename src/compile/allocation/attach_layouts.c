/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `layouts`: turns the layout statics of allocation calls and of queries of objects into layout constants, and
 * managed variables into static objects (static_objects.c).
 *
 * Needs: locals promoted, so that each call names its static directly. Provides: each call of cairn_alloc and its like
 * has a constant struct cairn_layout as its first operand, or a layout that is known at run time only
 * (shared_layouts.c), or an error (also for other uses of these functions). Breaks: nothing. Unused statics are
 * deleted.
 */
#include "compile/allocation/object_queries.h"

#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/allocation/static_objects.h"
#include "compile/allocation/type_metadata.h"

static bool has_allocator_type(LLVMValueRef call, const struct cn_allocator *allocator)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  unsigned last = allocator->resizes ? 2 : 1;

  return LLVMGetNumArgOperands(call) == last + 1 && cn_is_ref(LLVMTypeOf(call)) &&
         LLVMTypeOf(LLVMGetOperand(call, last)) == i64 &&
         (!allocator->resizes || cn_is_ref(LLVMTypeOf(LLVMGetOperand(call, 1)))) &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 0))) == LLVMPointerTypeKind;
}

/* The size of an object in bytes, which the call gives; zero after an error. An object takes at least a word. */
static uint64_t object_size_of_call(struct cn_ctx *ctx, LLVMValueRef call, LLVMTypeRef type)
{
  LLVMValueRef bytes = LLVMIsAConstantInt(LLVMGetOperand(call, 1));
  uint64_t least = LLVMABISizeOfType(ctx->layout, type);

  if (!bytes) {
    cn_error(ctx, call, "alloc-size",
             "the size given to " CN_ALLOC " must be a constant; use " CN_ALLOC_ARRAY " for objects that are sized "
             "at run time");
    return 0;
  }
  uint64_t size = LLVMConstIntGetZExtValue(bytes);
  if (size < least || size > (UINT64_C(1) << 47)) {
    cn_error(ctx, call, "alloc-size", "the size given to " CN_ALLOC ", %llu bytes, does not fit its type of %llu bytes",
             (unsigned long long)size, (unsigned long long)least);
    return 0;
  }
  return size < CAIRN_ABI_OBJECT_ALIGN ? CAIRN_ABI_OBJECT_ALIGN : size;
}

static void delete_unused_static(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  if (!LLVMGetFirstUse(global) && (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage))
    LLVMDeleteGlobal(global);
}

static void delete_unused_declaration(LLVMValueRef global)
{
  if (!LLVMGetFirstUse(global))
    LLVMDeleteGlobal(global);
}

/* True if `global`, which may be null, is a layout static. */
static bool is_layout_static(LLVMValueRef global)
{
  return global && !LLVMIsDeclaration(global) && LLVMIsNull(LLVMGetInitializer(global)) &&
         LLVMTypeIsSized(LLVMGlobalGetValueType(global));
}

static void report_unknown_layout(struct cn_ctx *ctx, LLVMValueRef call, const char *what)
{
  cn_error(ctx, call, "unknown-layout",
           "the layout given to %s must be a zero-initialised static of the object's type, or an address that is "
           "computed from no static; use the macros of cairn/cairn.h",
           what);
}

/* An object takes at least a word, so that a reference to an empty object points into the object's own block. */
static uint64_t whole_object_size(struct cn_ctx *ctx, LLVMTypeRef type)
{
  uint64_t size = LLVMABISizeOfType(ctx->layout, type);

  return size < CAIRN_ABI_OBJECT_ALIGN ? CAIRN_ABI_OBJECT_ALIGN : size;
}

/* True if the global declares only the name of a shared layout. */
static bool is_name_alone(LLVMValueRef global)
{
  return LLVMIsDeclaration(global) && LLVMIsGlobalConstant(global) && LLVMGetLinkage(global) == LLVMExternalLinkage &&
         !LLVMTypeIsSized(LLVMGlobalGetValueType(global));
}

/* The layout itself has the size of an object, so the call states 0. */
static void set_run_time_layout(struct cn_ctx *ctx, LLVMValueRef call, enum cn_layout_form form)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(LLVMGetOperand(call, 0));

  if (form == CN_LAYOUT_FORM_OBJECT && !LLVMIsNull(LLVMGetOperand(call, 1))) {
    cn_error(ctx, call, "alloc-size",
             "the size given to " CN_ALLOC
             " must be 0, because the layout is known at run time only, and has the size");
    return;
  }
  if (!global)
    return;
  LLVMValueRef entry = cn_shared_layouts_find_or_add_name(ctx, LLVMGetValueName2(global, &(size_t){0}), form);
  LLVMSetOperand(call, 0, entry);
  delete_unused_declaration(global);
}

static void set_layout_of_call(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef call,
                               const struct cn_allocator *allocator)
{
  enum cn_layout_form form = allocator->form;

  if (!has_allocator_type(call, allocator)) {
    cn_error(ctx, call, "reserved-name", "@%s takes (ptr, %si64) and returns ptr addrspace(1)", allocator->name,
             allocator->resizes ? "ptr addrspace(1), " : "");
    return;
  }
  LLVMValueRef operand = LLVMGetOperand(call, 0);
  LLVMValueRef global = LLVMIsAGlobalVariable(operand);
  if (global && (cn_layouts_is_layout_constant(global) || cn_shared_layouts_is_entry(global)))
    return;
  if ((global && is_name_alone(global)) || cn_layouts_is_run_time_operand(operand)) {
    set_run_time_layout(ctx, call, form);
    return;
  }
  if (!is_layout_static(global)) {
    report_unknown_layout(ctx, call, "an allocation function");
    return;
  }
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  if (cn_layouts_object_alignment(ctx, global) > CAIRN_ABI_OBJECT_ALIGN) {
    cn_error(ctx, call, "over-aligned",
             "objects are aligned to %d bytes, but the type of this one asks for %u: an access "
             "would fault; make it a packed struct, and give accesses the alignment that they have",
             CAIRN_ABI_OBJECT_ALIGN, cn_layouts_object_alignment(ctx, global));
    return;
  }
  uint64_t size = form == CN_LAYOUT_FORM_OBJECT ? object_size_of_call(ctx, call, type) : 1;
  struct cn_type_metadata said = {0};
  bool ok = size && cn_type_metadata_read(ctx, global, call, &said);
  LLVMValueRef layout = ok ? cn_layouts_find_or_make(ctx, table, type, form, size, &said, call) : NULL;
  cn_type_metadata_free(&said);
  if (layout) {
    LLVMSetOperand(call, 0, layout);
    delete_unused_static(global);
  }
}

/* The layout of a query has the form of arrays, or of single objects of the type, which may be flexible. */
static void set_layout_of_query(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef call, bool array)
{
  LLVMValueRef operand = LLVMGetOperand(call, 1), global = LLVMIsAGlobalVariable(operand);
  enum cn_layout_form form = array ? CN_LAYOUT_FORM_ARRAY : CN_LAYOUT_FORM_OBJECT;

  if (global && (cn_layouts_is_layout_constant(global) || cn_shared_layouts_is_entry(global)))
    return;
  if (global && is_name_alone(global)) {
    LLVMSetOperand(call, 1, cn_shared_layouts_find_or_add_name(ctx, LLVMGetValueName2(global, &(size_t){0}), form));
    delete_unused_declaration(global);
    return;
  }
  if (cn_layouts_is_run_time_operand(operand))
    return;
  if (!is_layout_static(global)) {
    report_unknown_layout(ctx, call, "a query");
    return;
  }
  struct cn_type_metadata said = {0};
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  if (!array && cn_layouts_flexible_member(type))
    form = CN_LAYOUT_FORM_FLEXIBLE;
  bool ok = cn_type_metadata_read(ctx, global, call, &said);
  if (ok && !said.shared && cn_type_metadata_is_of_c(global)) {
    cn_error(ctx, call, "private-layout",
             "other files have their own layouts of %.*s, so the answer would depend on the file; declare the struct "
             "cairn_shared",
             (int)strcspn(said.names, "\n"), said.names);
    ok = false;
  }
  LLVMValueRef layout =
      ok ? cn_layouts_find_or_make(ctx, table, type, form, whole_object_size(ctx, type), &said, call) : NULL;
  cn_type_metadata_free(&said);
  if (layout) {
    LLVMSetOperand(call, 1, layout);
    delete_unused_static(global);
  }
}

/* Report uses of an allocation function other than direct calls: the runtime lacks the function, and only direct calls
 * can be expanded. */
static void report_other_uses(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);
  LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL;

  for (; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && !(cn_is_call(user) && LLVMGetCalledValue(user) == function))
      cn_error(ctx, user, "allocation-call",
               "@%s can only be called by its name: neither by address nor in a statepoint of the "
               "program's own",
               name);
  }
}

static bool is_exported_static(LLVMValueRef value)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(value);
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(value));

  if (!global || LLVMGetLinkage(global) != LLVMInternalLinkage)
    return false;
  size_t count;
  unsigned kind = LLVMGetMDKindIDInContext(llvm, CN_SHARED_METADATA, sizeof CN_SHARED_METADATA - 1);
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
  bool found = false;
  for (unsigned i = 0; i < count; i++)
    found |= LLVMValueMetadataEntriesGetKind(entries, i) == kind;
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

static void export_layout(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMValueRef global,
                          enum cn_layout_form form, const struct cn_type_metadata *said)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  LLVMValueRef layout = cn_layouts_find_or_make(ctx, table, type, form, whole_object_size(ctx, type), said, global);
  LLVMValueRef entry = layout ? cn_shared_layouts_entry_of(layout) : NULL;

  if (entry)
    cn_emit_append_to_list(ctx, "llvm.used", LLVMPointerTypeInContext(ctx->llvm, 0), &entry, 1);
}

/* Make the layouts of the types that the module defines for other modules: objects and arrays, or flexible objects. */
static void export_layouts(struct cn_ctx *ctx, struct cn_layout_table *table)
{
  CN_VECTOR(LLVMValueRef) exported = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (is_exported_static(g))
      cn_push(&exported, g);
  cn_emit_remove_from_list(ctx, "llvm.compiler.used", is_exported_static);
  for (size_t i = 0; i < exported.count; i++) {
    LLVMValueRef global = exported.at[i];
    struct cn_type_metadata said = {0};
    bool ok = cn_type_metadata_read(ctx, global, global, &said);
    if (ok && said.exported && cn_layouts_flexible_member(LLVMGlobalGetValueType(global))) {
      export_layout(ctx, table, global, CN_LAYOUT_FORM_FLEXIBLE, &said);
    } else if (ok && said.exported) {
      export_layout(ctx, table, global, CN_LAYOUT_FORM_OBJECT, &said);
      export_layout(ctx, table, global, CN_LAYOUT_FORM_ARRAY, &said);
    }
    cn_type_metadata_free(&said);
    delete_unused_static(global);
  }
  cn_free(&exported);
}

bool cn_attach_layouts(struct cn_ctx *ctx)
{
  struct cn_layout_table table;
  const struct cn_allocator *allocator;
  bool array;

  cn_shared_layouts_mark_statics(ctx);
  cn_layouts_table_build(ctx, &table);
  cn_static_objects_make(ctx, &table);
  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if ((allocator = cn_layouts_called_allocator(i)) != NULL)
          set_layout_of_call(ctx, &table, i, allocator);
        else if (cn_object_query_layout(i, &array) != NULL)
          set_layout_of_query(ctx, &table, i, array);
  export_layouts(ctx, &table);
  cn_layouts_table_free(&table);
  for (size_t i = 0; i < CN_ALLOCATOR_COUNT; i++)
    report_other_uses(ctx, cn_layouts_allocators[i].name);
  return ctx->errors == 0;
}
