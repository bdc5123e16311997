/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls where a function is left. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_RETURN_POLLS_H
#define CN_COMPILE_PLACE_RETURN_POLLS_H

#include "compile/analysis/cfg.h"

/* Give calls in tail position a return of their own where they share one with blocks that return
 * after other work: a poll before that return then follows no tail call. */
void cn_return_polls_part(struct cn_ctx *ctx, LLVMValueRef function);

/* The instruction of block `b` before which a return poll goes; null if the block does not return,
 * or returns the results of tail calls alone. */
LLVMValueRef cn_return_polls_site(const struct cn_cfg *cfg, uint32_t b);

/* The call of `block` that becomes a jump, or null. */
LLVMValueRef cn_return_polls_tail_call(LLVMBasicBlockRef block);

#endif
