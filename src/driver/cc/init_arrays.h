/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts constructors and destructors into .init_array and .fini_array.
 */
#ifndef CN_DRIVER_CC_INIT_ARRAYS_H
#define CN_DRIVER_CC_INIT_ARRAYS_H

#include <llvm-c/Core.h>

/* Replace llvm.global_ctors and llvm.global_dtors of `module`. Call it just before code generation.
 */
void cn_structors_place(LLVMModuleRef module);

#endif
