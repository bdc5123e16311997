/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files of a link have which kind of barriers? Code of a kind names the symbol
 * `cairn_barriers_KIND`; here it is enough that the name stands in the file.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/hints.h"
#include "driver/cc/process.h"

static const char *const kinds[] = {"none",     "cards", "fields", "objects",
                                    "snapshot", "loads", "custom"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Of the file that is open there; as a whole word. */
static bool names(int file, const char *kind)
{
  char word[64];
  struct stat status;
  int length = snprintf(word, sizeof word, "%ccairn_barriers_%s", 0, kind) + 1;

  CN_CHECK(length < (int)sizeof word);
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return false;
  void *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (text == MAP_FAILED)
    return false;
  bool found = memmem(text, (size_t)status.st_size, word, (size_t)length) != NULL;
  munmap(text, (size_t)status.st_size);
  return found;
}

/* The runtime's library has all kinds. */
static bool has_kind(const char *path, const char *kind)
{
  static const char library[] = "libcairn.a";
  size_t length = strlen(path);

  if (path[0] == '-' ||
      (length >= sizeof library - 1 && strcmp(path + length - (sizeof library - 1), library) == 0))
    return false;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool found = file >= 0 && names(file, kind);
  if (file >= 0)
    close(file);
  return found;
}

/* Append " and KIND (FILE, ...)" to the note, if there are such files. */
static void print_kind(const struct cn_words *words, const char *kind, unsigned *before)
{
  unsigned files = 0;

  for (size_t i = 1; i < words->count; i++)
    if (has_kind(words->at[i], kind)) {
      if (files++ == 0)
        fprintf(stderr, "%s%s (", (*before)++ == 0 ? " " : " and ", kind);
      fprintf(stderr, "%s%s", files == 1 ? "" : ", ", words->at[i]);
    }
  if (files != 0)
    fprintf(stderr, ")");
}

void cn_hints_kinds(const struct cn_words *words)
{
  unsigned printed = 0;

  fprintf(stderr, "cairn-cc: note: the program has code with barriers of several kinds:");
  for (size_t i = 0; i < KINDS; i++)
    print_kind(words, kinds[i], &printed);
  fprintf(stderr, "; compile all of it with one -fcairn-barriers=KIND\n");
}
