/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files of a link have which kind of barriers, or of words, or allocate blocks of which size
 * in line? An object has a group `cairn.barriers.KIND`, one of its image, `cairn.image.words.KIND`
 * or `cairn.image` if words are plain, and, if it allocates, `cairn.image.inline.BYTES`; here it is
 * enough that the name stands in the file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/hints.h"
#include "driver/cc/process.h"

static const char *const barriers[] = {"none", "cards", "cards.2", "fields", "objects", "snapshot", "loads", "custom"};
static const char barriers_group[] = "cairn.barriers.", words_group[] = "cairn.image.words.",
                  inline_group[] = "cairn.image.inline.", plain_group[] = "cairn.image";

struct text {
  const char *at;
  size_t bytes;
};

/* The rest of the text from `what` on; null: it is not there. */
static const char *find(const struct text *text, const char *from, const char *what, size_t bytes)
{
  CN_ASSERT(from >= text->at && from <= text->at + text->bytes);
  return memmem(from, text->bytes - (size_t)(from - text->at), what, bytes);
}

/* Does the name of this group stand there? */
static bool names_group(const struct text *text, const char *group, const char *kind)
{
  char word[64];
  int length = snprintf(word, sizeof word, "%s%s", group, kind) + 1;

  CN_CHECK(length < (int)sizeof word);
  return find(text, text->at, word, (size_t)length) != NULL;
}

/* The file as text; nothing, if there is none. */
static struct text open_text(const char *path)
{
  struct text text = {NULL, 0};
  struct stat status;
  int file = path[0] == '-' ? -1 : open(path, O_RDONLY | O_CLOEXEC);

  if (file < 0)
    return text;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size != 0) {
    void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at != MAP_FAILED)
      text = (struct text){at, (size_t)status.st_size};
  }
  close(file);
  return text;
}

static void close_text(struct text *text)
{
  if (text->at)
    munmap((void *)text->at, text->bytes);
}

static bool has_group(const char *path, const char *group, const char *kind)
{
  struct text text = open_text(path);
  bool found = text.at && names_group(&text, group, kind);

  close_text(&text);
  return found;
}

/* The mark of a kind of barriers, as users know it. */
static const char *shown(const char *kind)
{
  if (strcmp(kind, "cards") == 0)
    return "cards of an earlier version";
  return strcmp(kind, "cards.2") == 0 ? "cards" : kind;
}

/* Append " and KIND (FILE, ...)" to the note, if there are such files. */
static void print_kind(const struct cn_words *words, const char *group, const char *kind, unsigned *before)
{
  bool plain = strcmp(kind, "plain") == 0;
  unsigned files = 0;

  for (size_t i = 1; i < words->count; i++)
    if (has_group(words->at[i], plain ? plain_group : group, plain ? "" : kind)) {
      if (files++ == 0)
        fprintf(stderr, "%s%s (", (*before)++ == 0 ? " " : " and ", shown(kind));
      fprintf(stderr, "%s%s", files == 1 ? "" : ", ", words->at[i]);
    }
  if (files != 0)
    fprintf(stderr, ")");
}

void cn_hints_barriers(const struct cn_words *words)
{
  unsigned printed = 0;

  fprintf(stderr, "cairn-cc: note: the program has code with barriers of several kinds:");
  for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++)
    print_kind(words, barriers_group, barriers[i], &printed);
  fprintf(stderr, "; compile all of it with one -fcairn-barriers=KIND\n");
}

/* Add the kinds, words of these letters, that the file names after `group` to those known. */
static void add_kinds(const char *path, const char *group, const char *letters, struct cn_words *kinds)
{
  struct text text = open_text(path);
  const char *at = text.at;

  while (at && (at = find(&text, at, group, strlen(group))) != NULL) {
    char *kind;
    at += strlen(group);
    size_t length = 0, room = text.bytes - (size_t)(at - text.at);
    while (length < room && at[length] != '\0' && strchr(letters, at[length]) != NULL)
      length++;
    bool known = length == 0;
    for (size_t i = 0; i < kinds->count && !known; i++)
      known = strlen(kinds->at[i]) == length && memcmp(kinds->at[i], at, length) == 0;
    if (!known && (kind = strndup(at, length)) != NULL)
      cn_push(kinds, kind);
  }
  close_text(&text);
}

/* Print what of these kinds is in which files, after what has been printed. */
static void print_kinds(const struct cn_words *words, const char *group, const char *letters, unsigned *printed)
{
  struct cn_words kinds = {0};

  for (size_t i = 1; i < words->count; i++)
    add_kinds(words->at[i], group, letters, &kinds);
  for (size_t i = 0; i < kinds.count; i++) {
    print_kind(words, group, kinds.at[i], printed);
    free((char *)kinds.at[i]);
  }
  cn_free(&kinds);
}

void cn_hints_words(const struct cn_words *words)
{
  unsigned printed = 0;

  fprintf(stderr, "cairn-cc: note: the program has words of several kinds:");
  print_kind(words, words_group, "plain", &printed);
  print_kinds(words, words_group, "01:", &printed);
  fprintf(stderr, "; compile all of it with one -fcairn-words\n");
}

void cn_hints_inline(const struct cn_words *words)
{
  unsigned printed = 0;

  fprintf(stderr, "cairn-cc: note: the program has code that allocates blocks of up to several sizes "
                  "in line:");
  print_kinds(words, inline_group, "0123456789", &printed);
  fprintf(stderr, "; compile all of it with one -fcairn-inline-max=BYTES\n");
}
