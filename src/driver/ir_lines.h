/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of textual IR as debug information, for messages and pages about a module that lacks debug information.
 */
#ifndef CN_DRIVER_IR_LINES_H
#define CN_DRIVER_IR_LINES_H

#include <stddef.h>
#include <llvm-c/Core.h>
#include "driver/text.h"

/* Give each instruction of the module its line and column in `lines`, the module's text, as a debug location in the
 * file `path`. Returns the number of functions that got lines: 0 if the module has debug information. Skips a function
 * whose text has another number of instructions. Linear in the text. */
size_t cn_ir_lines_add(LLVMModuleRef module, const cn_texts *lines, const char *path);

#endif
