/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of references through ordinary pointers. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_CHECK_STORES_H
#define CN_COMPILE_LOWER_CHECK_STORES_H

#include "compile/core/pass.h"

/* Mark the stores of references through ordinary pointers in `function`, so that the optimiser keeps these stores
 * separate. */
void cn_mark_unproved_stores(struct cn_ctx *ctx, LLVMValueRef function);

#endif
