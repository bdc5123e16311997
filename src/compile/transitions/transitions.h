/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries, thunks and wrappers between managed and native code. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_TRANSITIONS_H
#define CN_COMPILE_TRANSITIONS_TRANSITIONS_H

#include "compile/core/convention.h"
#include "compile/core/pass.h"

/* ---- call_targets.c: calls whose target is known only at run time ---- */

/* Route the calls of a function whose statepoints are final. */
void cn_route_pointer_calls_in(struct cn_ctx *ctx, LLVMValueRef function);

/* tail_frames.c: make a frame findable if its callees may move their return address. */
void cn_tail_frames_fix(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- entries.c: entries of managed functions for native callers ---- */

/* Add an entry to each managed definition that native code can reach, and redirect calls in managed code to the
 * bodies. */
void cn_entries_add(struct cn_ctx *ctx);

/* True if the function already has an entry. */
bool cn_entries_has_entry(LLVMValueRef function);

/* ---- result_wrappers.c: calls whose result a statepoint cannot return ---- */

/* Move each parse point whose result a statepoint cannot return into a new native function. */
void cn_result_wrappers_build(struct cn_ctx *ctx);

/* The index of the callee among the arguments of the native function. */
enum { CN_RESULT_CALLEE_ARGUMENT = 1 };

/* True if `function` is one of these native functions and passes on references. The thread stays managed in
 * `function`. */
bool cn_result_wrapper_passes_refs(LLVMValueRef function);

/* ---- thunk.c: names and thunks for calls of managed code to functions that may be native ---- */

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

/* Add the relocations of the function's entry to the assembly. */
void cn_thunk_add_relocations(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_entry_code *entry);

#endif
