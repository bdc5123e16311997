/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared layouts: layouts that several modules name, of which the program has one (docs/frontends.md, "Shared
 * layouts").
 *
 * A layout static that other modules may see, by its linkage, names a shared layout. The static's LLVM value type
 * states the layout. cn_shared_layouts_mark_statics() turns the static, or the declaration, into an internal static
 * with the metadata CN_SHARED_METADATA. So other passes treat it as the module's own type, and the linker never chooses
 * between different statics. A declaration of an opaque type states only the name.
 *
 * Pass `layouts` makes a layout constant and a struct cairn_shared_layout, the entry. Compiled code takes the address
 * of the layout from the entry, which the runtime fills in when it registers the image; sizes are those of the
 * constant, because the runtime refuses an image whose layout differs from the program's. Until pass `globals`, the
 * first field of the entry's initialiser is the layout constant. Needs: nothing. Provides: the functions of
 * layout_constants.h, diagnostic shared-layout. Breaks: nothing.
 */
#include "compile/allocation/layout_constants.h"

#include <string.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/allocation/object_queries.h"
#include "compile/allocation/type_metadata.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

/* ---- statics ---- */

static bool is_local(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool is_layout_operand(LLVMValueRef global)
{
  CN_EACH_USE(use, global) {
    LLVMValueRef user = LLVMGetUser(use);
    bool array;
    if (!LLVMIsAInstruction(user))
      continue;
    if ((cn_layouts_called_allocator(user) && LLVMGetOperand(user, 0) == global) ||
        cn_object_query_layout(user, &array) == global)
      return true;
  }
  return false;
}

/* True if the global names a shared layout. A definition without allocations names one if it states its type. */
static bool names_shared_layout(struct cn_ctx *ctx, LLVMValueRef global)
{
  if (is_local(global) || !LLVMIsGlobalConstant(global) || cn_layouts_is_layout_constant(global) ||
      cn_is_ref(LLVMTypeOf(global)))
    return false;
  if (!LLVMIsDeclaration(global) && !LLVMIsNull(LLVMGetInitializer(global)))
    return false;
  return is_layout_operand(global) || (!LLVMIsDeclaration(global) && cn_type_metadata_exists(ctx, global));
}

static bool has_shareable_linkage(LLVMValueRef global)
{
  switch (LLVMGetLinkage(global)) {
  case LLVMExternalLinkage:
  case LLVMAvailableExternallyLinkage:
  case LLVMLinkOnceAnyLinkage:
  case LLVMLinkOnceODRLinkage:
  case LLVMWeakAnyLinkage:
  case LLVMWeakODRLinkage:
    return !LLVMIsThreadLocal(global);
  default:
    return false;
  }
}

/* True if the module must keep the definition for other modules. */
static bool is_exported(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return !LLVMIsDeclaration(global) &&
         (linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage);
}

static LLVMMetadataRef string_metadata(struct cn_ctx *ctx, const char *text, size_t length)
{
  return LLVMMDStringInContext2(ctx->llvm, text, length);
}

static void set_shared_metadata(struct cn_ctx *ctx, LLVMValueRef fresh, const char *name, bool exported)
{
  size_t length;
  const char *module = LLVMGetSourceFileName(ctx->module, &length);
  LLVMMetadataRef operands[] = {
      string_metadata(ctx, name, strlen(name)),
      length ? string_metadata(ctx, module, length) : string_metadata(ctx, "?", 1),
      string_metadata(ctx, CN_SHARED_EXPORTED, sizeof CN_SHARED_EXPORTED - 1),
  };

  LLVMGlobalSetMetadata(fresh, LLVMGetMDKindIDInContext(ctx->llvm, CN_SHARED_METADATA, sizeof CN_SHARED_METADATA - 1),
                        LLVMMDNodeInContext2(ctx->llvm, operands, exported ? 3 : 2));
}

/* Replace the static or declaration by an internal static. */
static void internalise_static(struct cn_ctx *ctx, LLVMValueRef global)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  bool exported = is_exported(global);
  char *name = cn_strdup(LLVMGetValueName2(global, &(size_t){0}));
  LLVMValueRef fresh = LLVMAddGlobal(ctx->module, type, "");

  LLVMSetInitializer(fresh, LLVMConstNull(type));
  LLVMSetGlobalConstant(fresh, true);
  LLVMSetLinkage(fresh, LLVMInternalLinkage);
  LLVMSetAlignment(fresh, LLVMGetAlignment(global));
  cn_emit_copy_global_metadata(global, fresh);
  set_shared_metadata(ctx, fresh, name, exported);
  LLVMReplaceAllUsesWith(global, fresh);
  LLVMDeleteGlobal(global);
  LLVMSetValueName2(fresh, name, strlen(name));
  free(name);
  if (exported)
    cn_emit_append_to_list(ctx, "llvm.compiler.used", LLVMPointerTypeInContext(ctx->llvm, 0), &fresh, 1);
}

void cn_shared_layouts_mark_statics(struct cn_ctx *ctx)
{
  CN_VECTOR(LLVMValueRef) found = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (names_shared_layout(ctx, g))
      cn_push(&found, g);
  for (size_t i = 0; i < found.count; i++)
    if (!has_shareable_linkage(found.at[i]))
      cn_error(ctx, found.at[i], "shared-layout",
               "the layout static '%s' is thread-local, or has a linkage that names nothing in other modules; use "
               "external, linkonce_odr, or internal for a layout of this module",
               LLVMGetValueName2(found.at[i], &(size_t){0}));
    else if (LLVMTypeIsSized(LLVMGlobalGetValueType(found.at[i])))
      internalise_static(ctx, found.at[i]);
  cn_free(&found);
}

/* ---- entries ---- */

char *cn_shared_layouts_format_name(const char *name, enum cn_layout_form form)
{
  return cn_format("%s%s", name, form == CN_LAYOUT_FORM_ARRAY ? "[]" : "");
}

LLVMValueRef cn_shared_layouts_add_entry(struct cn_ctx *ctx, const char *name, const char *module, LLVMValueRef layout)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMValueRef fields[] = {
      layout ? layout : LLVMConstNull(pointer),
      cn_layout_names_add_global(ctx, cn_layout_names_make_constant(ctx, name)),
      cn_layout_names_add_global(ctx, cn_layout_names_make_constant(ctx, module)),
  };
  LLVMValueRef value = LLVMConstStructInContext(ctx->llvm, fields, 3, false);
  char *symbol = cn_format(CN_SHARED_PREFIX "%s", name);
  LLVMValueRef entry = LLVMAddGlobal(ctx->module, LLVMTypeOf(value), symbol);

  free(symbol);
  LLVMSetInitializer(entry, value);
  LLVMSetExternallyInitialized(entry, true);
  LLVMSetLinkage(entry, LLVMInternalLinkage);
  LLVMSetAlignment(entry, 8);
  if (ctx->options->safepoints == CAIRN_SAFEPOINTS_EARLY) /* the optimiser would split the entry into its fields */
    cn_emit_append_to_list(ctx, "llvm.compiler.used", pointer, &entry, 1);
  CN_ASSERT(cn_shared_layouts_is_entry(entry) && cn_shared_layouts_constant_of(entry) == layout);
  return entry;
}

