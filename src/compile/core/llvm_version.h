/* SPDX-License-Identifier: Apache-2.0
 *
 * The differences between versions of LLVM that Cairn's code can name. Cairn is tested with CN_LLVM_TESTED_VERSION.
 * Later versions have opcodes, types, constants and attributes that effects/ir_kinds.c lacks; Cairn refuses them by
 * name if a reference could hide in them. docs/llvm-22.md, "LLVM 23 and 24", lists the differences.
 */
#ifndef CN_COMPILE_CORE_LLVM_VERSION_H
#define CN_COMPILE_CORE_LLVM_VERSION_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stddef.h>

enum { CN_LLVM_TESTED_VERSION = 22 };

/* The labels of branches in a switch on opcodes. LLVM 23 has one opcode for each form of a branch. */
#if LLVM_VERSION_MAJOR < 23
#define CN_CASE_BRANCH case LLVMBr
#else
#define CN_CASE_BRANCH \
  case LLVMUncondBr: \
  case LLVMCondBr
#endif

/* True if `value` is a branch of either form. */
static inline bool cn_is_branch(LLVMValueRef value)
{
  if (LLVMIsAInstruction(value) == NULL)
    return false;
  switch (LLVMGetInstructionOpcode(value)) {
  CN_CASE_BRANCH:
    return true;
  default:
    return false;
  }
}

/* LLVM 23 has null pointers of vector type, which earlier versions write as vectors of zeros. */
static inline bool cn_is_null_splat(LLVMValueKind kind, LLVMTypeKind type)
{
  return kind == LLVMConstantPointerNullValueKind && type != LLVMPointerTypeKind;
}

#endif
