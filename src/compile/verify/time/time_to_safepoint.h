/* SPDX-License-Identifier: Apache-2.0
 *
 * Causes of long times. Private to this folder.
 */
#ifndef CN_COMPILE_VERIFY_TIME_TIME_TO_SAFEPOINT_H
#define CN_COMPILE_VERIFY_TIME_TIME_TO_SAFEPOINT_H

#include "base/vector.h"
#include "compile/cost/cost.h"

struct cn_time_causes {
  uint64_t limit;                        /* a cause takes longer than the limit */
  CN_VECTOR(struct cairn_time_cause) at; /* the list owns `where` and `why` of each cause */
};

/* Add a cause at `at`, an instruction or a function. The list takes ownership of `where`, which may be null, and of
 * `why`. */
void cn_causes_add(struct cn_time_causes *causes, const char *kind, LLVMValueRef at, char *where, char *why,
                   uint64_t work);
void cn_causes_free(struct cn_time_causes *causes);

/* Find the cycles and calls that take longer than the limit (causes.c). */
void cn_causes_find(struct cn_time_causes *causes, const struct cn_function_work *work);

#endif
