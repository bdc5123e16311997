/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files of a link have which kind of barriers, or of words? Code of a kind of barriers names
 * the symbol `cairn_barriers_KIND`, and the image of a kind of words the group
 * `cairn.image.words.KIND`, or `cairn.image` if they are plain; here it is enough that the name
 * stands in the file.
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

static const char *const barriers[] = {"none",     "cards", "fields", "objects",
                                       "snapshot", "loads", "custom"};
static const char barriers_name[] = "cairn_barriers_", plain_image[] = "cairn.image",
                  words_image[] = "cairn.image.words.";

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

static bool names_barriers(const struct text *text, const char *kind)
{
  char word[64];
  int length = snprintf(word, sizeof word, "%c%s%s", 0, barriers_name, kind) + 1;

  CN_CHECK(length < (int)sizeof word);
  return find(text, text->at, word, (size_t)length) != NULL;
}

/* Is one of the file's kinds of words this one? */
static bool names_words(const struct text *text, const char *kind)
{
  char word[64];
  bool plain = strcmp(kind, "plain") == 0;
  int length =
      snprintf(word, sizeof word, "%s%s", plain ? plain_image : words_image, plain ? "" : kind) + 1;

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

/* The runtime's library has all kinds. */
static bool is_runtime(const char *path)
{
  static const char library[] = "libcairn.a";
  size_t length = strlen(path), tail = sizeof library - 1;

  return length >= tail && strcmp(path + length - tail, library) == 0;
}

typedef bool names_kind(const struct text *text, const char *kind);

static bool has_kind(const char *path, names_kind *names, const char *kind)
{
  struct text text = is_runtime(path) ? (struct text){NULL, 0} : open_text(path);
  bool found = text.at && names(&text, kind);

  close_text(&text);
  return found;
}

/* Append " and KIND (FILE, ...)" to the note, if there are such files. */
static void print_kind(const struct cn_words *words, names_kind *names, const char *kind,
                       unsigned *before)
{
  unsigned files = 0;

  for (size_t i = 1; i < words->count; i++)
    if (has_kind(words->at[i], names, kind)) {
      if (files++ == 0)
        fprintf(stderr, "%s%s (", (*before)++ == 0 ? " " : " and ", kind);
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
    print_kind(words, names_barriers, barriers[i], &printed);
  fprintf(stderr, "; compile all of it with one -fcairn-barriers=KIND\n");
}

/* Add the kinds of words that the file names to those that are known. */
static void add_kinds(const char *path, struct cn_words *kinds)
{
  struct text text = is_runtime(path) ? (struct text){NULL, 0} : open_text(path);
  const char *at = text.at;

  while (at && (at = find(&text, at, words_image, sizeof words_image - 1)) != NULL) {
    char *kind;
    at += sizeof words_image - 1;
    size_t length = 0, room = text.bytes - (size_t)(at - text.at);
    while (length < room && memchr("01:", at[length], 3) != NULL)
      length++;
    bool known = length == 0;
    for (size_t i = 0; i < kinds->count && !known; i++)
      known = strlen(kinds->at[i]) == length && memcmp(kinds->at[i], at, length) == 0;
    if (!known && (kind = strndup(at, length)) != NULL)
      cn_push(kinds, kind);
  }
  close_text(&text);
}

void cn_hints_words(const struct cn_words *words)
{
  struct cn_words kinds = {0};
  unsigned printed = 0;

  for (size_t i = 1; i < words->count; i++)
    add_kinds(words->at[i], &kinds);
  fprintf(stderr, "cairn-cc: note: the program has words of several kinds:");
  print_kind(words, names_words, "plain", &printed);
  for (size_t i = 0; i < kinds.count; i++) {
    print_kind(words, names_words, kinds.at[i], &printed);
    free((char *)kinds.at[i]);
  }
  fprintf(stderr, "; compile all of it with one -fcairn-words\n");
  cn_free(&kinds);
}
