/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds Cairn's headers to the edited files that do not get them through another file. Without state.
 */
#include <ctype.h>
#include <string.h>
#include "migrate/program.h"

static bool ends_in(const char *path, const char *end)
{
  size_t length = strlen(path), tail = strlen(end);

  return length >= tail && strcmp(path + length - tail, end) == 0;
}

/* True if the file gets `header` ("/cairn/cairn.h") through files that it includes: today, or after the edits. */
static bool gets_header(const struct cn_program *program, uint32_t file, const char *header, bool *seen)
{
  const struct cn_file *from = &program->files.at[file];

  if (seen[file])
    return false;
  seen[file] = true;
  for (size_t i = 0; i < from->includes.count; i++) {
    const struct cn_file *included = &program->files.at[from->includes.at[i]];
    bool any = strcmp(header, "/cairn/cairn.h") == 0;
    bool edited = any && included->source && included->source->edits.count;
    if (edited || ends_in(included->path, header) || gets_header(program, from->includes.at[i], header, seen))
      return true;
  }
  return false;
}

static bool directive_is(const struct cn_source *source, const struct cn_directive *directive, const char *name)
{
  const char *text = source->text + directive->at + 1;

  while (*text == ' ' || *text == '\t')
    text++;
  size_t length = strlen(name);
  return strncmp(text, name, length) == 0 && !isalnum((unsigned char)text[length]);
}

/* True if the directive is the #ifndef of an include guard: the first directive, before any token. */
static bool is_guard(const struct cn_source *source, size_t index)
{
  const struct cn_directive *directive = &source->directives.at[index];

  return index == 0 && source->directives.count > 1 &&
         (directive_is(source, directive, "ifndef") || directive_is(source, directive, "if")) &&
         directive_is(source, directive + 1, "define") &&
         (!source->tokens.count || source->tokens.at[0].at > directive->at);
}

/* The offset of the line after the first #include outside of conditions; or, without one, of the line after the guard;
 * or, without a guard, of the line of the first token. */
static uint32_t include_place(const struct cn_source *source)
{
  int depth = 0;
  bool token_inside = false;
  uint32_t guard = UINT32_MAX, outside = 0, first = source->tokens.count ? source->tokens.at[0].at : source->size;

  for (size_t i = 0; i < source->directives.count; i++) {
    const struct cn_directive *directive = &source->directives.at[i];
    /* The first token may be in a condition, such as `extern "C" {`. */
    if (depth == 0 && directive->at < first)
      outside = directive->at;
    if (is_guard(source, i)) {
      guard = source->directives.at[i + 1].end;
      continue;
    }
    if (directive_is(source, directive, "include") && depth == 0)
      return directive->end;
    token_inside |= depth > 0 && first < directive->at && first > outside;
    if (directive_is(source, directive, "if") || directive_is(source, directive, "ifdef") ||
        directive_is(source, directive, "ifndef"))
      depth++;
    else if (directive_is(source, directive, "endif"))
      depth--;
  }
  if (guard != UINT32_MAX)
    return guard;
  if (token_inside || !source->tokens.count)
    return token_inside ? outside : source->size;
  return source->lines.at[cn_source_line_of(source, first) - 1];
}

static void add_include(struct cn_source *source, const char *header)
{
  uint32_t at = include_place(source);

  cn_source_edit(source, at, at, cn_format("#include <%s>\n", header));
}

void cn_rewrite_includes(struct cn_program *program)
{
  bool *seen = cn_alloc(program->files.count + 1);

  for (uint32_t i = 1; i < program->files.count; i++) {
    struct cn_file *file = &program->files.at[i];
    static const char *const headers[] = {"cairn/string.h", "cairn/array.h"};
    bool needs[] = {file->needs_text, file->needs_array}, added = false;
    if (!file->source || (!file->source->edits.count && !file->needs_text && !file->needs_array))
      continue;
    for (size_t k = 0; k < 2; k++) {
      char *path = cn_format("/%s", headers[k]);
      memset(seen, 0, program->files.count + 1);
      if (needs[k] && !gets_header(program, i, path, seen)) {
        add_include(file->source, headers[k]);
        added = true;
      }
      free(path);
    }
    memset(seen, 0, program->files.count + 1);
    if (!added && !gets_header(program, i, "/cairn/cairn.h", seen))
      add_include(file->source, "cairn/cairn.h");
  }
  free(seen);
}
