/* SPDX-License-Identifier: Apache-2.0
 *
 * The one family of checks. A failed check is always a defect of Cairn rather than of its input: it prints expression,
 * file and line, allocates nothing, and aborts. Two levels:
 *
 *   CN_CHECK   in every build: conditions that, if they were passed over, would write wrong code or lose a root,
 *              and cost next to nothing
 *   CN_ASSERT  in debug, sanitizer and fuzzing builds, where NDEBUG is undefined: preconditions
 *              on hot paths, and whole structures
 *
 * A validator checks a whole structure, in linear time: `const char *cn_cfg_wrong(...)` returns the first fault in it,
 * or null. The steps that change the structure call it at entry and exit by CN_ASSERT_VALID; tests call it in every
 * build.
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

/* `wrong` is a call of a validator; its message stands in the place of the expression. */
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
