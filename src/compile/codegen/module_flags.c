/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds and reads module flags with a number, because LLVM-C has only some of the behaviours for joining flags. Needs,
 * breaks: nothing. Provides: cn_add_module_flag(), cn_module_flag_of().
 */
#include "compile/codegen/module_flags.h"

#include <stdbool.h>
#include <string.h>

void cn_add_module_flag(LLVMModuleRef module, const char *name, enum cn_flag_joins joins, unsigned value)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMMetadataRef parts[] = {LLVMValueAsMetadata(LLVMConstInt(i32, joins, false)),
                             LLVMMDStringInContext2(context, name, strlen(name)),
                             LLVMValueAsMetadata(LLVMConstInt(i32, value, false))};
  LLVMMetadataRef flag = LLVMMDNodeInContext2(context, parts, 3);

  LLVMAddNamedMetadataOperand(module, "llvm.module.flags", LLVMMetadataAsValue(context, flag));
}

unsigned cn_module_flag_of(LLVMModuleRef module, const char *name, unsigned absent)
{
  LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));

  if (!flag)
    return absent;
  LLVMValueRef value = LLVMMetadataAsValue(LLVMGetModuleContext(module), flag), number = NULL;
  if (LLVMGetMDNodeNumOperands(value) == 1)
    LLVMGetMDNodeOperands(value, &number);
  return number && LLVMIsAConstantInt(number) ? (unsigned)LLVMConstIntGetZExtValue(number) : absent;
}
