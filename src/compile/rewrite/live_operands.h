/* SPDX-License-Identifier: Apache-2.0
 *
 * References that are listed while a call uses them. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_LIVE_OPERANDS_H
#define CN_COMPILE_REWRITE_LIVE_OPERANDS_H

#include "compile/core/pass.h"

/* Mark the calls of `function` whose references are to be listed, though they die there. */
void cn_live_operands_mark(struct cn_ctx *ctx, LLVMValueRef function);
/* True if the program asks that the operands of `call` are listed. */
bool cn_live_operands_wanted(struct cn_ctx *ctx, LLVMValueRef call);

#endif
