// SPDX-License-Identifier: Apache-2.0
//
// Finds out if LLVM knows a processor. A target machine for another one ends the process when it makes code, and LLVM's
// C interface cannot ask before. Any thread, after cairn_compile_init().
#include "jit/objects/processor.h"

#include <memory>
#include <string>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

bool cn_jit_is_processor(const char *triple, const char *cpu)
{
  std::string error;
  llvm::Triple wanted(triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(wanted, error);
  if (!target)
    return false;
  // With no processor's name, so that LLVM prints nothing about an unknown one.
  std::unique_ptr<llvm::MCSubtargetInfo> any(target->createMCSubtargetInfo(wanted, "", ""));
  if (!any || !any->isCPUStringValid(cpu))
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> its(target->createMCSubtargetInfo(wanted, cpu, ""));
  return its && its->checkFeatures(cn_jit_needed_features);
}
