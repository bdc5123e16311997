/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies loops. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_CLONE_H
#define CN_COMPILE_PLACE_LOOPS_CLONE_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* A copy of some blocks. */
struct cn_clone {
  struct cn_ctx *ctx;
  const LLVMBasicBlockRef *blocks;
  uint32_t count;
  struct cn_ptrmap in;     /* the blocks */
  struct cn_ptrmap copies; /* value, or block as a value -> its copy */
  LLVMBuilderRef builder;
  LLVMDIBuilderRef records;
};

/* The number of instructions of a copy of the loop; UINT32_MAX if the number exceeds `most`, or if the loop cannot be
 * copied. */
uint32_t cn_clone_size(const struct cn_loops *loops, uint32_t loop, uint32_t most);

/* Make empty copies of `blocks` before block `before`. */
void cn_clone_begin(struct cn_clone *clone, struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count,
                    LLVMBasicBlockRef before);
/* Let the copies of other instructions use `copy` instead of a copy of instruction `value`. */
void cn_clone_set_copy(struct cn_clone *clone, LLVMValueRef value, LLVMValueRef copy);
/* Fill the copies: operands become their copies, and the phis after the blocks get inputs from the copies. */
void cn_clone_fill(struct cn_clone *clone);
void cn_clone_end(struct cn_clone *clone);

/* The value that replaces `value` in the copy, or `value` itself if no copied block defines it. */
LLVMValueRef cn_clone_of(const struct cn_clone *clone, LLVMValueRef value);
LLVMBasicBlockRef cn_clone_of_block(const struct cn_clone *clone, LLVMBasicBlockRef block);
static inline bool cn_clone_has(const struct cn_clone *clone, LLVMBasicBlockRef block)
{
  return cn_ptrmap_find(&clone->in, block) != NULL;
}

#endif
