/* SPDX-License-Identifier: Apache-2.0
 *
 * Callees of calls and statepoints. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_CALLEES_H
#define CN_COMPILE_TRANSITIONS_CALLEES_H

#include "compile/core/pass.h"
#include "compile/core/statepoint_attributes.h"

/* True if an argument has attribute `nest`: the program's own, or that of a call that was routed. */
bool cn_call_target_uses_nest(const struct cn_call_target *site);

/* True if the call passes or returns a reference that a collector would have to find: the reference would be stale if
 * the thread waits for a collection on its way back. False if the program says that its callees collect while they use
 * their arguments (live_operands.c). */
bool cn_call_target_passes_reference(struct cn_ctx *ctx, const struct cn_call_target *site);

/* True if `callee` is a stub of the runtime, or a thunk or bridge to one. */
bool cn_target_is_stub(LLVMValueRef callee);
/* True if only this unit sees the global. */
bool cn_target_is_local(LLVMValueRef global);
/* The managed function that a direct call reaches for certain, or null. */
LLVMValueRef cn_target_managed_function(LLVMValueRef callee);
/* True if `callee` is native for certain: declared so, or a final definition here. */
bool cn_target_is_native(LLVMValueRef callee);
/* True if the callee's declaration says that it is managed. */
bool cn_target_is_declared_managed(LLVMValueRef callee);
/* True if the site promises that its callee is managed. */
bool cn_target_is_promised_managed(LLVMValueRef call);

/* The stub `name` of the runtime; declares it on first use. */
LLVMValueRef cn_declare_stub(struct cn_ctx *ctx, const char *name);

/* bridges.c: functions between managed code and native callees of other conventions than C's. */

/* A native function of the C convention that takes the arguments of `site` and then the target, and makes the call. */
LLVMValueRef cn_bridge_native_for(struct cn_ctx *ctx, const struct cn_call_target *site);
/* A managed function of the site's convention that takes the target as `nest` and makes the call through
 * cn_bridge_native_for(). */
LLVMValueRef cn_bridge_managed_for(struct cn_ctx *ctx, const struct cn_call_target *site);

/* short_calls.c: calls of native functions through the short stub, which leaves saving registers to the caller. */

/* Route the call, of a native function, through the short stub. False, with the call unchanged, if that is impossible.
 */
bool cn_shorten_call(struct cn_ctx *ctx, const struct cn_call_target *site);

#endif
