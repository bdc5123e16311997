/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoint-free paths to the returns of a function. Private to src/compile.
 */
#ifndef CN_COMPILE_COST_UNPOLLED_RETURNS_H
#define CN_COMPILE_COST_UNPOLLED_RETURNS_H

#include "compile/cost/cost.h"

/* The search for such paths. */
struct cn_unpolled_returns {
  const struct cn_cfg *cfg;
  const struct cn_work_summaries *known;
  /* True if an instruction ends a path, as a safepoint does. May be null. */
  bool (*ends)(const void *env, uint32_t block, LLVMValueRef instruction);
  const void *env;
  bool caught;   /* follow exceptions, too */
  bool *returns; /* by block: true if such a path leads from its start */
};

/* Find `returns`; the other fields are set. */
void cn_unpolled_returns_find(struct cn_unpolled_returns *ways);
void cn_unpolled_returns_free(struct cn_unpolled_returns *ways);
/* True if each path from `instruction` on ends in block `b`. */
bool cn_unpolled_path_ends_in_block(const struct cn_unpolled_returns *ways, uint32_t b, LLVMValueRef instruction);
/* True if such a path leads on from the end of block `b`. */
bool cn_unpolled_return_after_block(const struct cn_unpolled_returns *ways, uint32_t b);
/* True if such a path leads on from `call` in block `b`, after it has returned. */
bool cn_unpolled_return_after_call(const struct cn_unpolled_returns *ways, uint32_t b, LLVMValueRef call);

#endif
