/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions between managed code and native callees of other conventions than C's. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_BRIDGES_H
#define CN_COMPILE_TRANSITIONS_BRIDGES_H

#include "compile/transitions/callees.h"

/* A native function of the C convention that takes the arguments of `site` and then the target, and makes the call. */
LLVMValueRef cn_bridge_native(struct cn_ctx *ctx, const struct cn_call_target *site);
/* A managed function of the site's convention that takes the target as `nest` and makes the call through
 * cn_bridge_native(). */
LLVMValueRef cn_bridge_managed(struct cn_ctx *ctx, const struct cn_call_target *site);

#endif
