/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the edits of a file as a unified diff. The edits are known, so no lines are compared: each group of changed
 * lines is printed before and after its edits. Without state.
 */
#include <string.h>
#include "migrate/source.h"

enum { CONTEXT_LINES = 3 };

/* The lines [first, end) of the file, counted from 0, which edits change into `text`. */
struct change {
  uint32_t first, end;
  char *text;
  uint32_t new_lines;
};

struct changes {
  struct change *at;
  size_t count, room;
};

static uint32_t count_lines(const char *text)
{
  uint32_t lines = 0;

  for (; *text; lines++) {
    const char *newline = strchr(text, '\n');
    text = newline ? newline + 1 : text + strlen(text);
  }
  return lines;
}

/* The offset of a line counted from 0; the size of the file after the last line. */
static uint32_t line_start(const struct cn_source *source, uint32_t line)
{
  return line < source->lines.count ? source->lines.at[line] : source->size;
}

/* The line after the last one that an edit changes. An edit that ends at the start of a line leaves this line, if it
 * removes or adds whole lines. */
static uint32_t end_line_of(const struct cn_source *source, const struct cn_edit *edit)
{
  uint32_t line = cn_source_line_of(source, edit->end) - 1;
  size_t length = strlen(edit->text);
  bool whole = length == 0 ? edit->begin < edit->end : edit->text[length - 1] == '\n';

  return line + !(whole && line_start(source, line) == edit->end);
}

static void collect_changes(const struct cn_source *source, struct changes *changes)
{
  for (size_t i = 0; i < source->edits.count; i++) {
    const struct cn_edit *edit = &source->edits.at[i];
    uint32_t first = cn_source_line_of(source, edit->begin) - 1, end = end_line_of(source, edit);
    struct change *last = changes->count ? &changes->at[changes->count - 1] : NULL;
    if (last && first < last->end) {
      last->end = end > last->end ? end : last->end;
      continue;
    }
    cn_push(changes, (struct change){.first = first, .end = end});
  }
  for (size_t i = 0; i < changes->count; i++) {
    struct change *change = &changes->at[i];
    change->text = cn_source_edited(source, line_start(source, change->first), line_start(source, change->end));
    change->new_lines = count_lines(change->text);
  }
}

static void print_lines(const char *text, size_t size, char sign, FILE *out)
{
  while (size) {
    const char *newline = memchr(text, '\n', size);
    size_t length = newline ? (size_t)(newline - text) : size;
    fprintf(out, "%c%.*s\n", sign, (int)length, text);
    if (!newline)
      fputs("\\ No newline at end of file\n", out);
    text += length + (newline != NULL);
    size -= length + (newline != NULL);
  }
}

static void print_file_lines(const struct cn_source *source, uint32_t first, uint32_t end, char sign, FILE *out)
{
  uint32_t begin = line_start(source, first);

  print_lines(source->text + begin, line_start(source, end) - begin, sign, out);
}

static uint32_t lines_of_file(const struct cn_source *source)
{
  uint32_t lines = (uint32_t)source->lines.count;

  return source->lines.at[lines - 1] == source->size ? lines - 1 : lines;
}

/* Prints the changes [from, to) as one hunk. `shift` is the number of lines that earlier hunks added. */
static void print_hunk(const struct cn_source *source, const struct change *from, const struct change *to, long shift,
                       FILE *out)
{
  uint32_t lines = lines_of_file(source), first = from->first, end = to[-1].end, old_count, new_count;

  first = first > CONTEXT_LINES ? first - CONTEXT_LINES : 0;
  end = end + CONTEXT_LINES < lines ? end + CONTEXT_LINES : lines;
  old_count = new_count = end - first;
  for (const struct change *change = from; change < to; change++)
    new_count += change->new_lines - (change->end - change->first);
  fprintf(out, "@@ -%u,%u +%ld,%u @@\n", first + (old_count != 0), old_count, (long)first + (new_count != 0) + shift,
          new_count);
  for (const struct change *change = from; change < to; change++) {
    print_file_lines(source, change == from ? first : change[-1].end, change->first, ' ', out);
    print_file_lines(source, change->first, change->end, '-', out);
    print_lines(change->text, strlen(change->text), '+', out);
  }
  print_file_lines(source, to[-1].end, end, ' ', out);
}

size_t cn_source_diff(const struct cn_source *source, FILE *out)
{
  struct changes changes = {0};
  size_t changed = 0, to;
  long shift = 0;

  collect_changes(source, &changes);
  if (out && changes.count)
    fprintf(out, "--- %s\n+++ %s\n", source->path, source->path);
  for (size_t from = 0; from < changes.count; from = to) {
    long added = 0;
    for (to = from; to < changes.count; to++) {
      const struct change *change = &changes.at[to];
      uint32_t old_lines = change->end - change->first;
      if (to > from && change->first > change[-1].end + 2 * CONTEXT_LINES)
        break;
      added += (long)change->new_lines - old_lines;
      changed += old_lines > change->new_lines ? old_lines : change->new_lines;
    }
    if (out)
      print_hunk(source, &changes.at[from], &changes.at[to], shift, out);
    shift += added;
  }
  for (size_t i = 0; i < changes.count; i++)
    free(changes.at[i].text);
  cn_free(&changes);
  return changed;
}
