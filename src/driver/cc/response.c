/* SPDX-License-Identifier: Apache-2.0
 *
 * Response files: words separated by white space; single quotes, double quotes and backslashes as
 * in GNU tools.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "driver/cc/command.h"

/* The limit of files that name files: a cycle must end. */
enum { DEPTH_MAX = 16 };

/* The contents up to the first null byte, which no word can have. Null if the file cannot be read.
 */
static char *read_text(const char *path)
{
  FILE *file = fopen(path, "r");
  CN_VECTOR(char) text = {0};
  int c;

  if (!file)
    return NULL;
  while ((c = getc(file)) != EOF && c)
    cn_push(&text, (char)c);
  bool bad = ferror(file);
  fclose(file);
  cn_push(&text, 0);
  if (bad)
    cn_free(&text);
  return text.at;
}

/* Take one word off *cursor, unquoted in place. Null at the end. */
static char *next_word(char **cursor)
{
  char *from = *cursor, quote = 0;

  while (isspace((unsigned char)*from))
    from++;
  if (!*from)
    return NULL;
  char *word = from, *to = from;
  for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
    if (*from == '\\' && from[1] && quote != '\'')
      *to++ = *++from;
    else if (quote ? *from == quote : (*from == '"' || *from == '\''))
      quote = quote ? 0 : *from;
    else
      *to++ = *from;
  }
  CN_CHECK(to <= from); /* unquoting only shortens */
  *cursor = *from ? from + 1 : from;
  *to = 0;
  return word;
}

static void expand_word(const char *word, int depth, struct cn_words *out)
{
  char *text = word[0] == '@' && depth < DEPTH_MAX ? read_text(word + 1) : NULL;

  if (!text) {
    cn_push(out, cn_command_text("%s", word));
    return;
  }
  char *cursor = text;
  for (char *next; (next = next_word(&cursor));)
    expand_word(next, depth + 1, out);
  free(text);
}

void cn_response_expand(int argc, char **argv, struct cn_words *out)
{
  for (int i = 1; i < argc; i++)
    expand_word(argv[i], 0, out);
}
