/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints messages and diagnostics on stderr and the version on stdout, for all drivers, at any time. For IR of other
 * front ends, diagnostics also show the forms in IR of words of managed C. Changes nothing. Owns the name of the tool,
 * which begins the messages.
 */
#include "driver/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <llvm/Config/llvm-config.h>

const char *cn_tool_name = "cairn";

static void print_message(const char *severity, const char *format, va_list args)
{
  fprintf(stderr, "%s: %s: ", cn_tool_name, severity);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
}

void cn_tool_error(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  print_message("error", format, args);
  va_end(args);
}

void cn_tool_warning(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  print_message("warning", format, args);
  va_end(args);
}

/* Print a source line with a path that an editor can open. Clang removes the part that a path shares with the working
 * directory: from /home/u/build, /home/u/src/a.c is src/a.c in the directory /home/u. */
static void print_source_line(const struct cairn_diagnostic *d)
{
  char here[4096];

  if (d->file[0] != '/' && d->directory && d->directory[0] == '/' && getcwd(here, sizeof here) &&
      strcmp(here, d->directory) != 0)
    fprintf(stderr, "%s%s", d->directory, d->directory[1] ? "/" : "");
  fprintf(stderr, "%s:%u:", d->file, d->line);
}

void cn_tool_print_diagnostic(void *env, const struct cairn_diagnostic *d)
{
  static const char *const words[] = {"error", "warning", "remark", "note"};

  if (d->file && d->line)
    print_source_line(d);
  else
    fprintf(stderr, "%s:", env ? (const char *)env : cn_tool_name);
  if (d->file && d->line && d->column)
    fprintf(stderr, "%u:", d->column);
  fputc(' ', stderr);
  fprintf(stderr, "%s: ", words[d->severity]);
  if (d->function)
    fprintf(stderr, "in function '%s': ", d->function);
  fprintf(stderr, "%s", d->message);
  if (d->rule)
    fprintf(stderr, " [%s]", d->rule);
  fputc('\n', stderr);
  for (size_t i = 0; i < d->path_count; i++)
    fprintf(stderr, "%s%s", i ? " -> " : "  path: ", d->path[i]);
  if (d->path_count)
    fputc('\n', stderr);
}

/* Words of managed C in messages, and the corresponding forms in IR (docs/frontends.md). */
static const struct {
  const char *word, *ir;
} ir_forms_of_words[] = {
    {"cairn_leaf", "attribute \"gc-leaf-function\" or nocallback"},
    {"cairn_native", "attribute \"cairn-native\""},
    {"cairn_managed_function", "attribute \"cairn-managed\""},
    {"cairn_unmanaged", "a function without gc \"statepoint-example\""},
    {"cairn_nopoll", "attribute \"cairn-nopoll\""},
    {"cairn_new()", "a call of @cairn_alloc"},
    {"cairn_new_array()", "a call of @cairn_alloc_array"},
    {"cairn_new_flex()", "a call of @cairn_alloc_flex"},
    {"cairn_copy_in()", "a call of @cairn_copy_in"},
    {"cairn_copy_out()", "a call of @cairn_copy_out"},
};

static bool has_word(const char *text, const char *word)
{
  const char *at = strstr(text, word);
  char after = at ? at[strlen(word)] : 0;

  return at && after != '_' && after != '(';
}

void cn_tool_print_ir_diagnostic(const char *path, const struct cairn_diagnostic *d)
{
  cn_tool_print_diagnostic((void *)path, d);
  if (d->file && d->line && strcmp(d->file, path) != 0) /* a source of the front end */
    return;
  if (d->instruction)
    fprintf(stderr, "  instruction: %s%s%s\n", d->instruction, d->block ? ", in block " : "", d->block ? d->block : "");
  for (size_t i = 0; i < sizeof ir_forms_of_words / sizeof *ir_forms_of_words; i++)
    if (has_word(d->message, ir_forms_of_words[i].word))
      fprintf(stderr, "  in IR, %s is %s\n", ir_forms_of_words[i].word, ir_forms_of_words[i].ir);
}

void cn_tool_print_version(void)
{
  printf("cairn version %s (LLVM %s)\n", CAIRN_VERSION, LLVM_VERSION_STRING);
}