LLVMValueRef cn_shared_layouts_find_or_add_name(struct cn_ctx *ctx, const char *name, enum cn_layout_form form)
{
  size_t length;
  const char *module = LLVMGetSourceFileName(ctx->module, &length);
  char *full = cn_shared_layouts_format_name(name, form), *symbol = cn_format(CN_SHARED_PREFIX "%s", full);
  LLVMValueRef entry = LLVMGetNamedGlobal(ctx->module, symbol);

  if (!entry || !cn_shared_layouts_is_entry(entry))
    entry = cn_shared_layouts_add_entry(ctx, full, length ? module : "?", NULL);
  free(full);
  free(symbol);
  return entry;
}

bool cn_shared_layouts_is_entry(LLVMValueRef value)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(value);
  size_t length;

  return global && LLVMIsExternallyInitialized(global) && !LLVMIsDeclaration(global) &&
         strncmp(LLVMGetValueName2(global, &length), CN_SHARED_PREFIX, sizeof CN_SHARED_PREFIX - 1) == 0;
}

LLVMValueRef cn_shared_layouts_constant_of(LLVMValueRef entry)
{
  LLVMValueRef layout = LLVMGetAggregateElement(LLVMGetInitializer(entry), 0);

  return LLVMIsAGlobalVariable(layout) ? layout : NULL;
}

LLVMValueRef cn_shared_layouts_entry_of(LLVMValueRef layout)
{
  CN_EACH_USE(use, layout) {
    LLVMValueRef value = LLVMGetUser(use);
    if (!LLVMIsAConstantStruct(value))
      continue;
    CN_EACH_USE(outer, value) {
      LLVMValueRef entry = LLVMGetUser(outer);
      if (cn_shared_layouts_is_entry(entry) && cn_shared_layouts_constant_of(entry) == layout)
        return entry;
    }
  }
  return NULL;
}

/* ---- operands ---- */

bool cn_layouts_is_run_time_operand(LLVMValueRef operand)
{
  CN_VECTOR(LLVMValueRef) work = {0};
  struct cn_ptrmap seen = {0};
  bool is_run_time = true, fresh;

  if (cn_shared_layouts_is_entry(operand))
    return true;
  cn_push(&work, operand);
  while (is_run_time && work.count > 0) {
    LLVMValueRef value = work.at[--work.count];
    cn_ptrmap_add(&seen, value, &fresh);
    is_run_time = !LLVMIsAConstant(value);
    if (!fresh || (!LLVMIsAPHINode(value) && !LLVMIsASelectInst(value)))
      continue;
    for (int i = LLVMIsASelectInst(value) ? 1 : 0; i < LLVMGetNumOperands(value); i++)
      cn_push(&work, LLVMGetOperand(value, (unsigned)i));
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return is_run_time;
}

LLVMValueRef cn_layouts_emit_address(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef operand)
{
  bool is_known = cn_layouts_is_layout_constant(operand);
  LLVMValueRef entry = is_known ? cn_shared_layouts_entry_of(operand) : operand;

  if (!entry || !cn_shared_layouts_is_entry(entry))
    return operand;
  LLVMValueRef address = LLVMBuildLoad2(builder, LLVMPointerTypeInContext(ctx->llvm, 0), entry, "layout");
  LLVMSetAlignment(address, 8);
  if (is_known) /* the entry is filled in before the module's code runs */
    LLVMSetMetadata(address, cn_metadata_kind(ctx, "invariant.load"),
                    LLVMMetadataAsValue(ctx->llvm, LLVMMDNodeInContext2(ctx->llvm, NULL, 0)));
  return address;
}
