/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls where a function is left. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_RETURN_POLLS_H
#define CN_COMPILE_PLACE_RETURN_POLLS_H

#include "compile/analysis/cfg.h"

/* Give calls in tail position their own return if they share one with blocks that return after other work. A poll
 * before the shared return then follows only other work. */
void cn_return_polls_part(struct cn_ctx *ctx, LLVMValueRef function);

/* The instruction of block `b` that a return poll stands before; null if the block does not return, or returns only the
 * results of tail calls. */
LLVMValueRef cn_return_polls_site(const struct cn_cfg *cfg, uint32_t b);

/* The call of `block` that becomes a jump, or null. */
LLVMValueRef cn_return_polls_tail_call(LLVMBasicBlockRef block);

#endif
