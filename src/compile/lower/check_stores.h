/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of references through ordinary pointers. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_CHECK_STORES_H
#define CN_COMPILE_LOWER_CHECK_STORES_H

#include "compile/core/pass.h"

/* Before the optimiser: keep such stores what they are, one by one. */
void cn_check_stores_mark(struct cn_ctx *ctx, LLVMValueRef function);

#endif
