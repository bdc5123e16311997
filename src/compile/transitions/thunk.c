/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes thunks. Managed code calls an external function `foo` under the name `cairn.call.foo`:
 *
 *   every unit that calls it   weak hidden, in a COMDAT group:
 *                              hands its address to cairn_call_any
 *   the unit that defines it   strong hidden alias of foo, if foo is managed
 *
 * Calls between managed functions of one image are thus direct after linking. Every other call goes through the
 * runtime's stub, which tests for the mark before the target (abi.def, MANAGED_MARK) and leaves an anchor if the mark
 * is missing. `cairn.vcall.foo` serves variadic callees; this name is always a thunk, because it has to pass the number
 * of vector registers.
 *
 * A call of a function that must be managed uses other names, which only managed code provides:
 *
 *   every unit that calls it   cairn.body.foo, weak hidden, in a COMDAT group:
 *                              jumps to cairn.managed_code.foo
 *   the unit that defines it   cairn.managed_code.foo, the body, as visible as foo;
 *                              cairn.body.foo, strong hidden, the same
 *
 * A call of an optional (extern_weak) function tests the callee at run time (cairn_call_body). The thunk also has a
 * reference to foo, so that the linker takes the archive member that defines foo, and link-time optimisation keeps foo.
 * Such a call thus reaches managed code of this or another image; otherwise the linker reports that
 * cairn.managed_code.foo is undefined. `cairn.vbody.foo` is the thunk for variadic callees.
 *
 * Thunks reach the stub through the global offset table, because lazy binding of the procedure linkage table would
 * overwrite the register that passes the target's address. Needs: nothing. Provides: cn_thunk_for(); the aliases of
 * managed functions, or labels for calls within the unit; the names of bodies; the relocations of entries. Thunks and
 * relocations are assembly of the module. Breaks: nothing.
 */
#include "compile/transitions/transitions.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/transitions/callees.h"

/* The name of a function's symbol in the object file. LLVM marks literal names with \01. */
static const char *symbol_name_of(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  return name[0] == 1 ? name + 1 : name;
}

/* The name as a quoted string of the assembler, with its special characters escaped. */
static char *quote_name(const char *prefix, const char *name)
{
  char *out = cn_alloc(strlen(prefix) + 4 * strlen(name) + 3), *to = out;

  *to++ = '"';
  to = stpcpy(to, prefix);
  for (; *name; name++) {
    if (*name == '"' || *name == '\\')
      *to++ = '\\';
    *to++ = *name;
  }
  *to++ = '"';
  return out;
}

static const struct thunk_kind {
  const char *prefix;
  bool variadic, body;
} thunk_kinds[] = {[CN_THUNK_ANY_CALLEE] = {CN_CALL_PREFIX, false, false},
                   [CN_THUNK_ANY_CALLEE_VARIADIC] = {CN_VCALL_PREFIX, true, false},
                   [CN_THUNK_BODY] = {CN_BODY_PREFIX, false, true},
                   [CN_THUNK_BODY_VARIADIC] = {CN_VBODY_PREFIX, true, true}};

/* The directive that adds an undefined symbol `target` to the object, if another unit defines `target`. */
static char *format_binding_directive(LLVMValueRef target)
{
  bool is_weak = LLVMGetLinkage(target) == LLVMExternalWeakLinkage;
  char *symbol = quote_name("", symbol_name_of(target));
  char *text = LLVMIsDeclaration(target) ? cn_format("  .%s %s\n", is_weak ? "weak" : "globl", symbol) : cn_strdup("");

  free(symbol);
  return text;
}

static void write_thunk(struct cn_ctx *ctx, const struct thunk_kind *kind, LLVMValueRef target)
{
  char *name = quote_name(kind->prefix, symbol_name_of(target));
  char *section_prefix = cn_format(".text.%s", kind->prefix);
  char *section = quote_name(section_prefix, symbol_name_of(target));
  bool is_weak = LLVMGetLinkage(target) == LLVMExternalWeakLinkage;
  bool named = kind->body && !is_weak;
  char *symbol = quote_name(named ? CN_CODE_PREFIX : "", symbol_name_of(target));
  char *bound = format_binding_directive(target);
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);
  char *code = named
                   ? port->format_jump_thunk(symbol, kind->variadic)
                   : port->format_stub_thunk(symbol, kind->body ? "cairn_call_body" : "cairn_call_any", kind->variadic);
  char *text = cn_format("  .section %1$s,\"axG\",@progbits,%2$s,comdat\n"
                         "  .weak %2$s\n  .hidden %2$s\n  .type %2$s,@function\n%4$s"
                         "%2$s:\n  .cfi_startproc\n%3$s"
                         "  .cfi_endproc\n  .size %2$s, . - %2$s\n  .text\n",
                         section, name, code, bound);

  LLVMAppendModuleInlineAsm(ctx->module, text, strlen(text));
  free(text);
  free(code);
  free(bound);
  free(symbol);
  free(section);
  free(section_prefix);
  free(name);
}

/* Copy the front end's attributes of a function to its thunk, because the code generator reads attributes such as byval
 * and zeroext from the callee, too. */
