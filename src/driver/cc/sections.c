/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements -ffunction-sections and -fdata-sections. LLVM's target machine has these options, but its C interface
 * lacks them. Section names in the module have the same effect. Runs just before code generation, changes the section
 * names of the module, prints nothing, and holds no state.
 */
#include "driver/cc/units.h"

#include <string.h>
#include <stdlib.h>
#include "base/check.h"

static bool wants_own_section(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);
  const char *section = LLVMGetSection(global);
  size_t length;

  if (LLVMIsDeclaration(global) || linkage == LLVMAvailableExternallyLinkage || linkage == LLVMCommonLinkage ||
      linkage == LLVMAppendingLinkage || (section && *section))
    return false;
  const char *name = LLVMGetValueName2(global, &length);
  return length > 0 && strncmp(name, "llvm.", 5) != 0;
}

static bool holds_address(LLVMValueRef constant)
{
  if (LLVMIsAGlobalValue(constant) || LLVMIsABlockAddress(constant))
    return true;
  if (LLVMIsAConstantDataSequential(constant))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(constant); i++)
    if (holds_address(LLVMGetOperand(constant, (unsigned)i)))
      return true;
  return false;
}

static const char *data_section_prefix_of(LLVMValueRef global, bool pic)
{
  LLVMValueRef initial = LLVMGetInitializer(global);
  CN_CHECK(initial != NULL); /* wants_own_section() */
  bool zero = LLVMIsNull(initial);

  if (LLVMIsThreadLocal(global))
    return zero ? ".tbss" : ".tdata";
  if (LLVMIsGlobalConstant(global))
    return pic && holds_address(initial) ? ".data.rel.ro" : ".rodata";
  return zero ? ".bss" : ".data";
}

static void set_own_section(LLVMValueRef global, const char *prefix)
{
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);

  CN_CHECK(length > 0 && !LLVMIsDeclaration(global));
  char *section = cn_format("%s.%.*s", prefix, (int)length, name);

  LLVMSetSection(global, section);
  free(section);
}

/* True for literals, which stay in mergeable sections, so that the linker merges equal literals. */
static bool is_literal(LLVMValueRef global)
{
  return LLVMGetLinkage(global) == LLVMPrivateLinkage && LLVMIsGlobalConstant(global);
}

void cn_sections_split_module(LLVMModuleRef module, bool pic, bool functions, bool data)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && functions; f = LLVMGetNextFunction(f))
    if (wants_own_section(f))
      set_own_section(f, ".text");
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && data; g = LLVMGetNextGlobal(g))
    if (wants_own_section(g) && !is_literal(g))
      set_own_section(g, data_section_prefix_of(g, pic));
}
