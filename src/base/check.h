/* SPDX-License-Identifier: Apache-2.0
 *
 * The one family of checks. A failed check always means a defect of Cairn rather than of its input: it prints
 * expression, file and line, allocates nothing, and aborts. There are two levels:
 *
 *   CN_CHECK   in every build: cheap conditions whose violation would cause wrong code or lose a root
 *   CN_ASSERT  in debug, sanitizer and fuzzing builds, which leave NDEBUG undefined: preconditions on hot paths, and
 *              whole structures
 *
 * A validator, such as `const char *cn_cfg_wrong(...)`, checks a whole structure in linear time, and returns the first
 * fault or null. Functions that change a structure call its validator at entry and exit by CN_ASSERT_VALID; tests call
 * validators in every build.
 */
#ifndef CN_BASE_CHECK_H
#define CN_BASE_CHECK_H

#include <stddef.h>

_Noreturn void cn_abort_failed_check(const char *expression, const char *file, int line);

#define CN_CHECK(expression) ((expression) ? (void)0 : cn_abort_failed_check(#expression, __FILE_NAME__, __LINE__))
#ifndef __FILE_NAME__
#define __FILE_NAME__ __FILE__
#endif

#ifdef NDEBUG
#define CN_ASSERT(expression) ((void)sizeof((expression) ? 1 : 0)) /* unevaluated */
#else
#define CN_ASSERT(expression) CN_CHECK(expression)
#endif

/* `wrong` is a call of a validator; a failure prints the validator's message in place of the expression. */
#define CN_ASSERT_VALID(wrong) CN_ASSERT(cn_check_valid((wrong), __FILE_NAME__, __LINE__))
static inline int cn_check_valid(const char *wrong, const char *file, int line)
{
  if (wrong)
    cn_abort_failed_check(wrong, file, line);
  return 1;
}

#define CN_UNREACHABLE() cn_abort_failed_check("unreachable", __FILE_NAME__, __LINE__)

/* Memory of the tools: exhaustion ends the process with a message and status 1. The runtime has its own memory
 * functions. */
void *cn_alloc(size_t bytes); /* zeroed */
void *cn_realloc(void *old, size_t bytes);
char *cn_strdup(const char *string);
char *cn_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
