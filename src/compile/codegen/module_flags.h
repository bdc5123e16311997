/* SPDX-License-Identifier: Apache-2.0
 *
 * Module flags with a number. Private to src.
 */
#ifndef CN_COMPILE_CODEGEN_MODULE_FLAGS_H
#define CN_COMPILE_CODEGEN_MODULE_FLAGS_H

#include <llvm-c/Core.h>

/* The rules for joining the flags of several modules, with LLVM's numbers. */
enum cn_flag_joins {
  CN_FLAG_JOIN_EQUAL = 1, /* all modules must have the same number */
  CN_FLAG_JOIN_MAX = 7,
  CN_FLAG_JOIN_MIN = 8, /* the smallest number; 0 if a module lacks the flag */
};

void cn_add_module_flag(LLVMModuleRef module, const char *name, enum cn_flag_joins joins, unsigned value);

/* The flag's number, or `absent` if the module lacks it. */
unsigned cn_module_flag_of(LLVMModuleRef module, const char *name, unsigned absent);

#endif
