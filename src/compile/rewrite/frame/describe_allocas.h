/* SPDX-License-Identifier: Apache-2.0
 *
 * Locals in memory that hold references. Private to rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_FRAME_DESCRIBE_ALLOCAS_H
#define CN_COMPILE_REWRITE_FRAME_DESCRIBE_ALLOCAS_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"

/* The operands that describe the allocas of `function` to the collector (abi.def, "Described allocas"). */
struct cn_described_allocas {
  CN_VECTOR(LLVMValueRef) operands;
  /* Alloca of slots -> the number of its first words that the entry stores before any parse point, and that need no
   * zeroing. */
  struct cn_ptrmap stored;
};
/* Describe the allocas of `function` that hold references; zero them at entry, and make them escape. */
void cn_describe_allocas(struct cn_ctx *ctx, LLVMValueRef function, struct cn_described_allocas *out);

#endif
