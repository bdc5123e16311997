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
  struct cn_ptrmap copies; /* values, and blocks as values, to their copies */
  LLVMBuilderRef builder;
  LLVMDIBuilderRef records;
};

/* True if a loop with `i` in it can be copied. Of calls only intrinsics can. */
bool cn_clone_may_copy(LLVMValueRef i);
/* The number of instructions that a copy of the loop has; UINT32_MAX if it is more than `most`, or the loop cannot be
 * copied. */
uint32_t cn_clone_size(const struct cn_loops *loops, uint32_t loop, uint32_t most);

/* Make empty copies of `blocks` before block `before`. */
void cn_clone_begin(struct cn_clone *clone, struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count,
                    LLVMBasicBlockRef before);
/* Use `copy` for instruction `value` in the copies of others, instead of copying `value`. */
void cn_clone_set_copy(struct cn_clone *clone, LLVMValueRef value, LLVMValueRef copy);
/* Fill the copies. They use each other, and feed the phis after the blocks, too. */
void cn_clone_fill(struct cn_clone *clone);
void cn_clone_end(struct cn_clone *clone);

/* The value that replaces `value` in the copy: `value` itself if it is from outside. */
LLVMValueRef cn_clone_of(const struct cn_clone *clone, LLVMValueRef value);
LLVMBasicBlockRef cn_clone_of_block(const struct cn_clone *clone, LLVMBasicBlockRef block);
static inline bool cn_clone_has(const struct cn_clone *clone, LLVMBasicBlockRef block)
{
  return cn_ptrmap_find(&clone->in, block) != NULL;
}

#endif
