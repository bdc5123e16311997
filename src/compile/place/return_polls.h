/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls where a function is left. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_RETURN_POLLS_H
#define CN_COMPILE_PLACE_RETURN_POLLS_H

#include "compile/analysis/cfg.h"

/* Give calls in tail position a return of their own where they share one with blocks that return
 * after other work, so that a poll before that return is none behind them. */
void cn_return_polls_part(struct cn_ctx *ctx, LLVMValueRef function);

/* The instruction that a return poll goes before in block `b`, or null: it does not return, or
 * nothing but what tail calls return. */
LLVMValueRef cn_return_polls_site(const struct cn_cfg *cfg, uint32_t b);

/* The call of `block` that becomes a jump, or null. */
LLVMValueRef cn_return_polls_tail_call(LLVMBasicBlockRef block);

#endif
