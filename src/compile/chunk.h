/* SPDX-License-Identifier: Apache-2.0
 *
 * Strip-mining for polls. Private to src/compile.
 */
#ifndef CN_COMPILE_CHUNK_H
#define CN_COMPILE_CHUNK_H

#include "compile/pass.h"

/* Turn the simple counted loops of `function` that do more than `small_work` into two nested loops, of which only the
 * outer one will poll. */
void cn_chunk_loops(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work);

#endif
