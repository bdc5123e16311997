/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares modules that are loaded without a linker. Such modules share only the front end's names, while each has
 * separate thunks and a separate image. The loader or its user registers the image, in place of a constructor. Cairn's
 * symbols become internal, the sections of roots are joined, bodies that a loader may drop get local names, and managed
 * functions get unwind tables. Needs: the finished module. Provides: cairn_compile_in_memory() and
 * cn_compile_expose_images(). Breaks: the lists of constructors and llvm.used.
 */
#include "compile/in_memory.h"

#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/codegen/codegen.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

static bool is_cairn_symbol(LLVMValueRef value)
{
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);

  return length > 6 && strncmp(name, "cairn.", 6) == 0;
}

/* True for the name of a managed function's body, by which other modules call it. */
static bool is_managed_body(LLVMValueRef value)
{
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);

  return strncmp(name, CN_CODE_PREFIX, sizeof CN_CODE_PREFIX - 1) == 0;
}

static void hide_symbol(LLVMValueRef value)
{
  CN_CHECK(is_cairn_symbol(value));
  LLVMSetVisibility(value, LLVMDefaultVisibility);
  LLVMSetLinkage(value, LLVMInternalLinkage);
}

static void hide_cairn_symbols(LLVMModuleRef module)
{
  CN_EACH_FUNCTION(f, module)
    if (is_cairn_symbol(f) && !LLVMIsDeclaration(f)) {
      LLVMSetComdat(f, NULL);
      hide_symbol(f);
    }
  CN_EACH_GLOBAL(g, module)
    if (is_cairn_symbol(g) && !LLVMIsDeclaration(g)) {
      LLVMSetComdat(g, NULL);
      hide_symbol(g);
    }
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
    if (is_cairn_symbol(a) && !is_managed_body(a))
      hide_symbol(a);
}

static bool is_cairn_structor(LLVMValueRef entry)
{
  size_t length;

  return LLVMIsAConstantStruct(entry) &&
         (is_cairn_symbol(LLVMGetOperand(entry, 1)) ||
          strcmp(LLVMGetValueName2(LLVMGetOperand(entry, 1), &length), CN_STATIC_RUNTIME) == 0);
}

/* Delete the functions that register the images for a linker: the loader or its user registers them. */
static void delete_structors(LLVMModuleRef module)
{
  static const char prefix[] = "cairn.image";
  CN_VECTOR(LLVMValueRef) unused = {0};
  size_t length;

  CN_EACH_FUNCTION(f, module)
    if (strncmp(LLVMGetValueName2(f, &length), prefix, sizeof prefix - 1) == 0 && !LLVMGetFirstUse(f))
      cn_push(&unused, f);
  for (size_t i = 0; i < unused.count; i++)
    LLVMDeleteFunction(unused.at[i]);
  cn_free(&unused);
}

static bool is_root_record(LLVMValueRef value)
{
  const char *section = LLVMIsAGlobalVariable(value) ? LLVMGetSection(value) : NULL;

  return section && strcmp(section, CN_ROOT_SECTION) == 0;
}

static bool matches_every_element(LLVMValueRef value)
{
  return value != NULL;
}

/* Move the list llvm.used to llvm.compiler.used. A loader in memory keeps all globals and needs no llvm.used, which
 * would even cause errors. LLVM gives each listed global a separate section, and a target machine that compiles several
 * modules may confuse a later global at the same address with a listed global. */
static void move_used_to_compiler_used(struct cn_ctx *ctx)
{
  LLVMValueRef list = LLVMGetNamedGlobal(ctx->module, "llvm.used");
  LLVMValueRef array = list ? LLVMGetInitializer(list) : NULL;
  CN_VECTOR(LLVMValueRef) used = {0};

  for (unsigned i = 0; array && i < LLVMGetArrayLength2(LLVMTypeOf(array)); i++)
    cn_push(&used, LLVMGetAggregateElement(array, i));
  cn_emit_remove_from_list(ctx, "llvm.used", matches_every_element);
  cn_emit_append_to_list(ctx, "llvm.compiler.used", LLVMPointerTypeInContext(ctx->llvm, 0), used.at, used.count);
  cn_free(&used);
}

