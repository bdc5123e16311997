/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and thunks through which managed code calls functions that may be native. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_THUNK_H
#define CN_COMPILE_TRANSITIONS_THUNK_H

#include "compile/core/pass.h"

/* The function through which managed code calls the external `target`: declared with `type`,
 * defined in the module's inline assembly unless this module defines a managed function of that
 * name. A variadic one also says that vector registers may hold arguments. */
LLVMValueRef cn_thunk_for(struct cn_ctx *ctx, LLVMValueRef target, LLVMTypeRef type, bool variadic);

/* Give the managed definition `function` the name by which other units' managed code calls it
 * without a stub. */
LLVMValueRef cn_thunk_alias(struct cn_ctx *ctx, LLVMValueRef function);

/* Such a name for this unit alone, which no symbol table has. */
LLVMValueRef cn_thunk_label(struct cn_ctx *ctx, LLVMValueRef function);

/* Have the assembler add a relocation against the thread's mutator, its kind and its value as text,
 * so many bytes after the start of `function`. */
void cn_thunk_relocate(struct cn_ctx *ctx, LLVMValueRef function, unsigned at,
                       const char *relocation);

#endif
