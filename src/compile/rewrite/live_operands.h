/* SPDX-License-Identifier: Apache-2.0
 *
 * References that statepoints list because their call uses them. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_LIVE_OPERANDS_H
#define CN_COMPILE_REWRITE_LIVE_OPERANDS_H

#include "compile/core/pass.h"

/* Mark the calls of `function` whose statepoints must list references that die at the call. */
void cn_live_operands_mark(struct cn_ctx *ctx, LLVMValueRef function);
/* True if the program asks that the statepoint of `call` lists the operands. */
bool cn_live_operands_wanted(struct cn_ctx *ctx, LLVMValueRef call);

#endif