/* Join the sections of roots. For a linker, roots are in many sections of one name, so that each root is kept or
 * dropped with its global. In memory a name has one section. */
static void join_root_sections(struct cn_ctx *ctx)
{
  unsigned associated = LLVMGetMDKindIDInContext(ctx->llvm, "associated", 10);
  CN_VECTOR(LLVMValueRef) roots = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (is_root_record(g)) {
      LLVMGlobalEraseMetadata(g, associated);
      cn_push(&roots, g);
    }
  cn_emit_remove_from_list(ctx, "llvm.used", is_root_record);
  cn_emit_remove_from_list(ctx, "llvm.compiler.used", is_root_record);
  move_used_to_compiler_used(ctx);
  cn_emit_append_to_list(ctx, "llvm.compiler.used", LLVMPointerTypeInContext(ctx->llvm, 0), roots.at, roots.count);
  cn_free(&roots);
}

static bool is_image_global(LLVMValueRef global)
{
  static const char suffix[] = CN_IMAGE_SUFFIX;
  size_t length, tail = sizeof suffix - 1;
  const char *name = LLVMGetValueName2(global, &length);

  return strncmp(name, CN_IMAGE, sizeof CN_IMAGE - 1) == 0 && length > tail &&
         strcmp(name + length - tail, suffix) == 0;
}

/* Add void `name`(void), which calls `callee` for each image; the module has one image per kind of flags. */
static void add_image_caller(LLVMModuleRef module, const char *name, const char *callee)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), none = LLVMVoidTypeInContext(context);
  LLVMTypeRef type = LLVMFunctionType(none, &pointer, 1, false);
  LLVMValueRef target = LLVMGetNamedFunction(module, callee);
  LLVMValueRef f = LLVMAddFunction(module, name, LLVMFunctionType(none, NULL, 0, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

  if (!target)
    target = LLVMAddFunction(module, callee, type);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
  CN_EACH_GLOBAL(g, module)
    if (is_image_global(g))
      LLVMBuildCall2(builder, type, target, &g, 1, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

/* ---- functions that the loader keeps one copy of ---- */

static bool is_droppable_function(LLVMValueRef function)
{
  LLVMLinkage linkage = LLVMGetLinkage(function);

  return !LLVMIsDeclaration(function) && LLVMGetGC(function) &&
         (linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage || linkage == LLVMLinkOnceAnyLinkage ||
          linkage == LLVMLinkOnceODRLinkage);
}

/* `value` with each `from` in aggregates replaced by `to`. */
static LLVMValueRef replace_in_constant(LLVMValueRef value, LLVMValueRef from, LLVMValueRef to)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  bool is_struct = LLVMIsAConstantStruct(value) != NULL;

  if (value == from || (!is_struct && !LLVMIsAConstantArray(value)))
    return value == from ? to : value;
  CN_VECTOR(LLVMValueRef) parts = {0};
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    cn_push(&parts, replace_in_constant(LLVMGetOperand(value, (unsigned)i), from, to));
  unsigned count = (unsigned)parts.count;
  LLVMValueRef result = !is_struct                ? LLVMConstArray2(LLVMGetElementType(type), parts.at, count)
                        : LLVMGetStructName(type) ? LLVMConstNamedStruct(type, parts.at, count)
                                                  : LLVMConstStructInContext(LLVMGetTypeContext(type), parts.at, count,
                                                                             LLVMIsPackedStruct(type));
  cn_free(&parts);
  return result;
}

/* Make instructions and globals use the copy that the loader keeps. Parts of the body, such as its prefix and Cairn's
 * names for it, still refer to the body. */
static void redirect_users_to_kept_copy(LLVMModuleRef module, LLVMValueRef body, LLVMValueRef kept)
{
  CN_VECTOR(LLVMValueRef) users = {0};

  for (LLVMUseRef u = LLVMGetFirstUse(body); u; u = LLVMGetNextUse(u))
    if (LLVMIsAInstruction(LLVMGetUser(u)))
      cn_push(&users, LLVMGetUser(u));
  for (size_t i = 0; i < users.count; i++)
    for (int k = 0; k < LLVMGetNumOperands(users.at[i]); k++)
      if (LLVMGetOperand(users.at[i], (unsigned)k) == body)
        LLVMSetOperand(users.at[i], (unsigned)k, kept);
  CN_EACH_GLOBAL(g, module)
    if (!is_cairn_symbol(g) && LLVMGetInitializer(g))
      LLVMSetInitializer(g, replace_in_constant(LLVMGetInitializer(g), body, kept));
  cn_free(&users);
}

/* Rename the body in the relocations of its code, which are in the module's assembly (thunk.c). */
static void rename_body_in_relocations(LLVMModuleRef module, const char *old, const char *new)
{
  size_t length;
  const char *text = LLVMGetModuleInlineAsm(module, &length);
  char *was = cn_format(".reloc \"%s\"+", old), *is = cn_format(".reloc \"%s\"+", new);
  char *all = cn_strdup("");

  for (const char *next; (next = strstr(text, was)); text = next + strlen(was)) {
    char *longer = cn_format("%s%.*s%s", all, (int)(next - text), text, is);
    free(all);
    all = longer;
  }
  char *result = cn_format("%s%s", all, text);
  LLVMSetModuleInlineAsm2(module, result, strlen(result));
  free(result);
  free(all);
  free(is);
  free(was);
}

/* Give the body a local name and make its old name an alias. A loader of IR drops the second definition of a name and
 * leaves the body undefined, but the maps and relocations of the body need a definition. */
static void alias_body_under_own_name(LLVMModuleRef module, LLVMValueRef body)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(body, &length));
  char *own = cn_format(CN_COPY_PREFIX "%s", name);

  LLVMSetValueName2(body, own, strlen(own));
  LLVMValueRef kept = LLVMAddAlias2(module, LLVMGlobalGetValueType(body), 0, body, name);
  LLVMSetLinkage(kept, LLVMGetLinkage(body));
  LLVMSetVisibility(kept, LLVMGetVisibility(body));
  LLVMSetComdat(body, NULL);
  hide_symbol(body);
  redirect_users_to_kept_copy(module, body, kept);
  rename_body_in_relocations(module, name, own);
  free(own);
  free(name);
}

