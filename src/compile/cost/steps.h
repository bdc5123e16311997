/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks after each step that changes the control flow of a function. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_STEPS_H
#define CN_COMPILE_COST_STEPS_H

#include "compile/core/pass.h"

/* The claims of a step about a loop that it made or changed. */
struct cn_step_loop_claim {
  LLVMBasicBlockRef header;
  LLVMBasicBlockRef latch; /* the only block with back edges to the header; null: unclaimed */
  LLVMBasicBlockRef outer; /* the header of the next enclosing loop; null: unclaimed */
  uint32_t blocks;         /* the number of blocks; 0: unclaimed */
  uint32_t exits;          /* the number of edges out of the loop; 0: unclaimed */
};

/* Report an error of rule "internal" if a claim is false before `step`, which relies on the claims. */
void cn_step_check_before(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                          const struct cn_step_loop_claim *loops, size_t count);

/* Report an error of rule "internal" if, after `step`, `function` is invalid IR or a claim about a loop is false. */
void cn_step_check_after(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                         const struct cn_step_loop_claim *loops, size_t count);

#endif
