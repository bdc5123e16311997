/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard that keeps code with safepoints from being linked without frame maps (base/guard.h).
 * Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_LINK_GUARD_H
#define CN_COMPILE_CORE_LINK_GUARD_H

#include "compile/core/pass.h"

/* Does any function call gc.statepoint? */
bool cn_guard_has_statepoints(struct cn_ctx *ctx);

/* Guard the module, once: the symbol that stands for the start of its frame maps. Null after an
 * error: the module has another use for the name. */
LLVMValueRef cn_guard_add(struct cn_ctx *ctx);

#endif
