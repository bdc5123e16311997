/* SPDX-License-Identifier: Apache-2.0
 *
 * Mitigations of speculative execution with which LLVM 22's code generator ends the process when it
 * comes to a statepoint (docs/llvm-22.md). Needs: nothing. Provides: diagnostics of rule hardening.
 * Breaks: nothing.
 */
#include <string.h>
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/refuse.h"

/* Is a feature on in "target-features", where the last mention counts? */
static bool has_feature(LLVMValueRef function, const char *name)
{
  LLVMAttributeRef attribute = cn_string_attribute(function, "target-features");
  unsigned length = 0;
  size_t size = strlen(name);
  bool on = false;

  const char *at = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
  const char *end = at + length;
  while (at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    if ((size_t)(stop - at) == size + 1 && memcmp(at + 1, name, size) == 0)
      on = *at == '+';
    at = stop + 1;
  }
  return on;
}

bool cn_refuse_has_thunks(LLVMValueRef function)
{
  static const char *const names[] = {"retpoline", "retpoline-indirect-calls",
                                      "retpoline-external-thunk", "lvi-cfi", "seses"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (has_feature(function, names[i]))
      return true;
  return false;
}

void cn_refuse_hardening(struct cn_judge *judge, LLVMValueRef call)
{
  unsigned loads = cn_attribute_kind("speculative_load_hardening");

  if (!judge->hardened && cn_refuse_reachable(judge, call) &&
      LLVMGetEnumAttributeAtIndex(judge->function, CN_FUNCTION_INDEX, loads)) {
    judge->hardened = true;
    cn_refuse_at(judge, call, "hardening",
                 "LLVM 22 cannot lower a safepoint in a function with speculative load hardening "
                 "(-mspeculative-load-hardening)");
  }
  if (!LLVMIsAFunction(LLVMGetCalledValue(call)) && cn_refuse_has_thunks(judge->function))
    cn_refuse_at(judge, call, "hardening",
                 "LLVM 22 cannot lower an indirect call in a statepoint that is to go through a "
                 "thunk (target feature retpoline, lvi-cfi or seses)");
}
