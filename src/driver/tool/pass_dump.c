/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements --print-after, --print-changed and --verify-each of `cairn opt`, like the options of LLVM's opt. Runs
 * before and after each pass, leaves the module unchanged, checks a copy of it, prints on stderr, and holds no state.
 */
#include <stdio.h>
#include <string.h>
#include "driver/tool.h"
#include "driver/tool/pass_dump.h"

bool cn_pass_dump_is_wanted(const struct cn_pass_dump *dump)
{
  return dump->after.count > 0 || dump->changed || dump->verify;
}

LLVMModuleRef cn_pass_dump_copy_before(const struct cn_pass_dump *dump, LLVMModuleRef module)
{
  return dump->changed ? LLVMCloneModule(module) : NULL;
}

static bool is_print_after_requested(const struct cn_pass_dump *dump, const char *pass)
{
  for (size_t i = 0; i < dump->after.count; i++)
    if (strcmp(dump->after.at[i], "all") == 0 || strcmp(dump->after.at[i], pass) == 0)
      return true;
  return false;
}

static void print_module_after_pass(const char *pass, LLVMModuleRef module)
{
  char *text = LLVMPrintModuleToString(module);

  fprintf(stderr, "*** IR Dump After %s ***\n%s", pass, text);
  LLVMDisposeMessage(text);
}

/* Print `function` if its text differs from the text of `old`, the function of this name before the pass, which may be
 * null. */
static bool print_function_if_changed(const char *pass, LLVMValueRef function, LLVMValueRef old)
{
  char *now = LLVMPrintValueToString(function);
  char *then = old ? LLVMPrintValueToString(old) : NULL;
  bool differs = !then || strcmp(now, then) != 0;
  size_t length;

  if (differs)
    fprintf(stderr, "*** IR Dump After %s on %s ***\n%s", pass, LLVMGetValueName2(function, &length), now);
  LLVMDisposeMessage(now);
  if (then)
    LLVMDisposeMessage(then);
  return differs;
}

static bool modules_differ(LLVMModuleRef a, LLVMModuleRef b)
{
  char *first = LLVMPrintModuleToString(a), *second = LLVMPrintModuleToString(b);
  bool differ = strcmp(first, second) != 0;

  LLVMDisposeMessage(first);
  LLVMDisposeMessage(second);
  return differ;
}

/* Print the definitions that changed, or the whole module if only other parts changed. */
static void print_changes_of_pass(const char *pass, LLVMModuleRef before, LLVMModuleRef module)
{
  bool printed = false;
  size_t length;

  CN_CHECK(before != module);
  if (!modules_differ(before, module))
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f))
      continue;
    LLVMValueRef old = LLVMGetNamedFunction(before, LLVMGetValueName2(f, &length));
    printed |= print_function_if_changed(pass, f, old);
  }
  if (!printed)
    print_module_after_pass(pass, module);
}

void cn_pass_dump_print_after(const struct cn_pass_dump *dump, const char *pass, LLVMModuleRef before,
                              LLVMModuleRef module)
{
  CN_CHECK((before != NULL) == dump->changed); /* cn_pass_dump_copy_before() made it */
  if (is_print_after_requested(dump, pass))
    print_module_after_pass(pass, module);
  else if (before)
    print_changes_of_pass(pass, before, module);
  if (before)
    LLVMDisposeModule(before);
}

static bool has_statepoints(LLVMModuleRef module)
{
  static const char statepoint[] = "llvm.experimental.gc.statepoint";
  size_t length;

  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (strncmp(LLVMGetValueName2(f, &length), statepoint, sizeof statepoint - 1) == 0 && LLVMGetFirstUse(f))
      return true;
  return false;
}

bool cn_pass_dump_verify_module(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pass,
                                const struct cairn_compile_options *options)
{
  if (!has_statepoints(module))
    return true;
  LLVMModuleRef copy = LLVMCloneModule(module);
  bool ok = cairn_compile_pass(copy, machine, "verify-safepoints", options) == CAIRN_OK;
  LLVMDisposeModule(copy);
  if (!ok)
    cn_tool_error("--verify-each: verify-safepoints refuses the result of pass '%s'", pass);
  return ok;
}
