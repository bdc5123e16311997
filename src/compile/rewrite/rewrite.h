/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of rewrite-statepoints that mark calls. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_REWRITE_H
#define CN_COMPILE_REWRITE_REWRITE_H

#include "compile/core/pass.h"

/* ---- live_operands.c ---- */

/* Mark the calls of `function` whose statepoints must list references that die at the call. */
void cn_live_operands_mark(struct cn_ctx *ctx, LLVMValueRef function);
/* True if the program asks that the statepoint of `call` lists the operands. */
bool cn_live_operands_wanted(struct cn_ctx *ctx, LLVMValueRef call);

/* ---- stationary_calls.c ---- */

/* Give calls of functions that check stores the class of parse points. Must run before the pass classifies any call. */
void cn_stationary_calls_set_recorded(struct cn_ctx *ctx);

#endif