static void copy_function_attributes(LLVMValueRef from, LLVMValueRef to)
{
  int last = (int)LLVMCountParams(from);

  for (int index = -1; index <= last; index++) {
    LLVMAttributeIndex at = (LLVMAttributeIndex)index;
    unsigned count = LLVMGetAttributeCountAtIndex(from, at);
    LLVMAttributeRef *list = cn_alloc(count * sizeof *list);
    LLVMGetAttributesAtIndex(from, at, list);
    for (unsigned i = 0; i < count && (index <= 0 || index <= (int)LLVMCountParams(to)); i++)
      LLVMAddAttributeAtIndex(to, at, list[i]);
    free(list);
  }
}

LLVMValueRef cn_thunk_for(struct cn_ctx *ctx, LLVMValueRef target, LLVMTypeRef type, enum cn_thunk which)
{
  CN_CHECK(LLVMIsAFunction(target) && !cn_target_is_stub(target));
  const struct thunk_kind *kind = &thunk_kinds[which];
  char *name = cn_format("%s%s", kind->prefix, symbol_name_of(target));
  LLVMValueRef thunk = LLVMGetNamedFunction(ctx->module, name);

  if (!thunk) {
    write_thunk(ctx, kind, target);
    thunk = LLVMAddFunction(ctx->module, name, type);
    LLVMSetVisibility(thunk, LLVMHiddenVisibility);
    LLVMSetFunctionCallConv(thunk, LLVMGetFunctionCallConv(target));
    copy_function_attributes(target, thunk);
  }
  free(name);
  return thunk;
}

LLVMValueRef cn_thunk_add_alias(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(LLVMIsAFunction(function) && !LLVMIsDeclaration(function) && cn_is_managed(function));
  char *name = cn_format(CN_CALL_PREFIX "%s", symbol_name_of(function));
  LLVMValueRef alias = LLVMGetNamedGlobalAlias(ctx->module, name, strlen(name));

  if (!alias) {
    alias = LLVMAddAlias2(ctx->module, LLVMGlobalGetValueType(function), 0, function, name);
    LLVMSetVisibility(alias, LLVMHiddenVisibility);
  }
  free(name);
  return alias;
}

LLVMValueRef cn_thunk_add_label(struct cn_ctx *ctx, LLVMValueRef function)
{
  char *name = cn_format(CN_CALL_PREFIX "%s", symbol_name_of(function));
  LLVMValueRef label = LLVMAddAlias2(ctx->module, LLVMGlobalGetValueType(function), 0, function, name);

  LLVMSetLinkage(label, LLVMPrivateLinkage);
  free(name);
  return label;
}

static LLVMValueRef add_body_alias(struct cn_ctx *ctx, const char *prefix, LLVMValueRef global, LLVMValueRef body,
                                   LLVMLinkage linkage)
{
  char *name = cn_format("%s%s", prefix, symbol_name_of(global));
  LLVMValueRef alias = LLVMAddAlias2(ctx->module, LLVMGlobalGetValueType(global), 0, body, name);

  LLVMSetLinkage(alias, linkage);
  free(name);
  return alias;
}

/* Clear the size of a name's symbol. Tools map an address to the nearest symbol with a size, and so find the function's
 * own name. */
static void clear_symbol_size(struct cn_ctx *ctx, const char *prefix, LLVMValueRef global)
{
  char *name = quote_name(prefix, symbol_name_of(global));
  char *text = cn_format("  .size %s, 0\n", name);

  LLVMAppendModuleInlineAsm(ctx->module, text, strlen(text));
  free(text);
  free(name);
}

/* The name for other images is weak: of two names for one address, perf shows the strong one. */
void cn_thunk_name_body(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef body)
{
  CN_ASSERT(!cn_target_is_local(global));
  LLVMValueRef code = add_body_alias(ctx, CN_CODE_PREFIX, global, body, LLVMWeakAnyLinkage);
  LLVMSetVisibility(code, LLVMGetVisibility(global));
  clear_symbol_size(ctx, CN_CODE_PREFIX, global);
  if (LLVMGetLinkage(global) == LLVMExternalLinkage) {
    LLVMValueRef own = add_body_alias(ctx, CN_BODY_PREFIX, global, body, LLVMExternalLinkage);
    LLVMSetVisibility(own, LLVMHiddenVisibility);
    clear_symbol_size(ctx, CN_BODY_PREFIX, global);
  }
  if (!LLVMIsAFunction(body)) /* an entry comes before the body */
    add_body_alias(ctx, CN_LOCAL_PREFIX, global, body, LLVMInternalLinkage);
}

void cn_thunk_add_relocations(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_entry_code *entry)
{
  char *symbol = quote_name("", symbol_name_of(function)), *text = cn_strdup("  .type " CN_MUTATOR ",@tls_object\n");

  CN_ASSERT(LLVMGetLinkage(function) != LLVMPrivateLinkage);
  for (unsigned i = 0; i < entry->relocation_count; i++) {
    const struct cn_entry_relocation *r = &entry->relocations[i];
    char *longer = cn_format("%s  .reloc %s+%d, %s\n", text, symbol, r->at, r->kind_and_value);
    free(text);
    text = longer;
  }
  LLVMAppendModuleInlineAsm(ctx->module, text, strlen(text));
  free(text);
  free(symbol);
}
