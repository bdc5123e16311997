/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of loops. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_CLONE_H
#define CN_COMPILE_PLACE_LOOPS_CLONE_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* One copy of some blocks. */
struct cn_clone {
  struct cn_ctx *ctx;
  const LLVMBasicBlockRef *blocks;
  uint32_t count;
  struct cn_ptrmap in;     /* the blocks */
  struct cn_ptrmap copies; /* values, and blocks as values, to their copies */
  LLVMBuilderRef builder;
  LLVMDIBuilderRef records;
};

/* Can a loop with `i` in it be copied? Of calls only intrinsics can. */
bool cn_clone_can(LLVMValueRef i);
/* How many instructions a copy of the loop has, UINT32_MAX if there can be none or they are more
 * than `most`. */
uint32_t cn_clone_size(const struct cn_loops *loops, uint32_t loop, uint32_t most);

/* Make empty copies of `blocks` before block `before`. */
void cn_clone_begin(struct cn_clone *clone, struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count,
                    LLVMBasicBlockRef before);
/* Give instruction `value` no copy: the copies of others use `copy` for it. */
void cn_clone_give(struct cn_clone *clone, LLVMValueRef value, LLVMValueRef copy);
/* Fill them. The copies use copies; they feed the phis after the blocks, too. */
void cn_clone_fill(struct cn_clone *clone);
void cn_clone_end(struct cn_clone *clone);

/* What stands for `value` in the copy: itself, if it is from outside. */
LLVMValueRef cn_clone_of(const struct cn_clone *clone, LLVMValueRef value);
LLVMBasicBlockRef cn_clone_of_block(const struct cn_clone *clone, LLVMBasicBlockRef block);
static inline bool cn_clone_has(const struct cn_clone *clone, LLVMBasicBlockRef block)
{
  return cn_ptrmap_find(&clone->in, block) != NULL;
}

#endif
