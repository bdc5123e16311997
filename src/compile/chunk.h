/* SPDX-License-Identifier: Apache-2.0
 *
 * Strip-mining for polls. Private to src/compile.
 */
#ifndef CN_COMPILE_CHUNK_H
#define CN_COMPILE_CHUNK_H

#include "base/ptrmap.h"
#include "compile/pass.h"

/* Turn the simple counted loops of `function` that may do more than `small_work` into two nested
 * loops. The latches of the inner ones, which run for a bounded time, are added to `bounded`:
 * they need no poll. */
void cn_chunk_loops(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                    struct cn_ptrmap *bounded);

#endif
