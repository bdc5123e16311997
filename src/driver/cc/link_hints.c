/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains errors of the linker in notes: a call passes a reference to native code, the inputs mix objects of several
 * kinds, or code for a static runtime meets libcairn.so. Runs after a failed link, prints on stderr, and holds no
 * state.
 *
 * The linker's messages stay unchanged. The failed link runs again only so that the driver reads its messages; the
 * notes follow the messages of the first run.
 */
#include <stdlib.h>
#include <string.h>
#include "base/kind_symbols.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"

/* The prefix of the symbol that is undefined if a call passes a reference to native code. */
static const char managed_code_prefix[] = "cairn.managed_code.";

/* Each object has COMDAT groups named after its kinds, each with a definition of the kind's symbol, so that objects of
 * two kinds define the symbol twice. */
static const struct mixture_kind {
  const char *symbol, *group, *letters; /* allowed letters of the kind's name, which follows the group's prefix */
  const char *plain;                    /* the group of the plain kind, or null */
  const char *what, *option;
} mixture_kinds[] = {
    {CN_BARRIERS_SYMBOL, "cairn.barriers.", "abcdefghijklmnopqrstuvwxyz.0123456789", NULL,
     "code with barriers of several kinds", "-fcairn-barriers=KIND"},
    {"cairn.words.kind", "cairn.image.words.", "01:", "cairn.image", "words of several kinds", "-fcairn-words"},
    {"cairn.inline.kind", "cairn.image.inline.", "0123456789", NULL,
     "code that allocates blocks of up to several sizes in line", "-fcairn-inline-max=BYTES"},
};

static void explain_missing_function(const char *name)
{
  fprintf(stderr,
          "cairn-cc: note: a call of `%s` passes or returns a reference, and no managed code is linked that "
          "defines it; if it is native code, no collector would find the reference there "
          "[reference-to-native]: give it a handle (<cairn/handle.h>) or the data, or declare it "
          "cairn_leaf if it never calls back and never collects; else compile it with cairn-cc, and have "
          "the version script of a shared object that defines it export %s%s, too\n",
          name, managed_code_prefix, name);
}

static bool add_unique_name(struct cn_words *list, const char *name, size_t length)
{
  for (size_t i = 0; i < list->count; i++)
    if (strlen(list->at[i]) == length && memcmp(list->at[i], name, length) == 0)
      return false;
  cn_push(list, cn_command_format_string("%.*s", (int)length, name));
  return true;
}

static void add_kinds_in_file(const char *path, const struct mixture_kind *kind, struct cn_words *found)
{
  struct cn_mapped_text text = path[0] == '-' ? (struct cn_mapped_text){0} : cn_text_open(path);
  const char *at = text.at, *end = text.at + text.size;

  if (at && kind->plain && memmem(at, text.size, kind->plain, strlen(kind->plain) + 1))
    add_unique_name(found, "plain", strlen("plain"));
  while (at && (at = memmem(at, (size_t)(end - at), kind->group, strlen(kind->group))) != NULL) {
    const char *name = at += strlen(kind->group);
    while (at < end && *at != '\0' && strchr(kind->letters, *at) != NULL)
      at++;
    CN_ASSERT(name <= at && at <= end);
    /* A group's name ends in a null byte after the kind. The name of the symbol itself has the same prefix. */
    if (at < end && *at == '\0' && at > name && strcmp(name, "kind") != 0)
      add_unique_name(found, name, (size_t)(at - name));
  }
  cn_text_close(text);
}

static const char *user_name_of_kind(const char *name)
{
  if (strcmp(name, "cards") == 0)
    return "cards of an earlier version";
  return strcmp(name, "cards.2") == 0 ? "cards" : name;
}

/* Print " and KIND (FILE, ...)" with the files of kind `name`. */
static void print_files_of_kind(const struct cn_words *words, const struct mixture_kind *kind, const char *name,
                                bool first)
{
  const char *before = " (";

  fprintf(stderr, "%s %s", first ? "" : " and", user_name_of_kind(name));
  for (size_t i = 1; i < words->count; i++) {
    struct cn_words own = {0};
    add_kinds_in_file(words->at[i], kind, &own);
    if (own.count != 0 && !add_unique_name(&own, name, strlen(name))) {
      fprintf(stderr, "%s%s", before, words->at[i]);
      before = ", ";
    }
    cn_free(&own);
  }
  fputs(")", stderr);
}

static void explain_mixed_kinds(const struct cn_words *words, const struct mixture_kind *kind)
{
  struct cn_words names = {0};

  for (size_t i = 1; i < words->count; i++)
    add_kinds_in_file(words->at[i], kind, &names);
  fprintf(stderr, "cairn-cc: note: the program has %s:", kind->what);
  for (size_t i = 0; i < names.count; i++)
    print_files_of_kind(words, kind, names.at[i], i == 0);
  fprintf(stderr, "; compile all of it with one %s\n", kind->option);
  cn_free(&names);
}

/* Print a note on a function that a message line reports as undefined, and gather the symbols of kinds in the line. */
static void explain_linker_message(const char *line, struct cn_words *missing, struct cn_words *mixed)
{
  const char *at = strstr(line, managed_code_prefix);

  for (size_t i = 0; i < sizeof mixture_kinds / sizeof *mixture_kinds; i++)
    if (strstr(line, mixture_kinds[i].symbol))
      add_unique_name(mixed, mixture_kinds[i].symbol, strlen(mixture_kinds[i].symbol));
  if (!at)
    return;
  at += sizeof managed_code_prefix - 1;
  if (add_unique_name(missing, at, strcspn(at, "'`\" \t\n)")))
    explain_missing_function(missing->at[missing->count - 1]);
}

/* True if the link uses the shared runtime, and a message line names a symbol of code for the static runtime. */
static bool is_runtime_misplaced(const struct cn_words *words, const char *line)
{
  static const char library[] = "/lib/libcairn.so";
  bool named = strstr(line, "cairn_mutator") || strstr(line, CN_STATIC_RUNTIME);

  for (size_t i = 1; i < words->count && named; i++) {
    size_t length = strlen(words->at[i]);
    if (length >= sizeof library - 1 && strcmp(words->at[i] + length - (sizeof library - 1), library) == 0)
      return true;
  }
  return false;
}

void cn_link_explain_errors(const struct cn_words *words)
{
  struct cn_words missing = {0}, mixed = {0};
  bool misplaced = false;
  const char *path = cn_temp_make_file_name("errors", ".txt");
  char *line = NULL;
  size_t capacity = 0;

  if (!path)
    return;
  cn_process_run_redirected(words, "/dev/null", path);
  FILE *errors = fopen(path, "r");
  while (errors && getline(&line, &capacity, errors) > 0) {
    explain_linker_message(line, &missing, &mixed);
    misplaced |= is_runtime_misplaced(words, line);
  }
  if (errors)
    fclose(errors);
  free(line);
  if (misplaced)
    fputs("cairn-cc: note: code of the program expects the runtime in the executable; compile it with "
          "-shared-libcairn or -fPIC\n",
          stderr);
  for (size_t i = 0; i < sizeof mixture_kinds / sizeof *mixture_kinds; i++)
    if (!add_unique_name(&mixed, mixture_kinds[i].symbol, strlen(mixture_kinds[i].symbol)))
      explain_mixed_kinds(words, &mixture_kinds[i]);
  cn_free(&missing);
  cn_free(&mixed);
}
