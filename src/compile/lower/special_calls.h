/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that must be replaced by other calls before they can be safepoints. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_SPECIAL_CALLS_H
#define CN_COMPILE_LOWER_SPECIAL_CALLS_H

#include "compile/core/pass.h"

/* Report an error if the parse point `call` must be replaced by an ordinary call but has an unsupported form. */
void cn_special_refuse_call(struct cn_ctx *ctx, LLVMValueRef call);

/* Replace the guards, deoptimisations and element-wise atomic copies of a function by ordinary calls, except those that
 * cn_special_refuse_call() reports. */
void cn_special_lower_intrinsics(struct cn_ctx *ctx, LLVMValueRef function);

/* Replace the calls of variadic callees in a function by calls of internal functions that make the variadic calls. */
void cn_special_lower_variadic(struct cn_ctx *ctx, LLVMValueRef function);

#endif
