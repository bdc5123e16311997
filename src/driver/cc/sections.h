/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements -ffunction-sections and -fdata-sections.
 */
#ifndef CN_DRIVER_CC_SECTIONS_H
#define CN_DRIVER_CC_SECTIONS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Give each function, each variable, or both, its own section, named as clang names them. */
void cn_sections_split(LLVMModuleRef module, bool pic, bool functions, bool data);

#endif
