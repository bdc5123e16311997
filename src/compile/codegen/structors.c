/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts constructors and destructors into .init_array and .fini_array. Needs: the finished module, just before code
 * generation. Provides: cn_structors_place_in_arrays(). Breaks: the lists of constructors and destructors.
 *
 * A target machine made through LLVM's C interface puts them into .ctors and .dtors, which current C libraries ignore
 * (GNU ld converts these sections, lld keeps them). This file therefore puts a pointer to each function into the right
 * section.
 */
#include "compile/codegen/codegen.h"

#include <stdlib.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"

enum { DEFAULT_PRIORITY = 65535 };

/* Place the pointer of an entry { i32 priority, ptr function, ptr key }. If the key is in a COMDAT group, the pointer
 * goes into the same group. */
static void place_structor(LLVMModuleRef module, LLVMValueRef entry, const char *section)
{
  CN_CHECK(LLVMGetNumOperands(entry) == 3); /* LLVM's verifier has checked this */
  unsigned long long priority = LLVMConstIntGetZExtValue(LLVMGetOperand(entry, 0));
  LLVMValueRef function = LLVMGetOperand(entry, 1), key = LLVMGetOperand(entry, 2);
  LLVMValueRef slot = LLVMAddGlobal(module, LLVMTypeOf(function), "cairn.structor");
  LLVMComdatRef group = LLVMIsAGlobalObject(key) ? LLVMGetComdat(key) : NULL;
  char *name = priority == DEFAULT_PRIORITY ? cn_strdup(section) : cn_format("%s.%llu", section, priority);

  LLVMSetInitializer(slot, function);
  LLVMSetLinkage(slot, LLVMPrivateLinkage);
  LLVMSetSection(slot, name);
  LLVMSetAlignment(slot, (unsigned)sizeof(void *));
  if (group)
    LLVMSetComdat(slot, group);
  free(name);
}

static void place_structors_of_list(LLVMModuleRef module, const char *list_name, const char *section)
{
  LLVMValueRef list = LLVMGetNamedGlobal(module, list_name);
  LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;

  if (!entries)
    return;
  if (LLVMIsAConstantArray(entries)) {
    for (int i = 0; i < LLVMGetNumOperands(entries); i++) {
      LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
      if (LLVMIsAConstantStruct(entry) && !LLVMIsNull(LLVMGetOperand(entry, 1)))
        place_structor(module, entry, section);
    }
  }
  LLVMDeleteGlobal(list);
}

void cn_structors_place_in_arrays(LLVMModuleRef module)
{
  place_structors_of_list(module, "llvm.global_ctors", ".init_array");
  place_structors_of_list(module, "llvm.global_dtors", ".fini_array");
}
