/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds entries of managed functions. Native code calls a managed function by its address, and the thread must become
 * managed before the function's body runs. A function that native code can reach therefore begins with an entry.
 * Managed code calls the function's body, some 30 bytes after the entry (entry_size):
 *
 *        prefix:  r = body; jump to cairn_enter      (convention_ARCH.c)
 *                 the mark                           8 bytes, at a multiple of 16
 *   f:   entry:   is the thread managed? no: prefix
 *        body:                                       @cairn.call.f
 *
 *   how managed code knows the function          what it calls
 *   by name, defined here, final                 the body, by a label outside every symbol table
 *   by name, defined elsewhere                   cairn.call.f, cairn.body.f: thunk.c
 *   by a pointer                                 the body, if there is the mark: call_targets.c
 *   by a pointer, promised to be managed         the pointer's target: the entry, or the body if the pointer
 *                                                is the address of the function plus the entry's size
 *
 * A static function needs only a body if all of its uses are calls by name from managed code, or addresses of its body,
 * which pass prepare replaces by addresses of the function (optimise/body_addresses.c). A function with an alignment
 * of 16 or more has an entry without a mark, because the constant distance between mark and entry does not fit this
 * alignment.
 *
 * Needs: all calls are final. Provides: native code enters a body only through an entry, which makes the thread
 * managed; an error for conventions that rename functions in the object file. Breaks: a managed function's address is
 * no longer the target of its calls. Part of pass call-targets. Pass name-bodies, for programs without safepoints, only
 * names the bodies, which then begin at their function.
 */
#include "compile/transitions/transitions.h"

#include <string.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/transitions/callees.h"

enum { MARK_ALIGNMENT_BYTES = 16 };

typedef CN_VECTOR(LLVMValueRef) function_vector;

/* True if native code can reach the function. A bridge is called only in place of its target (bridges.c). */
static bool needs_entry(LLVMValueRef function)
{
  size_t length;

  if (!cn_target_is_local(function))
    return true;
  if (cn_string_attribute(function, CN_ATTR_BODY_ADDRESS))
    return false;
  if (strncmp(LLVMGetValueName2(function, &length), CN_BRIDGE_PREFIX, sizeof CN_BRIDGE_PREFIX - 1) == 0)
    return false;
  CN_EACH_USE(use, function)
    if (!cn_calls_only_as_managed(LLVMGetUser(use), function))
      return true;
  return false;
}

static LLVMValueRef body_address_of(struct cn_ctx *ctx, LLVMValueRef function)
{
  return cn_constant_address_at_offset(ctx, function, cn_convention_port_of(ctx->module)->entry_size);
}

static void name_body_for_other_units(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef body)
{
  function_vector aliases = {0}; /* gathered before names are added, because a name may be an alias */

  CN_EACH_USE(use, function) {
    LLVMValueRef alias = LLVMIsAGlobalAlias(LLVMGetUser(use));
    if (alias && !cn_target_is_local(alias) && LLVMAliasGetAliasee(alias) == function)
      cn_push(&aliases, alias);
  }
  if (!cn_target_is_local(function))
    cn_thunk_name_body(ctx, function, body);
  for (size_t i = 0; i < aliases.count; i++)
    cn_thunk_name_body(ctx, aliases.at[i], body);
  cn_free(&aliases);
}

/* True if other units call the function by the name of its body (thunk.c). */
static bool has_public_body(LLVMValueRef function)
{
  return LLVMGetLinkage(function) == LLVMExternalLinkage && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
}

static LLVMValueRef add_body_alias(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMValueRef alias =
      has_public_body(function) ? cn_thunk_add_alias(ctx, function) : cn_thunk_add_label(ctx, function);

  LLVMAliasSetAliasee(alias, body_address_of(ctx, function));
  return alias;
}

