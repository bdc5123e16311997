/* SPDX-License-Identifier: Apache-2.0
 *
 * The module's own poll. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_USER_POLL_H
#define CN_COMPILE_PLACE_USER_POLL_H

#include "compile/core/pass.h"

/* Set *poll to @gc.safepoint_poll, or to null if the module lacks it. False after an error. */
bool cn_user_poll_find(struct cn_ctx *ctx, LLVMValueRef *poll);

/* Insert a call of the poll before `at`, in the funclet of `pad` (may be null). */
void cn_user_poll_emit_call(struct cn_ctx *ctx, LLVMValueRef poll, LLVMValueRef at, LLVMValueRef pad);

/* Inline the calls of cn_user_poll_emit_call(), and no others. */
bool cn_user_poll_inline(struct cn_ctx *ctx, LLVMValueRef poll);

#endif
