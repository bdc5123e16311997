/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles functions at their first call. At first a function is a stub, in IR: it asks for the function's compilation,
 * as a native call with an anchor, and then calls the function's entry with its arguments. The compiled function
 * replaces the stub (replace.c). Stubs, variables and native functions are one module, and each function is another.
 * The state of a function is under the lazy module's lock; no other lock is taken within.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"
#include "compile/core/pass.h"
#include "jit/ir/ir.h"
#include "jit/session.h"

#define FIRST_CALL "cairn.jit.first_call"

enum state { IS_NEW, IS_COMPILING, IS_COMPILED };

struct lazy_function {
  char *name; /* in the IR */
  enum state state;
  void *entry;
};

/* A module that was added lazily. Its memory goes with that of its last part: a stub that runs keeps its part. */
struct cn_jit_lazy {
  struct cairn_jit *session;
  uint64_t number;
  LLVMMemoryBufferRef bitcode;
  pthread_mutex_t lock;
  pthread_cond_t compiled;
  CN_VECTOR(struct lazy_function) functions;
  struct cn_jit_lazy *next; /* of the session */
  size_t parts;             /* modules; under the session's lock */
};

/* ---- parts of IR ---- */

static bool is_local(LLVMValueRef global)
{
  return LLVMGetLinkage(global) == LLVMInternalLinkage || LLVMGetLinkage(global) == LLVMPrivateLinkage ||
         (LLVMGetVisibility(global) == LLVMHiddenVisibility && !LLVMIsDeclaration(global));
}

/* Constants without an identity, and layouts, are in each part. */
static bool is_shared_constant(LLVMValueRef variable)
{
  const char *suffix = strrchr(cn_jit_name_of(variable), '.');

  return LLVMIsGlobalConstant(variable) && is_local(variable) &&
         (LLVMGetUnnamedAddress(variable) != LLVMNoUnnamedAddr || (suffix && strcmp(suffix, ".layout") == 0));
}

static bool is_compilers(LLVMValueRef variable)
{
  return strncmp(cn_jit_name_of(variable), "llvm.", 5) == 0;
}

/* Addresses of blocks are those of one definition, which tables in variables may hold. */
static bool has_block_addresses(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); use; use = LLVMGetNextUse(use))
      if (LLVMIsABlockAddress(LLVMGetUser(use)))
        return true;
  return false;
}

/* Calls of leaves are no safepoints, so a stub cannot stand for a leaf. */
static bool is_lazy_function(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && cn_is_managed(function) && !has_block_addresses(function) &&
         !cn_string_attribute(function, CN_ATTR_LEAF) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage &&
         !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
}

/* Give local functions and variables names of the session, so that other parts find them. */
static void export_local(LLVMValueRef global, uint64_t number)
{
  char *name = cn_format("%s.part.%llu", cn_jit_name_of(global), (unsigned long long)number);

  LLVMSetLinkage(global, LLVMExternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
  LLVMSetValueName2(global, name, strlen(name));
  free(name);
}

/* The definition stays, although its own part may lack uses. */
static void keep_unused(LLVMValueRef global)
{
  if (LLVMGetLinkage(global) == LLVMLinkOnceAnyLinkage)
    LLVMSetLinkage(global, LLVMWeakAnyLinkage);
  if (LLVMGetLinkage(global) == LLVMLinkOnceODRLinkage)
    LLVMSetLinkage(global, LLVMWeakODRLinkage);
}

static void export_locals(LLVMModuleRef ir, uint64_t number)
{
  for (LLVMValueRef g = LLVMGetFirstGlobal(ir); g; g = LLVMGetNextGlobal(g)) {
    keep_unused(g);
    if (is_local(g) && !is_shared_constant(g) && !is_compilers(g))
      export_local(g, number);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(ir); f; f = LLVMGetNextFunction(f)) {
    keep_unused(f);
    if (is_local(f))
      export_local(f, number);
  }
}

static void copy_attributes_at(LLVMAttributeIndex index, LLVMValueRef from, LLVMValueRef to, LLVMValueRef call)
{
  unsigned count = LLVMGetAttributeCountAtIndex(from, index);
  LLVMAttributeRef *attributes = cn_alloc((count + 1) * sizeof *attributes);

  LLVMGetAttributesAtIndex(from, index, attributes);
  for (unsigned k = 0; k < count; k++) {
    LLVMAddAttributeAtIndex(to, index, attributes[k]);
    if (call)
      LLVMAddCallSiteAttribute(call, index, attributes[k]);
  }
  free(attributes);
}

/* Copy the attributes of the result and the parameters, also to a call unless it is null. */
static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMValueRef call)
{
  for (unsigned i = 0; i <= LLVMCountParams(from); i++)
    copy_attributes_at(i, from, to, call);
}

