/* SPDX-License-Identifier: Apache-2.0
 *
 * References that are listed while a call uses them. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_LIVE_OPERANDS_H
#define CN_COMPILE_REWRITE_LIVE_OPERANDS_H

#include "compile/core/pass.h"

struct cn_judge;

/* Mark the calls of `function` whose references are to be listed, though they die there. */
void cn_live_operands_mark(struct cn_ctx *ctx, LLVMValueRef function);
/* Report what cannot be listed. */
void cn_live_operands_refuse(struct cn_judge *judge, LLVMValueRef call);

#endif
