/* SPDX-License-Identifier: Apache-2.0
 *
 * Callees of calls and statepoints. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_CALLEES_H
#define CN_COMPILE_TRANSITIONS_CALLEES_H

#include "compile/core/pass.h"
#include "compile/core/statepoint_attributes.h"

/* True if an argument has attribute `nest`, from the program or from the routing of the call. */
bool cn_call_target_uses_nest(const struct cn_call_target *site);

/* True if the call passes or returns a reference that would be stale if the thread waits for a collection at its return
 * from native code. False if the program says that its callees collect while they use their arguments
 * (live_operands.c). */
bool cn_call_target_passes_reference(struct cn_ctx *ctx, const struct cn_call_target *site);

/* True if `callee` is a stub of the runtime, or a thunk or bridge to a stub. */
bool cn_target_is_stub(LLVMValueRef callee);
/* True if the global has internal or private linkage. */
bool cn_target_is_local(LLVMValueRef global);
/* The managed function that a direct call surely reaches, or null. */
LLVMValueRef cn_target_managed_function(LLVMValueRef callee);
/* True if `callee` is surely native: declared as native, or a final native definition of this unit. */
bool cn_target_is_native(LLVMValueRef callee);
/* True if the declaration of `callee` says that it is managed. */
bool cn_target_is_declared_managed(LLVMValueRef callee);
/* True if an attribute of the call says that its callee is managed. */
bool cn_target_is_promised_managed(LLVMValueRef call);

/* The runtime's stub `name`, which is declared at the first use. */
LLVMValueRef cn_declare_stub(struct cn_ctx *ctx, const char *name);

/* bridges.c: functions between managed code and native callees of other conventions than C's. */

/* The native function of the C convention that makes the call for the arguments of `site`, followed by the target. */
LLVMValueRef cn_bridge_native_for(struct cn_ctx *ctx, const struct cn_call_target *site);
/* The managed function with the convention of `site` that takes the target as `nest` and makes the call through
 * cn_bridge_native_for(). */
LLVMValueRef cn_bridge_managed_for(struct cn_ctx *ctx, const struct cn_call_target *site);

/* short_calls.c: calls of native functions through the short stub, whose caller saves the registers. */

/* Route the call of a native function through the short stub. False, with the call unchanged, if the call cannot be
 * shortened.
 */
bool cn_shorten_call(struct cn_ctx *ctx, const struct cn_call_target *site);

#endif
