/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which functions will be managed, by gc strategy, by options->manage_all and by annotations of C. Finds the
 * functions and units of C that are free of references. With opaque pointers, IR shows references in the types of
 * values, locals, globals and address computations, and in attributes. Needs, breaks: nothing. Provides: the queries of
 * managed_functions.h.
 */
#include "compile/analysis/managed_functions.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

/* ---- annotations ---- */

/* The list llvm.global.annotations, or null. clang adds an entry { function, string, ... } for
 * annotate("cairn-unmanaged"). */
static LLVMValueRef annotations_of(LLVMModuleRef module)
{
  LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations");

  return list ? LLVMGetInitializer(list) : NULL;
}

/* The annotation string of an entry, or null. */
static const char *annotation_word_of(LLVMValueRef entry)
{
  size_t length;
  LLVMValueRef text = LLVMIsAGlobalVariable(LLVMGetOperand(entry, 1));
  LLVMValueRef string = text ? LLVMGetInitializer(text) : NULL;

  return string && LLVMIsConstantString(string) ? LLVMGetAsString(string, &length) : NULL;
}

bool cn_managed_is_annotated(LLVMModuleRef module, LLVMValueRef function, const char *word)
{
  LLVMValueRef entries = annotations_of(module);

  for (int i = 0; entries && i < LLVMGetNumOperands(entries); i++) {
    LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
    const char *said = LLVMGetOperand(entry, 0) == function ? annotation_word_of(entry) : NULL;
    if (said && strcmp(said, word) == 0)
      return true;
  }
  return false;
}

bool cn_managed_is_requested(LLVMModuleRef module, LLVMValueRef function)
{
  return cn_managed_is_annotated(module, function, CN_ATTR_MANAGED) ||
         cn_managed_is_annotated(module, function, CN_ATTR_MANAGED_CODE) ||
         cn_string_attribute(function, CN_ATTR_MANAGED_CODE);
}

/* True if the module has an annotation that only managed code can have. */
static bool has_managed_annotation(LLVMModuleRef module)
{
  LLVMValueRef entries = annotations_of(module);

  for (int i = 0; entries && i < LLVMGetNumOperands(entries); i++) {
    LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
    const char *word = annotation_word_of(entry);
    if (word && (strcmp(word, CN_ATTR_MANAGED) == 0 || strcmp(word, CN_ATTR_NOPOLL) == 0))
      return true;
    if (word && strcmp(word, CN_ATTR_MANAGED_CODE) == 0 && !LLVMIsDeclaration(LLVMGetOperand(entry, 0)))
      return true;
  }
  return false;
}

/* ---- functions ---- */

static bool names_type_with_refs(LLVMAttributeRef attribute)
{
  return attribute && cn_holds_ref(LLVMGetTypeAttributeValue(attribute));
}

static bool has_refs_in_signature(LLVMValueRef function)
{
  static const char *const by_address[] = {"byval", "byref", "sret"};
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParams(function);

  for (unsigned i = 0; i < count; i++) {
    if (cn_holds_ref(LLVMTypeOf(LLVMGetParam(function, i))))
      return true;
    for (size_t k = 0; k < sizeof by_address / sizeof *by_address; k++)
      if (names_type_with_refs(LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind(by_address[k]))))
        return true;
  }
  return cn_holds_ref(LLVMGetReturnType(type));
}

static bool operand_mentions_refs(LLVMValueRef operand)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(operand);

  if (cn_holds_ref(LLVMTypeOf(operand)) || (global && cn_holds_ref(LLVMGlobalGetValueType(global))))
    return true;
  for (int i = 0; LLVMIsAConstantExpr(operand) && i < LLVMGetNumOperands(operand); i++)
    if (operand_mentions_refs(LLVMGetOperand(operand, (unsigned)i)))
      return true;
  return LLVMIsAConstantExpr(operand) && LLVMGetConstOpcode(operand) == LLVMGetElementPtr &&
         cn_holds_ref(LLVMGetGEPSourceElementType(operand));
}

static bool instruction_mentions_refs(LLVMValueRef instruction)
{
  if (cn_holds_ref(LLVMTypeOf(instruction)) ||
      (LLVMIsAAllocaInst(instruction) && cn_holds_ref(LLVMGetAllocatedType(instruction))) ||
      (LLVMIsAGetElementPtrInst(instruction) && cn_holds_ref(LLVMGetGEPSourceElementType(instruction))))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (operand && operand_mentions_refs(operand))
      return true;
  }
  return false;
}

bool cn_managed_is_free_of_refs(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (has_refs_in_signature(function))
    return false;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (instruction_mentions_refs(i))
        return false;
  return true;
}

/* ---- units ---- */

/* True for the functions of Cairn's markers, whose calls mark code. */
static bool is_marker_function(LLVMValueRef function)
{
  size_t length;

  return strncmp(LLVMGetValueName2(function, &length), "cairn.", sizeof "cairn." - 1) == 0;
}

bool cn_managed_is_native_unit(LLVMModuleRef module)
{
  CN_EACH_GLOBAL(g, module)
    if (cn_is_ref(LLVMTypeOf(g)) || cn_holds_ref(LLVMGlobalGetValueType(g)))
      return false;
  CN_EACH_FUNCTION(f, module)
    if (is_marker_function(f) || LLVMGetGC(f) || !cn_managed_is_free_of_refs(f))
      return false;
  return !has_managed_annotation(module);
}

/* True for the resolver of an ifunc. Resolvers run while the program is being loaded; in a static program, polls would
 * then lack thread-local storage. */
static bool is_ifunc_resolver(LLVMValueRef function)
{
  CN_EACH_USE(use, function)
    if (LLVMIsAGlobalIFunc(LLVMGetUser(use)))
      return true;
  return false;
}

static bool calls_returns_twice(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && cn_calls_has_attribute(i, "returns_twice"))
        return true;
  return false;
}

/* setjmp() saves registers that may hold references of callers. The saved registers are harmless in native code,
 * because managed callers go through a stub that restores their registers. So a function that calls setjmp() and
 * handles no reference is native. */
static bool is_native_setjmp_caller(LLVMValueRef function)
{
  return calls_returns_twice(function) && cn_managed_is_free_of_refs(function);
}

bool cn_managed_is_to_be_managed(struct cn_ctx *ctx, LLVMValueRef function)
{
  size_t length;

  CN_ASSERT(LLVMIsAFunction(function));
  if (LLVMIsDeclaration(function))
    return false;
  if (cn_is_managed(function) || cn_managed_is_requested(ctx->module, function))
    return true;
  if (!ctx->options->manage_all || LLVMGetGC(function))
    return false;
  if (strncmp(LLVMGetValueName2(function, &length), "cairn.", 6) == 0)
    return false;
  if (LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("naked")))
    return false;
  /* An inline copy of a function of the C library is a leaf like the function itself. */
  if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage &&
      cn_calls_leaf_reason(LLVMGetValueName2(function, &length)))
    return false;
  return !is_ifunc_resolver(function) && !cn_string_attribute(function, CN_ATTR_UNMANAGED) &&
         !cn_managed_is_annotated(ctx->module, function, CN_ATTR_UNMANAGED) && !is_native_setjmp_caller(function);
}

bool cn_managed_module_has_references(struct cn_ctx *ctx)
{
  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_holds_ref(LLVMGlobalGetValueType(g)))
      return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!cn_managed_is_free_of_refs(f))
      return true;
  return false;
}
