/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints lines of backtraces: for each activation a line for each function inlined at its pc, then a line for the
 * function. Names and places come from the manager of a region, else from the details of a safepoint
 * (safepoint_details.c, under CN_LOCK_IMAGES), which a stripped program keeps, else from the symbol table or from the
 * code's loader (runtime/code/names.h). Runs on any thread, in any phase; async-signal-safe, since each call has its
 * own buffer of fixed size. The file has no state.
 */
#include "runtime/debug/backtrace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/code/names.h"
#include "runtime/core/hooks.h"
#include "runtime/os/os.h"
#include "runtime/walk/marked_returns.h"

/* Longer texts are truncated, because the stack of a signal handler may be small. */
enum { NAME_BUFFER_BYTES = 256, LINE_BUFFER_BYTES = 1024 };

struct backtrace_line {
  int file;
  uint64_t number;
  uintptr_t pc;
  char text[LINE_BUFFER_BYTES];
  size_t used;
};

__attribute__((format(printf, 2, 3))) static void append_text(struct backtrace_line *line, const char *format, ...)
{
  size_t room = sizeof line->text - 1 - line->used;
  va_list args;

  va_start(args, format);
  int n = vsnprintf(line->text + line->used, room, format, args);
  va_end(args);
  if (n > 0)
    line->used += (size_t)n < room ? (size_t)n : room - 1;
}

static void begin_line(struct backtrace_line *line)
{
  line->used = 0;
  append_text(line, "#%-2lu 0x%016lx in ", (unsigned long)line->number, (unsigned long)line->pc);
}

/* Writes the line by a single system call, so that lines of several processes stay whole. */
static void write_line(struct backtrace_line *line)
{
  CN_CHECK(line->used < sizeof line->text);
  line->text[line->used++] = '\n';
  for (size_t done = 0; done < line->used;) {
    ssize_t n = cn_os_file_write(line->file, line->text + done, line->used - done);
    if (n <= 0)
      return;
    done += (size_t)n;
  }
}

void cn_backtrace_print_note(int file, const char *format, ...)
{
  struct backtrace_line line = {.file = file};
  char text[NAME_BUFFER_BYTES];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  line.used = 0;
  append_text(&line, "     ... %s", text);
  write_line(&line);
}

/* Looks up the byte before a return address, because this byte belongs to the call; the byte at the return address may
 * be in another function. */
static void append_symbol(struct backtrace_line *line, bool interrupted)
{
  static const char from[] = " from ";
  char name[NAME_BUFFER_BYTES];
  uintptr_t call = line->pc - !interrupted;

  if (cn_code_describe(call, name, sizeof name)) {
    char *plus = strrchr(name, '+');
    unsigned long offset = plus ? strtoul(plus + 1, NULL, 16) + !interrupted : 0;
    if (plus != NULL)
      *plus = 0;
    append_text(line, "%s+0x%lx", name, offset);
  } else {
    append_text(line, "??");
  }
  CN_CHECK(line->used < sizeof line->text);
  char *at = line->text + line->used;
  size_t room = sizeof line->text - 1 - line->used;
  if (room > sizeof from && cn_code_find_origin(call, at + sizeof from - 1, room - sizeof from + 1)) {
    memcpy(at, from, sizeof from - 1);
    line->used += strlen(at);
  }
}

static void append_source_place(struct backtrace_line *line, const char *file, uint32_t row, uint32_t column)
{
  append_text(line, " at %s", file);
  if (row != 0)
    append_text(line, ":%u", row);
  if (row != 0 && column != 0)
    append_text(line, ":%u", column);
}

/* Ends the lines of an activation's functions. */
static void append_mark(struct backtrace_line *line, const struct cn_walk *walk)
{
  uint64_t reason;

  if (walk == NULL || !cn_marked_return_is_in_frame(&walk->frame, &reason))
    return;
  const char *text = cn_hooks.mark_reason(walk->frame.map, reason);
  if (text != NULL)
    append_text(line, " (deoptimises on return: %s)", text);
  else
    append_text(line, " (deoptimises on return: reason %llu)", (unsigned long long)reason);
}

/* The frames of the language, by the records of the activation's call. */
static void print_language_lines(struct backtrace_line *line, const struct cn_walk *walk)
{
  char text[NAME_BUFFER_BYTES];

  for (uint32_t i = 0; walk != NULL && cn_hooks.language_frame(walk->frame.map, i, text, sizeof text); i++) {
    begin_line(line);
    append_text(line, "%s (by its record)", text);
    write_line(line);
  }
}

static bool print_source_lines(struct backtrace_line *line, const struct cn_walk *walk)
{
  struct cn_source_place source;
  uint32_t depths = 1;

  for (uint32_t i = 0; i < depths; i++) {
    if (!cn_safepoint_find_source(line->pc, i, &source, &depths))
      return false;
    begin_line(line);
    append_text(line, "%s", source.function);
    if (source.file != NULL)
      append_source_place(line, source.file, source.line, source.column);
    if (i + 1 < depths)
      append_text(line, " (inlined)");
    else
      append_mark(line, walk);
    write_line(line);
  }
  return true;
}

static void print_region_line(struct backtrace_line *line, const struct cn_walk *walk)
{
  const struct cn_code_region region = walk->frame.region;
  char text[NAME_BUFFER_BYTES];

  begin_line(line);
  cn_code_regions_enter_region(&region);
  if (region.manager->describe != NULL &&
      region.manager->describe(&walk->iterator, text, sizeof text, region.data) >= 0)
    append_text(line, "%s", text);
  else
    append_text(line, "%s", region.manager->name != NULL ? region.manager->name : "code region");
  cn_code_regions_leave_region();
  write_line(line);
}

void cn_backtrace_print_activation(int file, uint64_t number, uintptr_t pc, bool interrupted,
                                   const struct cn_walk *walk)
{
  struct backtrace_line line = {.file = file, .number = number, .pc = pc};

  if (walk != NULL && walk->frame.map == NULL) {
    print_region_line(&line, walk);
    return;
  }
  print_language_lines(&line, walk);
  if (!interrupted && print_source_lines(&line, walk))
    return;
  begin_line(&line);
  append_symbol(&line, interrupted);
  append_mark(&line, walk);
  write_line(&line);
}
