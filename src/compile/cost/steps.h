/* SPDX-License-Identifier: Apache-2.0
 *
 * What is looked at after each step that changes the control flow of a function. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_COST_STEPS_H
#define CN_COMPILE_COST_STEPS_H

#include "compile/core/pass.h"

/* What a step says of a loop that it made or changed. */
struct cn_step_loop {
  LLVMBasicBlockRef header;
  LLVMBasicBlockRef latch; /* the only block with back edges to the header; null: not said */
  LLVMBasicBlockRef outer; /* the header of the next loop round it; null: not said */
  uint32_t blocks;         /* how many it has; 0: not said */
  uint32_t exits;          /* how many edges lead out of it; 0: not said */
};

/* Before step `step`, which relies on it: an error, "internal", if a loop is not as it is said to
 * be. */
void cn_step_expect(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                    const struct cn_step_loop *loops, size_t count);

/* Step `step` is done with `function`: an error, "internal", if it is no valid IR, or if a loop is
 * not as it is said to be. */
void cn_step_done(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                  const struct cn_step_loop *loops, size_t count);

#endif
