/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoint-free paths to the returns of a function. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_UNPOLLED_RETURNS_H
#define CN_COMPILE_COST_UNPOLLED_RETURNS_H

#include "compile/cost/cost.h"

/* A search for safepoint-free paths to returns. */
struct cn_unpolled_returns {
  const struct cn_cfg *cfg;
  const struct cn_work_summaries *known;
  /* True if the instruction ends a path like a safepoint. The pointer may be null. */
  bool (*ends)(const void *env, uint32_t block, LLVMValueRef instruction);
  const void *env;
  bool caught;   /* the search also follows exceptions */
  bool *returns; /* per block: a safepoint-free path leads from its start to a return */
};

/* Compute `returns` from the other fields. */
void cn_unpolled_returns_find(struct cn_unpolled_returns *ways);
void cn_unpolled_returns_free(struct cn_unpolled_returns *ways);
/* True if a safepoint-free path leads from the return of `call`, in block `b`, to a return of the function. */
bool cn_unpolled_return_after_call(const struct cn_unpolled_returns *ways, uint32_t b, LLVMValueRef call);

#endif
