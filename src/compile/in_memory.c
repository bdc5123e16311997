/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that are loaded without a linker. Between such modules nothing is shared by name but what
 * the front end named: each has its own thunks, and an image of its own, which is registered by a
 * function that the loader's user calls, and not by a constructor.
 */
#include <cairn/compile.h>

#include <string.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/names.h"

static bool is_ours(LLVMValueRef value)
{
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);

  return length > 6 && strncmp(name, "cairn.", 6) == 0;
}

static void hide(LLVMValueRef value)
{
  LLVMSetVisibility(value, LLVMDefaultVisibility);
  LLVMSetLinkage(value, LLVMInternalLinkage);
}

static void hide_all(LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_ours(f) && !LLVMIsDeclaration(f)) {
      LLVMSetComdat(f, NULL);
      hide(f);
    }
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (is_ours(g) && !LLVMIsDeclaration(g)) {
      LLVMSetComdat(g, NULL);
      hide(g);
    }
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
    if (is_ours(a))
      hide(a);
}

/* Take Cairn's own entries off a list of constructors or destructors. */
static void drop_structors(LLVMModuleRef module, const char *name)
{
  LLVMValueRef list = LLVMGetNamedGlobal(module, name);
  LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
  CN_VECTOR(LLVMValueRef) kept = {0};

  if (!entries)
    return;
  for (int i = 0; LLVMIsAConstantArray(entries) && i < LLVMGetNumOperands(entries); i++) {
    LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
    if (!LLVMIsAConstantStruct(entry) || !is_ours(LLVMGetOperand(entry, 1)))
      cn_push(&kept, entry);
  }
  if (kept.count) {
    LLVMTypeRef type = LLVMTypeOf(kept.at[0]);
    LLVMValueRef fresh = LLVMAddGlobal(module, LLVMArrayType2(type, kept.count), "");
    LLVMSetInitializer(fresh, LLVMConstArray2(type, kept.at, kept.count));
    LLVMSetLinkage(fresh, LLVMAppendingLinkage);
    LLVMDeleteGlobal(list);
    LLVMSetValueName2(fresh, name, strlen(name));
  } else {
    LLVMDeleteGlobal(list);
  }
  cn_free(&kept);
}

/* void `name`(void): `callee` of each image, of which there is one for each kind of flags. */
static void add_function(LLVMModuleRef module, const char *name, const char *callee)
{
  static const char *const images[] = {"cairn.image.data", "cairn.image.unsafe.data",
                                       "cairn.image.stack.data"};
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), none = LLVMVoidTypeInContext(context);
  LLVMTypeRef type = LLVMFunctionType(none, &pointer, 1, false);
  LLVMValueRef target = LLVMGetNamedFunction(module, callee);
  LLVMValueRef f = LLVMAddFunction(module, name, LLVMFunctionType(none, NULL, 0, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

  if (!target)
    target = LLVMAddFunction(module, callee, type);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    LLVMValueRef image = LLVMGetNamedGlobal(module, images[i]);
    if (image)
      LLVMBuildCall2(builder, type, target, &image, 1, "");
  }
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

static void want_unwind_tables(LLVMModuleRef module)
{
  enum { ASYNCHRONOUS = 2 };
  unsigned kind = LLVMGetEnumAttributeKindForName("uwtable", 7);
  LLVMAttributeRef attribute =
      LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, ASYNCHRONOUS);

  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && LLVMGetGC(f))
      LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

bool cairn_compile_in_memory(LLVMModuleRef module, const char *enter, const char *leave)
{
  if (strcmp(enter, leave) == 0 || LLVMGetNamedFunction(module, enter) ||
      LLVMGetNamedFunction(module, leave) || LLVMGetNamedGlobal(module, enter) ||
      LLVMGetNamedGlobal(module, leave))
    return false;
  drop_structors(module, "llvm.global_ctors");
  drop_structors(module, "llvm.global_dtors");
  hide_all(module);
  add_function(module, enter, "cairn_image_register");
  add_function(module, leave, "cairn_image_unregister");
  want_unwind_tables(module);
  return true;
}
