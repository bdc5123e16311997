/* SPDX-License-Identifier: Apache-2.0
 *
 * `struct x { ... } managed *p`: an attribute after the braces belongs to the struct, where
 * `managed` does nothing, and clang is silent about it. So this file reads the text after each
 * brace that closes a struct or union.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver/cc/hints.h"
#include "driver/cc/process.h"

enum { DEPTH = 64 };

struct scanner {
  const char *path, *start, *at, *end;
  const char *token; /* the last one is [token, at) */
  struct cn_words *seen;
};

static void scan_file(const char *path, struct cn_words *seen);

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static void skip_quoted(struct scanner *s, char quote)
{
  while (s->at < s->end && *s->at != quote && *s->at != '\n')
    s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
  s->at += s->at < s->end;
}

static bool skip_comment(struct scanner *s)
{
  const char *stop;

  if (s->end - s->at < 2 || s->at[0] != '/' || (s->at[1] != '/' && s->at[1] != '*'))
    return false;
  size_t rest = (size_t)(s->end - s->at - 2);
  stop = s->at[1] == '/' ? memchr(s->at + 2, '\n', rest) : memmem(s->at + 2, rest, "*/", 2);
  s->at = !stop ? s->end : s->at[1] == '/' ? stop : stop + 2;
  return true;
}

/* Read the next token; false at the end. A string or character literal is one token. */
static bool next(struct scanner *s)
{
  while (s->at < s->end && (isspace((unsigned char)*s->at) || *s->at == '\\' || skip_comment(s)))
    s->at += s->at < s->end && (isspace((unsigned char)*s->at) || *s->at == '\\');
  s->token = s->at;
  if (s->at == s->end)
    return false;
  char c = *s->at++;
  if (c == '"' || c == '\'')
    skip_quoted(s, c);
  while (is_word(c) && s->at < s->end && is_word(*s->at))
    s->at++;
  CN_CHECK(s->at > s->token && s->at <= s->end);
  return true;
}

static bool is(const struct scanner *s, const char *word)
{
  return strlen(word) == (size_t)(s->at - s->token) && memcmp(s->token, word, (size_t)(s->at - s->token)) == 0;
}

/* Skip the brackets after __attribute__. */
static void skip_brackets(struct scanner *s)
{
  int depth = 0;

  do {
    if (!next(s))
      return;
    depth += is(s, "(") - is(s, ")");
  } while (depth > 0);
}

static void warn(const struct scanner *s, const char *at)
{
  CN_CHECK(at >= s->start && at <= s->end);
  unsigned line = 1;
  const char *begin = s->start;

  for (const char *c = s->start; c < at; c++)
    if (*c == '\n') {
      line++;
      begin = c + 1;
    }
  fprintf(stderr,
          "%s:%u:%u: warning: `managed` after the braces of a struct says nothing of the pointer, "
          "which is an ordinary one; declare the struct first, then `typedef struct NAME managed "
          "*...`\n",
          s->path, line, (unsigned)(at - begin) + 1);
}

/* Check the tokens after the body of a struct. */
static void look_after(struct scanner *s)
{
  struct scanner before = *s;

  while (next(s) && is(s, "__attribute__"))
    skip_brackets(s);
  const char *at = s->token;
  bool ours = is(s, "managed") || is(s, "cairn_managed");
  if (ours && next(s) && is(s, "*"))
    warn(s, at);
  *s = before;
}

/* # include "name" */
static void follow_include(struct scanner *s)
{
  const char *slash = strrchr(s->path, '/');
  int folder = slash ? (int)(slash - s->path) + 1 : 0;

  if (next(s) && is(s, "include") && next(s) && *s->token == '"' && s->at - s->token > 2)
    scan_file(cn_command_text("%.*s%.*s", folder, s->path, (int)(s->at - s->token) - 2, s->token + 1), s->seen);
}

static void scan(struct scanner *s)
{
  bool record[DEPTH] = {false};
  unsigned depth = 0;
  enum { NOTHING, KEYWORD, NAMED } state = NOTHING; /* between `struct` and its braces */

  while (next(s)) {
    if (is(s, "#")) {
      follow_include(s);
    } else if (is(s, "struct") || is(s, "union")) {
      state = KEYWORD;
    } else if (state != NOTHING && is(s, "__attribute__")) {
      skip_brackets(s);
    } else if (state == KEYWORD && is_word(*s->token)) {
      state = NAMED;
    } else if (is(s, "{")) {
      if (depth < DEPTH)
        record[depth] = state != NOTHING;
      depth++;
      state = NOTHING;
    } else if (is(s, "}")) {
      depth -= depth > 0;
      if (depth < DEPTH && record[depth])
        look_after(s);
    } else {
      state = NOTHING;
    }
  }
}

static void scan_file(const char *path, struct cn_words *seen)
{
  struct stat status;
  int file;

  for (size_t i = 0; i < seen->count; i++)
    if (strcmp(seen->at[i], path) == 0)
      return;
  cn_push(seen, path);
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size;
  char *text = regular ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (text == MAP_FAILED)
    return;
  struct scanner s = {.path = path, .start = text, .at = text, .end = text + status.st_size, .seen = seen};
  scan(&s);
  munmap(text, (size_t)status.st_size);
}

void cn_hints_misplaced(const char *path)
{
  struct cn_words seen = {0};

  scan_file(path, &seen);
  cn_free(&seen);
}
