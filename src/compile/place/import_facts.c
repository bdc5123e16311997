/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the facts that place-safepoints found about the functions of one module into another module that calls them
 * (late-insertion-slides-2014, future work: leaf functions). Implements cairn_import_functions().
 *
 * Needs: any two modules. Provides: attributes "gc-leaf-function", "cairn-polls" and "cairn-work" of declarations whose
 * managed definition in the other module is strong; leaves whose calls need records here stay unmarked. Breaks:
 * nothing.
 */
#include <string.h>
#include "compile/place/function_facts.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

static void copy_attribute(LLVMValueRef from, LLVMValueRef to, const char *name)
{
  LLVMAttributeRef attribute = cn_string_attribute(from, name);
  unsigned length = 0;

  CN_ASSERT(LLVMIsDeclaration(to));
  if (!attribute)
    return;
  const char *value = LLVMGetStringAttributeValue(attribute, &length);
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(to));
  LLVMAddAttributeAtIndex(to, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(llvm, name, (unsigned)strlen(name), value, length));
}

/* True if `function` is a strong, visible definition, which the calls of another unit surely reach. */
static bool is_strong_visible_definition(LLVMValueRef function)
{
  return function && !LLVMIsDeclaration(function) && cn_is_managed(function) &&
         LLVMGetLinkage(function) == LLVMExternalLinkage;
}

void cairn_import_functions(LLVMModuleRef module, LLVMModuleRef from)
{
  CN_EACH_FUNCTION(to, module) {
    size_t length;
    const char *name = LLVMGetValueName2(to, &length);
    LLVMValueRef found = LLVMIsDeclaration(to) ? LLVMGetNamedFunction(from, name) : NULL;
    if (!is_strong_visible_definition(found) || LLVMGetIntrinsicID(to))
      continue;
    bool leaf = cn_string_attribute(found, CN_ATTR_LEAF) != NULL;
    if (leaf && cn_function_facts_needs_records(to))
      continue;
    copy_attribute(found, to, CN_ATTR_LEAF);
    copy_attribute(found, to, CN_ATTR_POLLS);
    copy_attribute(found, to, CN_ATTR_WORK);
  }
}
