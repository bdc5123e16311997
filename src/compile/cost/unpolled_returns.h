/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways to the returns of a function on which there is no safepoint.
 */
#ifndef CN_COMPILE_COST_UNPOLLED_RETURNS_H
#define CN_COMPILE_COST_UNPOLLED_RETURNS_H

#include "compile/cost/cost.h"

/* Ways to the returns of a function without a safepoint (unpolled_returns.c). */
struct cn_unpolled_returns {
  const struct cn_cfg *cfg;
  const struct cn_work_known *known;
  /* An instruction that ends a way as a safepoint does; may be null. */
  bool (*ends)(const void *env, uint32_t block, LLVMValueRef instruction);
  const void *env;
  bool caught;   /* follow exceptions, too */
  bool *returns; /* by block: is there one from its start? */
};

/* Finds `returns`, when the rest is set. */
void cn_unpolled_returns_find(struct cn_unpolled_returns *ways);
void cn_unpolled_returns_free(struct cn_unpolled_returns *ways);
/* Does each way end in block `b`, from `instruction` on? */
bool cn_unpolled_returns_stop(const struct cn_unpolled_returns *ways, uint32_t b,
                              LLVMValueRef instruction);
/* Is there a way from the end of block `b`, */
bool cn_unpolled_returns_after(const struct cn_unpolled_returns *ways, uint32_t b);
/* and from behind `call` in it, which has returned? */
bool cn_unpolled_returns_from(const struct cn_unpolled_returns *ways, uint32_t b,
                              LLVMValueRef call);

#endif
