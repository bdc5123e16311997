/* SPDX-License-Identifier: Apache-2.0
 *
 * Why code takes long. Private to verify_time*.c.
 */
#ifndef CN_COMPILE_VERIFY_TIME_TIME_TO_SAFEPOINT_H
#define CN_COMPILE_VERIFY_TIME_TIME_TO_SAFEPOINT_H

#include "base/vector.h"
#include "compile/cost/cost.h"

struct cn_causes {
  uint64_t limit;                        /* what takes no longer is no cause */
  CN_VECTOR(struct cairn_time_cause) at; /* their `where` and `why` are owned */
};

/* `at` is an instruction or a function; `where` and `why` become the list's. */
void cn_causes_add(struct cn_causes *causes, const char *kind, LLVMValueRef at, char *where,
                   char *why, uint64_t work);
void cn_causes_free(struct cn_causes *causes);

/* Cycles and calls that take longer than the limit (causes.c). */
void cn_causes_find(struct cn_causes *causes, const struct cn_work *work);

#endif
