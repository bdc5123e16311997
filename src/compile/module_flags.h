/* SPDX-License-Identifier: Apache-2.0
 *
 * Module flags with a number. Private to src/compile.
 */
#ifndef CN_COMPILE_MODULE_FLAGS_H
#define CN_COMPILE_MODULE_FLAGS_H

#include <llvm-c/Core.h>

/* How a flag is joined when modules are, as LLVM numbers it. */
enum cn_flag_joins {
  CN_FLAG_SAME = 1, /* it must be the same in all */
  CN_FLAG_MOST = 7,
  CN_FLAG_LEAST = 8, /* 0 where one has none */
};

/* Add a flag to the module. */
void cn_flag_add(LLVMModuleRef module, const char *name, enum cn_flag_joins joins, unsigned value);

/* The flag's number; `absent` if there is none. */
unsigned cn_flag_get(LLVMModuleRef module, const char *name, unsigned absent);

#endif
