/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches, splits and trims parts of texts. The texts may hold any bytes, also zeros. Holds no state.
 */
#include "driver/text.h"

#include <string.h>
#include "base/check.h"

struct cn_text cn_text_of(const char *string)
{
  return (struct cn_text){string, strlen(string)};
}

bool cn_text_equals(struct cn_text a, struct cn_text b)
{
  return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool cn_text_is(struct cn_text text, const char *string)
{
  return cn_text_equals(text, cn_text_of(string));
}

bool cn_text_begins_with(struct cn_text text, const char *prefix)
{
  size_t length = strlen(prefix);

  return text.size >= length && memcmp(text.at, prefix, length) == 0;
}

struct cn_text cn_text_skip(struct cn_text text, size_t count)
{
  count = count < text.size ? count : text.size;
  return (struct cn_text){text.at + count, text.size - count};
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

struct cn_text cn_text_trim(struct cn_text text)
{
  while (text.size > 0 && is_blank(text.at[0]))
    text = cn_text_skip(text, 1);
  while (text.size > 0 && is_blank(text.at[text.size - 1]))
    text.size--;
  return text;
}

struct cn_text cn_text_before(struct cn_text text, char c)
{
  const char *found = text.size ? memchr(text.at, c, text.size) : NULL;

  return (struct cn_text){text.at, found ? (size_t)(found - text.at) : text.size};
}

size_t cn_text_find(struct cn_text text, const char *string)
{
  const char *found = text.size ? memmem(text.at, text.size, string, strlen(string)) : NULL;

  return found ? (size_t)(found - text.at) : text.size;
}

bool cn_text_next_line(struct cn_text *rest, struct cn_text *line)
{
  if (rest->size == 0)
    return false;
  *line = cn_text_before(*rest, '\n');
  *rest = cn_text_skip(*rest, line->size + 1);
  return true;
}

const char *cn_text_keep(struct cn_text text)
{
  char *copy = cn_alloc(text.size + 1);

  if (text.size)
    memcpy(copy, text.at, text.size);
  return copy;
}

/* ---- lists of IR ---- */

/* A position in a list: the depth of brackets, and whether the position is in quotes. */
struct list_scan {
  size_t depth;
  bool quoted;
};

static void scan_list_byte(struct list_scan *scan, char c)
{
  if (c == '"')
    scan->quoted = !scan->quoted; /* IR writes quotes in names as \22 */
  else if (!scan->quoted && strchr("([{<", c) && c)
    scan->depth++;
  else if (!scan->quoted && strchr(")]}>", c) && c && scan->depth)
    scan->depth--;
}

size_t cn_text_bracket_length(struct cn_text text)
{
  struct list_scan scan = {0};

  for (size_t i = 0; i < text.size; i++) {
    scan_list_byte(&scan, text.at[i]);
    if (scan.depth == 0)
      return i ? i + 1 : 0;
  }
  return 0;
}

void cn_text_split(struct cn_text list, cn_texts *parts)
{
  struct list_scan scan = {0};
  size_t start = 0;

  for (size_t i = 0; i < list.size; i++) {
    scan_list_byte(&scan, list.at[i]);
    if (list.at[i] != ',' || scan.depth || scan.quoted)
      continue;
    cn_push(parts, cn_text_trim((struct cn_text){list.at + start, i - start}));
    start = i + 1;
  }
  if (cn_text_trim(list).size)
    cn_push(parts, cn_text_trim(cn_text_skip(list, start)));
}

struct cn_text cn_text_last_word(struct cn_text text)
{
  struct list_scan scan = {0};
  size_t start = 0;

  for (size_t i = 0; i < text.size; i++) {
    scan_list_byte(&scan, text.at[i]);
    if (text.at[i] == ' ' && !scan.depth && !scan.quoted)
      start = i + 1;
  }
  return cn_text_skip(text, start);
}
