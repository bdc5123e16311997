/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and thunks for calls of managed code to functions that may be native. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_THUNK_H
#define CN_COMPILE_TRANSITIONS_THUNK_H

#include "compile/core/pass.h"

/* The callee is native or managed (ANY), or must be managed (BODY). A variadic thunk also says that vector registers
 * may hold arguments. */
enum cn_thunk { CN_THUNK_ANY_CALLEE, CN_THUNK_ANY_CALLEE_VARIADIC, CN_THUNK_BODY, CN_THUNK_BODY_VARIADIC };

/* The function that managed code calls for the external `target`: declared with `type`, defined in the module's inline
 * assembly unless this module defines a managed function of that name. */
LLVMValueRef cn_thunk_for(struct cn_ctx *ctx, LLVMValueRef target, LLVMTypeRef type, enum cn_thunk which);

/* Give the managed definition `function` the name that other units' managed code calls without a stub. */
LLVMValueRef cn_thunk_add_alias(struct cn_ctx *ctx, LLVMValueRef function);

/* Such a name for this unit alone, kept out of symbol tables. */
LLVMValueRef cn_thunk_add_label(struct cn_ctx *ctx, LLVMValueRef function);

/* Name `body` for calls of other units that must reach managed code: the body of the managed function `global`, or of
 * the one that it is an alias of. */
void cn_thunk_name_body(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef body);

/* Have the assembler add a relocation against the thread's mutator, its kind and its value as text, `at` bytes after
 * the start of `function`. */
void cn_thunk_add_relocation(struct cn_ctx *ctx, LLVMValueRef function, unsigned at, const char *relocation);

#endif
