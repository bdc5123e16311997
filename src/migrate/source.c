/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads source files into tokens, and applies edits to them. The lexer knows comments, literals and preprocessor
 * directives; every other punctuation character is one token. Without state beside the file's own.
 */
#include "migrate/source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 30 };

static char *read_text(const char *path, uint32_t *size)
{
  FILE *file = fopen(path, "re");
  char *text = NULL;
  long length = -1;

  if (!file)
    return NULL;
  if (fseek(file, 0, SEEK_END) == 0)
    length = ftell(file);
  if (length > MAX_FILE_BYTES)
    errno = EFBIG;
  else if (length >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = cn_alloc((size_t)length + 1);
    *size = (uint32_t)fread(text, 1, (size_t)length, file);
  }
  fclose(file);
  return text;
}

/* The end of the directive at `at`: after the first newline that no backslash precedes, outside of comments. */
static uint32_t end_of_directive(const char *text, uint32_t at)
{
  bool comment = false;

  for (; text[at]; at++) {
    if (comment) {
      comment = !(text[at] == '*' && text[at + 1] == '/');
    } else if (text[at] == '/' && text[at + 1] == '*') {
      comment = true;
      at++;
    } else if (text[at] == '\n' && text[at - 1] != '\\' && !(text[at - 1] == '\r' && text[at - 2] == '\\')) {
      return at + 1;
    }
  }
  return at;
}

static uint32_t end_of_comment(const char *text, uint32_t at)
{
  if (text[at + 1] == '/')
    return at + (uint32_t)strcspn(text + at, "\n");
  const char *end = strstr(text + at + 2, "*/");
  return end ? (uint32_t)(end + 2 - text) : at + (uint32_t)strlen(text + at);
}

static uint32_t end_of_literal(const char *text, uint32_t at)
{
  char quote = text[at++];

  while (text[at] && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' && text[at + 1] ? 2 : 1;
  return text[at] == quote ? at + 1 : at;
}

static uint32_t end_of_word(const char *text, uint32_t at)
{
  while (isalnum((unsigned char)text[at]) || text[at] == '_' || text[at] == '$' || (unsigned char)text[at] >= 0x80)
    at++;
  return at;
}

static uint32_t end_of_number(const char *text, uint32_t at)
{
  while (isalnum((unsigned char)text[at]) || text[at] == '.' || text[at] == '_' ||
         ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1])))
    at++;
  return at;
}

static uint32_t add_token(struct cn_source *source, uint32_t at)
{
  const char *text = source->text;
  unsigned char c = (unsigned char)text[at];
  enum cn_token_kind kind = CN_TOKEN_MARK;
  uint32_t end = at + 1;

  if (isdigit(c) || (c == '.' && isdigit((unsigned char)text[at + 1]))) {
    kind = CN_TOKEN_NUMBER;
    end = end_of_number(text, at);
  } else if (isalpha(c) || c == '_' || c == '$' || c >= 0x80) {
    kind = CN_TOKEN_WORD;
    end = end_of_word(text, at);
  } else if (c == '"' || c == '\'') {
    kind = CN_TOKEN_TEXT;
    end = end_of_literal(text, at);
  }
  cn_push(&source->tokens, (struct cn_token){.at = at, .length = end - at, .kind = kind});
  return end;
}

static void read_tokens(struct cn_source *source)
{
  const char *text = source->text;
  bool line_start = true;

  for (uint32_t at = 0; at < source->size;) {
    if (text[at] == '\n' || isspace((unsigned char)text[at])) {
      line_start |= text[at++] == '\n';
    } else if (text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*')) {
      at = end_of_comment(text, at);
    } else if (text[at] == '#' && line_start) {
      uint32_t end = end_of_directive(text, at);
      cn_push(&source->directives, (struct cn_directive){at, end});
      at = end;
    } else {
      line_start = false;
      at = text[at] ? add_token(source, at) : at + 1;
    }
  }
}

struct cn_source *cn_source_read(const char *path)
{
  uint32_t size = 0;
  char *text = read_text(path, &size);

  if (!text)
    return NULL;
  struct cn_source *source = cn_alloc(sizeof *source);
  source->path = cn_strdup(path);
  source->text = text;
  source->size = size;
  cn_push(&source->lines, 0);
  for (uint32_t at = 0; at < size; at++)
    if (text[at] == '\n')
      cn_push(&source->lines, at + 1);
  read_tokens(source);
  return source;
}

void cn_source_free(struct cn_source *source)
{
  for (size_t i = 0; i < source->edits.count; i++)
    free(source->edits.at[i].text);
  cn_free(&source->edits);
  cn_free(&source->tokens);
  cn_free(&source->directives);
  cn_free(&source->lines);
  free(source->path);
  free(source->text);
  free(source);
}

uint32_t cn_source_token_from(const struct cn_source *source, uint32_t offset)
{
  uint32_t low = 0, end = (uint32_t)source->tokens.count;

  while (low < end) {
    uint32_t middle = low + (end - low) / 2;
    if (source->tokens.at[middle].at < offset)
      low = middle + 1;
    else
      end = middle;
  }
  return low;
}

