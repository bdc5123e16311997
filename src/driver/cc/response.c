/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads response files, which contain words separated by white space, with the single quotes, double quotes and
 * backslashes of GNU tools. Runs before the command is read, and before the link for words of the linker. Only reads
 * files, prints nothing, and holds no state.
 */
#include <ctype.h>
#include <sys/stat.h>
#include "driver/cc/command.h"

/* The maximum nesting of response files, which ends a cycle of files. */
enum { MAX_RESPONSE_DEPTH = 16 };

/* Read a file up to the first null byte. Null if the file is unreadable. */
static char *read_response_file(const char *path)
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

/* Unquote the next word at *cursor in place, and advance *cursor. Null at the end. */
static char *unquote_next_word(char **cursor)
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

static bool is_pipe(const char *path)
{
  struct stat status;

  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Add a word, expanded if it names a response file. False if `again` is set and the word names a pipe. */
static bool expand_word(const char *word, int depth, bool again, struct cn_words *out)
{
  bool names = word[0] == '@' && depth < MAX_RESPONSE_DEPTH, ok = true;

  if (names && again && is_pipe(word + 1))
    return false;
  char *text = names ? read_response_file(word + 1) : NULL;
  if (!text) {
    cn_push(out, cn_command_format_string("%s", word));
    return true;
  }
  char *cursor = text;
  for (char *next; ok && (next = unquote_next_word(&cursor));)
    ok = expand_word(next, depth + 1, again, out);
  free(text);
  return ok;
}

void cn_response_expand_arguments(int argc, char **argv, struct cn_words *out)
{
  for (int i = 1; i < argc; i++)
    expand_word(argv[i], 0, false, out);
}

bool cn_response_expand_linker_word(const char *word, struct cn_words *out)
{
  return expand_word(word, 0, true, out);
}
