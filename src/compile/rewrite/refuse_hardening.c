/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses mitigations of speculative execution: under these, LLVM 22's code generator ends the process at a statepoint
 * (docs/llvm-22.md). Part of rewrite-statepoints. Needs: any call. Provides: diagnostics of rule hardening. Breaks:
 * nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/rewrite/refuse.h"

void cn_refuse_hardening(struct cn_function_check *judge, LLVMValueRef call)
{
  unsigned loads = cn_attribute_kind("speculative_load_hardening");
  struct cn_call_target site = cn_call_target_of(call);

  CN_ASSERT(cn_is_call(call));
  if (!judge->hardened && cn_refuse_is_reachable(judge, call) &&
      LLVMGetEnumAttributeAtIndex(judge->function, CN_FUNCTION_INDEX, loads)) {
    judge->hardened = true;
    cn_refuse_at(judge, call, "hardening",
                 "LLVM 22 cannot lower a safepoint in a function with speculative load hardening "
                 "(-mspeculative-load-hardening)");
  }
  if (!LLVMIsAFunction(cn_call_target_callee(&site)) && cn_has_indirect_call_thunks(judge->function))
    cn_refuse_at(judge, call, "hardening",
                 "LLVM 22 cannot lower an indirect call in a statepoint that is to go through a "
                 "thunk (target feature retpoline, lvi-cfi or seses)");
}
