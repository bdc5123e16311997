/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions with other signatures. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_RETYPE_H
#define CN_COMPILE_CORE_RETYPE_H

#include "compile/core/pass.h"

/* True if the function can get another type. False if addresses of its blocks are taken: they would change. */
bool cn_retype_possible(LLVMValueRef function);

/* Give `function` the type `type`, whose first parameters are its own or wider ones. Returns the new function; the old
 * one is deleted. Calls of the old type stay, and must be right by convention. */
LLVMValueRef cn_retype(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type);

#endif
