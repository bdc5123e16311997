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

/* The function that managed code calls for the external `target`, declared with `type`. The module's inline assembly
 * defines this function, unless the module defines a managed function `target`. */
LLVMValueRef cn_thunk_for(struct cn_ctx *ctx, LLVMValueRef target, LLVMTypeRef type, enum cn_thunk which);

/* Add the name that managed code of other units uses to call the managed definition `function` without a stub. */
LLVMValueRef cn_thunk_add_alias(struct cn_ctx *ctx, LLVMValueRef function);

/* Add a label for calls of `function` from managed code of this unit. Symbol tables lack the label. */
LLVMValueRef cn_thunk_add_label(struct cn_ctx *ctx, LLVMValueRef function);

/* Add the name for calls of other units that must reach managed code. `body` is the body of the managed function
 * `global`; if `global` is an alias, `body` belongs to the aliased function. */
void cn_thunk_name_body(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef body);

/* Add a relocation against the thread's mutator to the assembly, `at` bytes after the start of `function`. `relocation`
 * is the relocation's kind and value as text. */
void cn_thunk_add_relocation(struct cn_ctx *ctx, LLVMValueRef function, unsigned at, const char *relocation);

#endif
