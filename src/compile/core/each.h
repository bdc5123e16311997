/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over LLVM's lists. The current element must stay in its list. Code that deletes or moves elements needs another
 * loop, which fetches the next element first.
 */
#ifndef CN_COMPILE_CORE_EACH_H
#define CN_COMPILE_CORE_EACH_H

#include <llvm-c/Core.h>

#define CN_EACH_FUNCTION(f, module) for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))

#define CN_EACH_GLOBAL(g, module) for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))

#define CN_EACH_BLOCK(b, function) \
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))

#define CN_EACH_INSTRUCTION(i, block) \
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))

#define CN_EACH_USE(use, value) for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))

#endif