static void alias_droppable_bodies(LLVMModuleRef module)
{
  CN_EACH_FUNCTION(f, module)
    if (is_droppable_function(f))
      alias_body_under_own_name(module, f);
}

/* Everything but the registration of the images. */
static void prepare_for_loader(LLVMModuleRef module)
{
  struct cn_ctx ctx = {.module = module, .llvm = LLVMGetModuleContext(module)};

  cn_emit_remove_from_list(&ctx, "llvm.global_ctors", is_cairn_structor);
  cn_emit_remove_from_list(&ctx, "llvm.global_dtors", is_cairn_structor);
  delete_structors(module);
  join_root_sections(&ctx);
  hide_cairn_symbols(module);
  alias_droppable_bodies(module);
  cn_codegen_describe_frames(module);
}

enum cairn_status cairn_compile_in_memory(LLVMModuleRef module, const char *enter, const char *leave)
{
  if (strcmp(enter, leave) == 0 || LLVMGetNamedFunction(module, enter) || LLVMGetNamedFunction(module, leave) ||
      LLVMGetNamedGlobal(module, enter) || LLVMGetNamedGlobal(module, leave))
    return CAIRN_E_TAKEN;
  prepare_for_loader(module);
  CN_CHECK(!LLVMGetNamedFunction(module, enter) && !LLVMGetNamedFunction(module, leave));
  add_image_caller(module, enter, "cairn_image_register");
  add_image_caller(module, leave, "cairn_image_unregister");
  return CAIRN_OK;
}

void cn_compile_expose_images(LLVMModuleRef module, const char *prefix)
{
  CN_VECTOR(LLVMValueRef) images = {0};

  prepare_for_loader(module);
  CN_EACH_GLOBAL(g, module)
    if (is_image_global(g))
      cn_push(&images, g);
  for (size_t i = 0; i < images.count; i++) {
    char *name = cn_format("%s%zu", prefix, i);
    CN_CHECK(!LLVMGetNamedGlobal(module, name));
    LLVMSetValueName2(images.at[i], name, strlen(name));
    LLVMSetLinkage(images.at[i], LLVMExternalLinkage);
    free(name);
  }
  cn_free(&images);
}