/* Redirect calls in managed code to the function's body. Calls of a replaceable definition stay unchanged. */
static void redirect_calls_to_body(struct cn_ctx *ctx, LLVMValueRef function)
{
  function_vector calls = {0};

  CN_EACH_USE(use, function)
    if (cn_target_managed_function(function) && cn_calls_only_as_managed(LLVMGetUser(use), function))
      cn_push(&calls, LLVMGetUser(use));
  LLVMValueRef body = calls.count || has_public_body(function) ? add_body_alias(ctx, function) : NULL;
  for (size_t i = 0; i < calls.count; i++) {
    struct cn_call_target site = cn_call_target_of(calls.at[i]);
    LLVMSetOperand(site.call, site.callee_operand, body);
  }
  cn_free(&calls);
}

static void add_entry(struct cn_ctx *ctx, LLVMValueRef function)
{
  bool shared = ctx->options && ctx->options->shared;
  unsigned alignment = LLVMGetAlignment(function);
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);
  LLVMValueRef enter = port->entry_names_thunk ? NULL : cn_declare_stub(ctx, CN_ENTER);
  struct cn_entry_code entry =
      port->make_entry(ctx, function, enter, alignment < MARK_ALIGNMENT_BYTES ? 0 : alignment, shared);

  if (alignment < MARK_ALIGNMENT_BYTES)
    LLVMSetAlignment(function, MARK_ALIGNMENT_BYTES);
  LLVMSetPrefixData(function, entry.prefix);
  LLVMSetPrologueData(function, entry.code);
  if (LLVMGetLinkage(function) == LLVMPrivateLinkage)
    LLVMSetLinkage(function, LLVMInternalLinkage); /* the relocations below name it */
  cn_thunk_add_relocations(ctx, function, &entry);
  redirect_calls_to_body(ctx, function);
  name_body_for_other_units(ctx, function, body_address_of(ctx, function));
}

/* If the function lacks an entry, its body's address is the address of the function. */
static void replace_body_addresses(struct cn_ctx *ctx, LLVMValueRef function)
{
  function_vector bodies = {0};

  CN_EACH_USE(use, function)
    if (cn_types_is_body_address(ctx, LLVMGetUser(use)))
      cn_push(&bodies, LLVMGetUser(use));
  for (size_t i = 0; i < bodies.count; i++)
    LLVMReplaceAllUsesWith(bodies.at[i], function);
  cn_free(&bodies);
}

bool cn_name_bodies(struct cn_ctx *ctx)
{
  function_vector functions = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
        !cn_entries_has_entry(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++) {
    replace_body_addresses(ctx, functions.at[i]);
    name_body_for_other_units(ctx, functions.at[i], functions.at[i]);
  }
  cn_free(&functions);
  return true;
}

bool cn_entries_has_entry(LLVMValueRef function)
{
  return LLVMHasPrologueData(function) && LLVMHasPrefixData(function) &&
         cn_convention_is_entry_code(LLVMGetGlobalParent(function), LLVMGetPrologueData(function));
}

/* Check that the object file keeps the function's name, because its entry and its body are found by name. */
static bool check_symbol_name(struct cn_ctx *ctx, LLVMValueRef function)
{
  unsigned convention = LLVMGetFunctionCallConv(function);

  if (!convention || convention != cn_convention_port_of(ctx->module)->renaming_convention)
    return true;
  cn_error(ctx, function, "calling-convention",
           "a managed function of calling convention %u (vectorcall) has another name in the "
           "object than in the module, and its entry is found by name; give it the usual convention",
           convention);
  return false;
}

void cn_entries_add(struct cn_ctx *ctx)
{
  function_vector functions = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
        !cn_entries_has_entry(f) && needs_entry(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++)
    if (check_symbol_name(ctx, functions.at[i]))
      add_entry(ctx, functions.at[i]);
  if (functions.count && cn_convention_port_of(ctx->module)->entry_names_thunk)
    cn_slow_paths_add_thunk(ctx, CN_ENTER);
  cn_free(&functions);
}
