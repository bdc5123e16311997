/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares modules for a loader that registers images itself (src/jit).
 */
#ifndef CN_COMPILE_IN_MEMORY_H
#define CN_COMPILE_IN_MEMORY_H

#include <llvm-c/Types.h>

/* Like cairn_compile_in_memory(), without the two functions: gives the module's images the names PREFIX0, PREFIX1, ...,
 * as symbols that the loader finds. The prefix must be unused in the module. */
void cn_compile_expose_images(LLVMModuleRef module, const char *prefix);

#endif