/* A declaration without a name, and without the attributes of the function itself. */
static LLVMValueRef make_declaration(LLVMModuleRef ir, LLVMValueRef function)
{
  LLVMValueRef declaration = LLVMAddFunction(ir, "", LLVMGlobalGetValueType(function));

  LLVMSetFunctionCallConv(declaration, LLVMGetFunctionCallConv(function));
  LLVMSetVisibility(declaration, LLVMGetVisibility(function));
  if (LLVMGetGC(function))
    LLVMSetGC(declaration, LLVMGetGC(function));
  copy_attributes(function, declaration, NULL);
  return declaration;
}

/* Replace a function or a variable by a declaration, which gets the name. */
static void give_place(LLVMValueRef definition, LLVMValueRef declaration)
{
  char *name = cn_strdup(cn_jit_name_of(definition));

  LLVMReplaceAllUsesWith(definition, declaration);
  if (LLVMIsAFunction(definition))
    LLVMDeleteFunction(definition);
  else
    LLVMDeleteGlobal(definition);
  LLVMSetValueName2(declaration, name, strlen(name));
  free(name);
}

/* Callers see all attributes, such as that of a leaf. */
static void declare_function(LLVMModuleRef ir, LLVMValueRef function)
{
  LLVMValueRef declaration = make_declaration(ir, function);

  copy_attributes_at(CN_FUNCTION_INDEX, function, declaration, NULL);
  give_place(function, declaration);
}

static void declare_variable(LLVMModuleRef ir, LLVMValueRef variable)
{
  LLVMValueRef declaration = LLVMAddGlobal(ir, LLVMGlobalGetValueType(variable), "");

  LLVMSetGlobalConstant(declaration, LLVMIsGlobalConstant(variable));
  give_place(variable, declaration);
}

/* Reduce the module to one function. */
static void keep_function(LLVMModuleRef ir, const char *kept)
{
  for (LLVMValueRef g = LLVMGetFirstGlobal(ir), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (is_compilers(g))
      LLVMDeleteGlobal(g);
    else if (!LLVMIsDeclaration(g) && !is_shared_constant(g))
      declare_variable(ir, g);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(ir), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (!LLVMIsDeclaration(f) && strcmp(cn_jit_name_of(f), kept) != 0)
      declare_function(ir, f);
  }
}

/* ---- stubs ---- */

/* T f(arguments) { return ((T (*)(parameters))first_call(lazy, index))(arguments); } */
static void make_stub(LLVMModuleRef ir, LLVMValueRef function, const struct cn_jit_lazy *lazy, size_t index)
{
  LLVMContextRef context = LLVMGetModuleContext(ir);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMGlobalGetValueType(function), ask = LLVMFunctionType(pointer, (LLVMTypeRef[]){i64, i64}, 2, 0);
  LLVMValueRef first_call = LLVMGetNamedFunction(ir, FIRST_CALL);
  LLVMLinkage linkage = LLVMGetLinkage(function);
  LLVMValueRef stub = make_declaration(ir, function);
  unsigned count = LLVMCountParams(stub);
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

  give_place(function, stub);
  first_call = first_call ? first_call : LLVMAddFunction(ir, FIRST_CALL, ask);
  LLVMSetLinkage(stub, linkage);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, stub, ""));
  LLVMValueRef asked[] = {LLVMConstInt(i64, (uintptr_t)lazy, false), LLVMConstInt(i64, index, false)};
  LLVMValueRef entry = LLVMBuildCall2(builder, ask, first_call, asked, 2, "");
  LLVMGetParams(stub, arguments);
  LLVMValueRef call = LLVMBuildCall2(builder, type, entry, arguments, count, "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(stub));
  copy_attributes(stub, stub, call);
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, call);
  LLVMDisposeBuilder(builder);
  free(arguments);
}