uint32_t cn_source_token_at(const struct cn_source *source, uint32_t offset)
{
  uint32_t index = cn_source_token_from(source, offset);

  return index < source->tokens.count && source->tokens.at[index].at == offset ? index : (uint32_t)CN_NO_TOKEN;
}

bool cn_source_token_is(const struct cn_source *source, uint32_t index, const char *text)
{
  if (index >= source->tokens.count)
    return false;
  const struct cn_token *token = &source->tokens.at[index];
  return token->length == strlen(text) && memcmp(source->text + token->at, text, token->length) == 0;
}

/* The bracket that closes what token `index` opens, for steps of 1, or opens what it closes, for steps of -1. */
static uint32_t match(const struct cn_source *source, uint32_t index, const char *deeper, const char *back, int step)
{
  uint32_t depth = 0;

  for (; index < source->tokens.count; index += (uint32_t)step) { /* the number before 0 is large */
    char c = source->text[source->tokens.at[index].at];
    if (source->tokens.at[index].kind != CN_TOKEN_MARK)
      continue;
    depth += strchr(deeper, c) != NULL;
    if (strchr(back, c) && --depth == 0)
      return index;
  }
  return CN_NO_TOKEN;
}

uint32_t cn_source_match_forwards(const struct cn_source *source, uint32_t index)
{
  return match(source, index, "([{", ")]}", 1);
}

uint32_t cn_source_match_backwards(const struct cn_source *source, uint32_t index)
{
  return match(source, index, ")]}", "([{", -1);
}

uint32_t cn_source_line_of(const struct cn_source *source, uint32_t offset)
{
  size_t low = 0, end = source->lines.count;

  while (low < end) {
    size_t middle = low + (end - low) / 2;
    if (source->lines.at[middle] <= offset)
      low = middle + 1;
    else
      end = middle;
  }
  return (uint32_t)low;
}

char *cn_source_copy(const struct cn_source *source, uint32_t begin, uint32_t end)
{
  CN_CHECK(begin <= end && end <= source->size);
  char *copy = cn_alloc(end - begin + 1);
  memcpy(copy, source->text + begin, end - begin);
  return copy;
}

void cn_source_edit(struct cn_source *source, uint32_t begin, uint32_t end, char *text)
{
  CN_CHECK(begin <= end && end <= source->size);
  for (size_t i = 0; i < source->edits.count; i++) {
    const struct cn_edit *edit = &source->edits.at[i];
    if (edit->begin == begin && edit->end == end && strcmp(edit->text, text) == 0) {
      free(text);
      return;
    }
  }
  cn_push(&source->edits, (struct cn_edit){begin, end, text, source->edits.count});
}

void cn_source_remove(struct cn_source *source, uint32_t begin, uint32_t end)
{
  uint32_t first = begin, last = end;

  while (first > 0 && (source->text[first - 1] == ' ' || source->text[first - 1] == '\t'))
    first--;
  while (source->text[last] == ' ' || source->text[last] == '\t' || source->text[last] == '\r')
    last++;
  bool whole = (first == 0 || source->text[first - 1] == '\n') && source->text[last] == '\n';
  if (whole)
    cn_source_edit(source, first, last + 1, cn_strdup(""));
  else if (source->text[last] == '\n' && first < begin)
    cn_source_edit(source, first, end, cn_strdup(""));
  else
    cn_source_edit(source, begin, source->text[end] == ' ' ? end + 1 : end, cn_strdup(""));
}

static int compare_edits(const void *one, const void *other)
{
  const struct cn_edit *a = one, *b = other;

  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  if (a->end != b->end)
    return a->end > b->end ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

void cn_source_settle_edits(struct cn_source *source)
{
  size_t kept = 0;
  uint32_t end = 0;

  if (source->edits.count)
    qsort(source->edits.at, source->edits.count, sizeof *source->edits.at, compare_edits);
  for (size_t i = 0; i < source->edits.count; i++) {
    struct cn_edit *edit = &source->edits.at[i];
    if (edit->begin < end) {
      free(edit->text);
      continue;
    }
    end = edit->end;
    source->edits.at[kept++] = *edit;
  }
  source->edits.count = kept;
}

char *cn_source_edited(const struct cn_source *source, uint32_t begin, uint32_t end)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  uint32_t at = begin;

  CN_CHECK(out && begin <= end && end <= source->size);
  for (size_t i = 0; i < source->edits.count; i++) {
    const struct cn_edit *edit = &source->edits.at[i];
    if (edit->begin < begin || edit->end > end || (edit->begin == end && end < source->size && end > begin))
      continue;
    fwrite(source->text + at, 1, edit->begin - at, out);
    fputs(edit->text, out);
    at = edit->end;
  }
  fwrite(source->text + at, 1, end - at, out);
  fclose(out);
  return text;
}
