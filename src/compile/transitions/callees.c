/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the callees of calls and statepoints, and the facts about these callees, for the passes that route calls:
 * native, local, a stub, declared or promised as managed, and given references. Declares stubs. Needs: nothing.
 * Provides: struct cn_call_target and the functions of callees.h. Breaks: nothing.
 */
#include "compile/transitions/callees.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/emitted_names.h"

/* ---- calls ---- */

bool cn_call_target_uses_nest(const struct cn_call_target *site)
{
  unsigned kind = cn_attribute_kind("nest");

  for (unsigned i = 0; i < site->count; i++)
    if (LLVMGetCallSiteEnumAttribute(site->call, site->first + i + 1, kind))
      return true;
  return false;
}

bool cn_target_is_promised_managed(LLVMValueRef call)
{
  CN_ASSERT(cn_is_call(call));
  return LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_MANAGED_CALLEE,
                                        (unsigned)strlen(CN_ATTR_MANAGED_CALLEE));
}

/* ---- callees ---- */

/* Functions of the runtime that managed code calls directly, because they are stubs. */
static const char *const stub_names[] = {CN_POLL,           CN_POLL_SLOW,    "cairn_collect", "cairn_call_any",
                                         CN_CALL_NATIVE,    CN_CALL_SHORT,   CN_CALL_MANAGED, CN_CALL_PASSING,
                                         CN_VCALL_ANY,      CN_CHECK_STORE,  CN_CHECK_COPY,   CN_CHECK_NATIVE_COPY,
                                         CN_CHECK_STORE_AT, CN_CHECK_COPY_AT};

/* Prefixes of the names of thunks and bridges in this unit. */
static const char *const stub_prefixes[] = {CN_CALL_PREFIX,  CN_VCALL_PREFIX, CN_BODY_PREFIX,
                                            CN_VBODY_PREFIX, CN_SLOW_PREFIX,  CN_BRIDGE_PREFIX};

static bool starts_with(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool cn_target_is_stub(LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);

  if (cn_is_slow_allocation(name))
    return true;
  for (size_t i = 0; i < sizeof stub_names / sizeof *stub_names; i++)
    if (strcmp(name, stub_names[i]) == 0)
      return true;
  for (size_t i = 0; i < sizeof stub_prefixes / sizeof *stub_prefixes; i++)
    if (starts_with(name, stub_prefixes[i]))
      return true;
  return false;
}

bool cn_target_is_local(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The function behind `callee`, if that is the constant address of a body (entries.c). */
static LLVMValueRef strip_constant_offset(LLVMValueRef callee)
{
  return LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMGetElementPtr ? LLVMGetOperand(callee, 0)
                                                                                        : callee;
}

/* The linker may replace a weak or linkonce definition by a native definition of another unit. The linker may also
 * replace a visible definition of a shared object, but calls in this unit can bind to the definition. */
LLVMValueRef cn_target_managed_function(LLVMValueRef callee)
{
  while (LLVMIsAGlobalAlias(callee) && (cn_target_is_local(callee) || LLVMGetLinkage(callee) == LLVMExternalLinkage))
    callee = strip_constant_offset(LLVMAliasGetAliasee(callee));
  if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || !cn_is_managed(callee))
    return NULL;
  return cn_target_is_local(callee) || LLVMGetLinkage(callee) == LLVMExternalLinkage ? callee : NULL;
}

bool cn_target_is_native(LLVMValueRef callee)
{
  if (!LLVMIsAFunction(callee) || cn_is_managed(callee))
    return false;
  return LLVMIsDeclaration(callee) ? cn_string_attribute(callee, CN_ATTR_NATIVE) != NULL : cn_target_is_local(callee);
}

bool cn_target_is_declared_managed(LLVMValueRef callee)
{
  return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && cn_string_attribute(callee, CN_ATTR_MANAGED_CODE);
}

/* True if argument `i` of the call is the address of memory of a type with references, by the type attribute `name`. */
static bool names_type_with_refs(LLVMValueRef call, unsigned i, const char *name)
{
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, cn_attribute_kind(name));

  return attribute && cn_holds_ref(LLVMGetTypeAttributeValue(attribute));
}

/* True if argument `i` is a reference to an object that may move, or a struct with references (docs/constructs.md).
 * Poison only fills a parameter that the callee of a widened tail call lacks. */
static bool argument_passes_movable_ref(const struct cn_call_target *site, unsigned i)
{
  LLVMValueRef argument = LLVMGetOperand(site->call, i);

  if (names_type_with_refs(site->call, i, "byval") || names_type_with_refs(site->call, i, "byref"))
    return true;
  return cn_holds_ref(LLVMTypeOf(argument)) && !LLVMIsPoison(argument) && !cn_is_immovable(argument);
}

/* True if the statepoint lists the arguments, so that a native callee can find the new places of their objects. */
static bool call_lists_operands(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  LLVMValueRef callee = cn_call_target_callee(site);

  return !cn_is_relocation_option_on(ctx, CAIRN_RELOCATION_DEAD_OPERANDS) || cn_calls_lists_operands(site->call) ||
         (LLVMIsAFunction(callee) && cn_string_attribute(callee, CN_ATTR_LIVE_OPERANDS));
}

bool cn_call_target_passes_reference(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  if (call_lists_operands(ctx, site))
    return false;
  if (cn_holds_ref(LLVMGetReturnType(site->type)))
    return true;
  for (unsigned i = site->first; i < site->first + site->count; i++)
    if (argument_passes_movable_ref(site, i))
      return true;
  return false;
}

LLVMValueRef cn_declare_stub(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef stub = LLVMGetNamedFunction(ctx->module, name);

  return stub ? stub
              : LLVMAddFunction(ctx->module, name, LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false));
}
