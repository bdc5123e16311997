/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets the properties of functions that the code generator reads: unwind tables, frame pointers and gc strategies.
 * Needs: the finished module. Provides: cn_codegen_describe_frames(), cn_codegen_choose_strategy(),
 * cn_codegen_find_unknown_strategy(). Breaks: nothing.
 */
#include "compile/codegen/codegen.h"

#include <string.h>
#include "compile/codegen/module_flags.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"

/* Give Cairn's functions landing pads for indirect calls, if the front end's have them. */
static void add_landing_pads(LLVMModuleRef module)
{
  static const char name[] = "branch-target-enforcement";
  LLVMAttributeRef pads = LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1, "", 0);

  if (cn_module_flag_of(module, name, 0) == 0)
    return;
  CN_EACH_FUNCTION(f, module)
    if (!LLVMIsDeclaration(f) && !cn_string_attribute(f, name))
      LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX, pads);
}

void cn_codegen_describe_frames(LLVMModuleRef module)
{
  enum { UNWIND_ASYNCHRONOUS = 2 };
  unsigned kind = LLVMGetEnumAttributeKindForName("uwtable", 7);
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMAttributeRef tables = LLVMCreateEnumAttribute(context, kind, UNWIND_ASYNCHRONOUS);
  LLVMAttributeRef frame_pointer = LLVMCreateStringAttribute(context, "frame-pointer", 13, "non-leaf", 8);
  bool needs_frame_pointers = cn_convention_port_of(module)->needs_frame_pointers;

  CN_EACH_FUNCTION(f, module) {
    if (LLVMIsDeclaration(f) || !LLVMGetGC(f))
      continue;
    LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX, tables);
    if (needs_frame_pointers)
      LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX, frame_pointer);
  }
  add_landing_pads(module);
}

/* The code generator asks for each load whether its pointer may be freed. For "statepoint-example" LLVM searches all
 * functions of the module for the answer; for "coreclr" the answer is constant, and the code is the same. */
void cn_codegen_choose_strategy(LLVMModuleRef module)
{
  CN_EACH_FUNCTION(f, module) {
    const char *gc = LLVMGetGC(f);
    if (gc && strcmp(gc, "statepoint-example") == 0)
      LLVMSetGC(f, "coreclr");
  }
}

LLVMValueRef cn_codegen_find_unknown_strategy(LLVMModuleRef module, const struct cairn_compile_options *options)
{
  struct cn_reference_spaces before = cn_reference_spaces_enter(options);
  LLVMValueRef found = NULL;

  CN_EACH_FUNCTION(f, module)
    if (!found && !LLVMIsDeclaration(f) && LLVMGetGC(f) && !cn_is_managed_gc_strategy(LLVMGetGC(f)))
      found = f;
  cn_reference_spaces_leave(before);
  return found;
}