static void make_stubs(struct cn_jit_lazy *lazy, LLVMModuleRef ir)
{
  CN_VECTOR(LLVMValueRef) functions = {0};

  for (LLVMValueRef f = LLVMGetFirstFunction(ir); f; f = LLVMGetNextFunction(f))
    if (is_lazy_function(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++) {
    cn_push(&lazy->functions, (struct lazy_function){.name = cn_strdup(cn_jit_name_of(functions.at[i]))});
    make_stub(ir, functions.at[i], lazy, i);
  }
  cn_free(&functions);
}

/* ---- the first call ---- */

static void end_program(const struct lazy_function *function, const char *error)
{
  cairn_fatal("the JIT function '%s' cannot be compiled at its first call: %s", cn_jit_symbol_of(function->name),
              error);
}

static void *compile_function(struct cn_jit_lazy *lazy, const struct lazy_function *function)
{
  char *error = NULL;
  const char *symbol = cn_jit_symbol_of(function->name);
  void *entry = NULL;
  uint64_t module;
  LLVMModuleRef ir = cn_jit_parse(LLVMGetBufferStart(lazy->bitcode), LLVMGetBufferSize(lazy->bitcode), &error);

  if (!ir)
    end_program(function, error);
  keep_function(ir, function->name);
  if (cn_jit_replace_stub(lazy->session, symbol, ir, lazy, &module, &error) ||
      cairn_jit_look_up(lazy->session, symbol, &entry, &error))
    end_program(function, error);
  cn_jit_dispose_parsed(ir);
  return entry;
}

/* Called by stubs. The first thread compiles, others wait. */
static void *answer_first_call(struct cn_jit_lazy *lazy, uint64_t index)
{
  struct lazy_function *function = &lazy->functions.at[index];

  pthread_mutex_lock(&lazy->lock);
  while (function->state == IS_COMPILING)
    pthread_cond_wait(&lazy->compiled, &lazy->lock);
  if (function->state == IS_NEW) {
    function->state = IS_COMPILING;
    pthread_mutex_unlock(&lazy->lock);
    void *entry = compile_function(lazy, function);
    pthread_mutex_lock(&lazy->lock);
    function->entry = entry;
    function->state = IS_COMPILED;
    pthread_cond_broadcast(&lazy->compiled);
  }
  void *entry = function->entry;
  pthread_mutex_unlock(&lazy->lock);
  return entry;
}

/* ---- lazy modules ---- */

static struct cn_jit_lazy *make_lazy(struct cairn_jit *session, LLVMModuleRef ir)
{
  struct cn_jit_lazy *lazy = cn_alloc(sizeof *lazy);

  lazy->session = session;
  lazy->number = atomic_fetch_add(&session->numbers, 1) + 1;
  pthread_mutex_init(&lazy->lock, NULL);
  pthread_cond_init(&lazy->compiled, NULL);
  export_locals(ir, lazy->number);
  lazy->bitcode = LLVMWriteBitcodeToMemoryBuffer(ir);
  struct cn_reference_spaces before = cn_reference_spaces_enter(&session->compile);
  make_stubs(lazy, ir);
  cn_reference_spaces_leave(before);
  return lazy;
}

static void free_lazy(struct cn_jit_lazy *lazy)
{
  for (size_t i = 0; i < lazy->functions.count; i++)
    free(lazy->functions.at[i].name);
  cn_free(&lazy->functions);
  LLVMDisposeMemoryBuffer(lazy->bitcode);
  pthread_cond_destroy(&lazy->compiled);
  pthread_mutex_destroy(&lazy->lock);
  free(lazy);
}

void cn_jit_lazy_add_part(struct cairn_jit *session, struct cn_jit_lazy *lazy)
{
  if (lazy->parts++)
    return;
  lazy->next = session->lazy;
  session->lazy = lazy;
}

void cn_jit_lazy_remove_part(struct cairn_jit *session, struct cn_jit_lazy *lazy)
{
  struct cn_jit_lazy **at = &session->lazy;

  if (--lazy->parts)
    return;
  while (*at != lazy)
    at = &(*at)->next;
  *at = lazy->next;
  free_lazy(lazy);
}

struct cn_jit_lazy *cn_jit_lazy_find(const struct cairn_jit *session, uint64_t number)
{
  struct cn_jit_lazy *lazy = session->lazy;

  while (lazy && lazy->number != number)
    lazy = lazy->next;
  return lazy;
}

static void define_first_call(struct cairn_jit *session)
{
  pthread_mutex_lock(&session->lock);
  if (!cn_jit_names_find(&session->names, FIRST_CALL))
    cn_jit_names_add(&session->names, FIRST_CALL)->address = (uintptr_t)answer_first_call;
  pthread_mutex_unlock(&session->lock);
}

enum cairn_status cairn_jit_add_lazy_ir(struct cairn_jit *session, const void *bytes, size_t size, uint64_t *module,
                                        char **error)
{
  LLVMModuleRef ir = cn_jit_parse(bytes, size, error);
  enum cairn_status status = CAIRN_E_REFUSED;

  *module = 0;
  if (!ir)
    return status;
  if (LLVMGetFirstGlobalAlias(ir)) {
    *error = cn_format("'%s' is an alias, which keeps its module from lazy compilation",
                       cn_jit_name_of(LLVMGetFirstGlobalAlias(ir)));
  } else {
    define_first_call(session);
    struct cn_jit_lazy *lazy = make_lazy(session, ir);
    uint64_t number = lazy->number;
    status = cn_jit_add_lazy(session, ir, lazy, error);
    *module = status ? 0 : number;
    if (status)
      free_lazy(lazy);
  }
  cn_jit_dispose_parsed(ir);
  return status;
}
