/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the report of -fcairn-report: the passes' remarks on a unit, by function (docs/placement.md, "What did it
 * do?"). Adds each unit after its compilation. Owns the report of all units of a command, and writes it to a file or
 * stderr at the end of the command.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/cc/units.h"
#include "driver/tool.h"

/* The report of the driver's single command. */
static struct {
  char *text;
  size_t size;
  FILE *out;
} report_buffer;

static bool is_about_function(const struct cairn_diagnostic *d, const char *function)
{
  return d->function && function ? strcmp(d->function, function) == 0 : d->function == function;
}

static bool has_rule(const struct cairn_diagnostic *d, const char *rule)
{
  return d->rule && strcmp(d->rule, rule) == 0;
}

static void print_source_place(const struct cairn_diagnostic *d)
{
  CN_ASSERT(d->file && d->line);
  fprintf(report_buffer.out, "%s:%u", d->file, d->line);
  if (d->column)
    fprintf(report_buffer.out, ":%u", d->column);
}

/* Print a function's heading and its remarks; for null, the module's remarks. */
static void print_function_remarks(const struct cairn_diagnostics *said, const char *function)
{
  for (size_t i = 0; i < said->count; i++) {
    const struct cairn_diagnostic *d = &said->at[i];
    if (!is_about_function(d, function) || has_rule(d, "safepoints"))
      continue;
    fputs("    ", report_buffer.out);
    if (d->file && d->line) {
      print_source_place(d);
      fputs(": ", report_buffer.out);
    }
    fprintf(report_buffer.out, "%s%s [%s]\n", d->severity == CAIRN_ERROR ? "error: " : "", d->message,
            d->rule ? d->rule : "");
  }
}

static size_t print_functions(const struct cairn_diagnostics *said)
{
  size_t count = 0;

  for (size_t i = 0; i < said->count; i++) {
    const struct cairn_diagnostic *d = &said->at[i];
    if (!has_rule(d, "safepoints"))
      continue;
    CN_CHECK(d->function != NULL); /* the remark is on a function */
    count++;
    fprintf(report_buffer.out, "  %s", d->function);
    if (d->file && d->line) {
      fputs(" (", report_buffer.out);
      print_source_place(d);
      fputc(')', report_buffer.out);
    }
    fprintf(report_buffer.out, ": %s\n", d->message);
    print_function_remarks(said, d->function);
  }
  return count;
}

static bool is_in_diagnostics(const struct cairn_diagnostics *said, size_t count, const char *function,
                              const char *rule)
{
  for (size_t i = 0; i < count; i++)
    if (is_about_function(&said->at[i], function) && (!rule || has_rule(&said->at[i], rule)))
      return true;
  return false;
}

/* Print functions that the finished module lacks, because they were inlined everywhere, or because their unit was
 * refused. */
static void print_missing_functions(const struct cairn_diagnostics *said)
{
  for (size_t i = 0; i < said->count; i++) {
    const char *function = said->at[i].function;
    if (!function || is_in_diagnostics(said, said->count, function, "safepoints") ||
        is_in_diagnostics(said, i, function, NULL))
      continue;
    fprintf(report_buffer.out, "  %s (not in the output):\n", function);
    print_function_remarks(said, function);
  }
}

void cn_function_report_add_unit(const char *input, const struct cairn_diagnostics *said)
{
  if (!report_buffer.out)
    report_buffer.out = open_memstream(&report_buffer.text, &report_buffer.size);
  CN_CHECK(report_buffer.out && input);
  fprintf(report_buffer.out, "%s:\n", input);
  print_function_remarks(said, NULL);
  if (print_functions(said) == 0)
    fputs("  no managed function\n", report_buffer.out);
  print_missing_functions(said);
}

bool cn_function_report_write(const char *path)
{
  bool ok = true;

  if (report_buffer.out) {
    CN_CHECK(fclose(report_buffer.out) == 0 && report_buffer.text != NULL);
    if (path)
      ok = cn_output_write(path, report_buffer.text, report_buffer.size);
    else
      fputs(report_buffer.text, stderr);
    free(report_buffer.text);
    report_buffer.out = NULL;
  }
  return ok;
}
