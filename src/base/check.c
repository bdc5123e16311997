/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends the process with a message at a failed check, and when the tools' memory is exhausted. Any thread; no state.
 */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_message(const char *text)
{
  if (syscall(SYS_write, STDERR_FILENO, text, strlen(text)) < 0) /* syscall(): write() is a cancellation point */
    return;
}

_Noreturn void cn_abort_failed_check(const char *expression, const char *file, int line)
{
  char digits[12];
  char *p = digits + sizeof digits - 1;

  *p = 0;
  do
    *--p = (char)('0' + line % 10);
  while ((line /= 10) > 0);
  write_message("cairn: internal check failed: ");
  write_message(expression);
  write_message(" at ");
  write_message(file);
  write_message(":");
  write_message(p);
  write_message("\n");
  abort();
}

/* Exhausted memory is no defect of Cairn: every tool ends with a message and status 1. */
static void *exit_if_null(void *memory)
{
  if (!memory) {
    write_message("cairn: error: out of memory\n");
    _exit(1);
  }
  return memory;
}

void *cn_alloc(size_t bytes)
{
  return exit_if_null(calloc(1, bytes ? bytes : 1));
}

void *cn_realloc(void *old, size_t bytes)
{
  return exit_if_null(realloc(old, bytes ? bytes : 1));
}

char *cn_strdup(const char *string)
{
  size_t size = strlen(string) + 1;

  return memcpy(cn_alloc(size), string, size);
}

char *cn_format(const char *format, ...)
{
  va_list args;
  char *text;

  va_start(args, format);
  if (vasprintf(&text, format, args) < 0)
    text = NULL;
  va_end(args);
  return exit_if_null(text);
}
