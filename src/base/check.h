/* SPDX-License-Identifier: Apache-2.0
 *
 * The one family of checks; on in every build. A failed check is a defect of Cairn, never of its
 * input: it prints expression and place, allocates nothing, and aborts.
 */
#ifndef CN_BASE_CHECK_H
#define CN_BASE_CHECK_H

#include <stddef.h>

_Noreturn void cn_check_failed(const char *expression, const char *file, int line);

#define CN_CHECK(expression) \
  ((expression) ? (void)0 : cn_check_failed(#expression, __FILE_NAME__, __LINE__))
#ifndef __FILE_NAME__
#define __FILE_NAME__ __FILE__
#endif

#define CN_UNREACHABLE() cn_check_failed("unreachable", __FILE_NAME__, __LINE__)

/* Memory of the tools: exhaustion ends the process with a message and status 1. The runtime does not
 * use these. */
void *cn_alloc(size_t bytes);                 /* zeroed */
void *cn_realloc(void *old, size_t bytes);
char *cn_strdup(const char *string);
char *cn_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
