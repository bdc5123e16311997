/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls and statepoints call. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_CALLEES_H
#define CN_COMPILE_TRANSITIONS_CALLEES_H

#include "compile/core/pass.h"
#include "compile/core/statepoint_attributes.h"

/* Does an argument have attribute `nest`: the program's own, or that of a call that was routed? */
bool cn_call_target_uses_nest(const struct cn_call_target *site);

/* Is the callee given a reference that a collector would have to find, or does it return one? That
 * would be stale if the thread waits for a collection on its way back. Not if the program says that
 * its callees collect while they use what they were given (live_operands.c). */
bool cn_call_target_has_reference(struct cn_ctx *ctx, const struct cn_call_target *site);

/* Is `callee` a stub of the runtime, or a thunk or bridge to one? */
bool cn_target_is_stub(LLVMValueRef callee);
/* Do other units not see the global? */
bool cn_target_is_local(LLVMValueRef global);
/* The managed function that a direct call reaches for certain, or null. */
LLVMValueRef cn_target_managed(LLVMValueRef callee);
/* Is `callee` native for certain: declared so, or defined here and not replaceable? */
bool cn_target_is_native(LLVMValueRef callee);
/* Does its declaration say that it is managed? */
bool cn_target_is_declared_managed(LLVMValueRef callee);
/* Does the site promise that its callee is managed? */
bool cn_target_is_promised(LLVMValueRef call);

/* The stub `name` of the runtime, declared if it is not yet. */
LLVMValueRef cn_stub(struct cn_ctx *ctx, const char *name);

#endif
