/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the linker options that replace the callees of calls: --wrap=f makes calls of f call __wrap_f, and calls of
 * __real_f call f; --defsym=f=g and "f = g;" in a linker script make calls of f call g. Calls in managed code use
 * Cairn's names for functions, so the driver renames these symbols in the objects for the linker. An archive with such
 * calls must be an argument of the driver, because the driver does not rewrite archives that -l finds. Runs before the
 * link, reads scripts and archives, changes no file, and prints errors on stderr. The results are in struct cn_renames.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/units.h"
#include "driver/tool.h"

/* Add a linker word of -Wl or -Xlinker, and the words of a response file that it names. */
static bool add_linker_word(struct cn_words *words, const char *word)
{
  if (cn_response_expand_linker_word(word, words))
    return true;
  cn_tool_error("'%s', a response file of the linker, is a pipe, which --wrap and --defsym cannot be "
                "looked for in: give it to cairn-cc itself, or use a file",
                word);
  return false;
}

static bool gather_linker_words(const struct cn_command *command, struct cn_words *words)
{
  bool ok = true;

  for (size_t i = 0; ok && i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (item->input || !item->to_link)
      continue;
    if (item->count == 2 && strcmp(item->words[0], "-Xlinker") == 0)
      ok = add_linker_word(words, item->words[1]);
    if (strncmp(item->words[0], "-Wl,", 4) != 0)
      continue;
    for (const char *at = item->words[0] + 3; ok && *at;) {
      size_t length = strcspn(++at, ",");
      ok = add_linker_word(words, cn_command_format_string("%.*s", (int)length, at));
      at += length;
    }
  }
  return ok;
}

/* The argument of --NAME=ARGUMENT or of "--NAME ARGUMENT", with one dash or two. GNU ld accepts a prefix of a name with
 * at least `least` letters. */
static const char *linker_argument_of(const struct cn_words *words, size_t i, const char *name, size_t least)
{
  const char *word = words->at[i];

  if (word[0] != '-')
    return NULL;
  word += word[1] == '-' ? 2 : 1;
  size_t length = strcspn(word, "=");
  if (length < least || length > strlen(name) || memcmp(word, name, length) != 0)
    return NULL;
  if (word[length] == '=')
    return word + length + 1;
  return i + 1 < words->count ? words->at[i + 1] : NULL;
}

/* The argument of a compiler option, in the same word or in the next word. */
static const char *option_value_of(const struct cn_command_item *item, const char *option)
{
  size_t length = strlen(option);

  if (item->input || strncmp(item->words[0], option, length) != 0)
    return NULL;
  return item->words[0][length] ? item->words[0] + length : item->count > 1 ? item->words[1] : NULL;
}

static bool begins_symbol_name(const char *text)
{
  return isalpha((unsigned char)text[0]) || text[0] == '_';
}

static bool is_symbol_character(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static void add_rename(struct cn_renames *renames, const char *from, const char *to)
{
  cn_push(&renames->list, (struct cn_function_rename){from, to});
}

static int symbol_name_length(const char *text)
{
  int length = 0;

  while (is_symbol_character(text[length]))
    length++;
  return begins_symbol_name(text) ? length : 0;
}

static void add_defsym_rename(const char *text, struct cn_renames *renames)
{
  int from = symbol_name_length(text);

  if (text[from] == '=') {
    const char *to = text + from + 1;
    int length = symbol_name_length(to);
    add_rename(renames, cn_command_format_string("%.*s", from, text), length && !to[length] ? to : NULL);
  }
}

/* ---- linker scripts ---- */

/* Read the names `f` and `g` of an assignment "f = g;" with its equals sign at `at`. `g` is null if the right side is
 * another expression. */
static bool read_assignment_at(const char *text, const char *at, struct cn_function_rename *names)
{
  static const char space[] = " \t\r\n";
  const char *end = at, *to = at + 1 + strspn(at + 1, space);

  while (end > text && strchr(space, end[-1]))
    end--;
  const char *from = end;
  while (from > text && is_symbol_character(from[-1]))
    from--;
  bool begins = from == text || strchr(" \t\r\n;{}/", from[-1]);
  int length = symbol_name_length(to);
  const char *after = to + length + strspn(to + length, space);
  if (!begins || from == end || !begins_symbol_name(from) || at[1] == '=')
    return false;
  *names = (struct cn_function_rename){cn_command_format_string("%.*s", (int)(end - from), from),
                                       length && *after == ';' ? cn_command_format_string("%.*s", length, to) : NULL};
  return true;
}

/* Add the assignments of a linker script. Any text file among the linker's inputs is a script. Assignments in PROVIDE
 * are omitted, because they define only undefined names, and managed code calls these by the same names. */
static void add_script_renames(const char *path, struct cn_renames *renames)
{
  enum { MAX_SCRIPT_BYTES = 1 << 20 };
  struct stat status;
  FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "r") : NULL;
  char *text = file ? cn_alloc(MAX_SCRIPT_BYTES + 1) : NULL;
  size_t size = file ? fread(text, 1, MAX_SCRIPT_BYTES, file) : 0;
  struct cn_function_rename names;

  if (file)
    fclose(file);
  if (size && !memchr(text, 0, size)) /* objects, archives and bitcode contain null bytes */
    for (char *at = text; (at = strchr(at, '=')) != NULL; at++)
      if (read_assignment_at(text, at, &names))
        cn_push(&renames->list, names);
  free(text);
}

static void add_renames_of_scripts(const struct cn_command *command, const struct cn_words *words,
                                   struct cn_renames *renames)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    const char *script = item->input ? NULL : option_value_of(item, "-T");
    if (item->input && item->language == CN_LANG_FOR_LINKER)
      script = item->words[0];
    if (script)
      add_script_renames(script, renames);
  }
  for (size_t i = 0; i < words->count; i++) {
    const char *script = linker_argument_of(words, i, "script", sizeof "script" - 1);
    if (!script && words->at[i][0] != '-')
      script = words->at[i];
    if (!script && strncmp(words->at[i], "-T", 2) == 0)
      script = words->at[i] + 2;
    if (script)
      add_script_renames(script, renames);
  }
}

/* ---- files that only the linker reads ---- */

/* Find the archive lib`library`.a, or the file that `library` names after a colon, in the first folder that has it.
 * Null if all folders lack the file, or if the linker finds a shared object first. */
static const char *find_library_archive(const struct cn_words *folders, const char *library, bool is_static)
{
  for (size_t i = 0; i < folders->count; i++) {
    const char *shared = cn_command_format_string("%s/lib%s.so", folders->at[i], library);
    const char *archive = library[0] == ':' ? cn_command_format_string("%s/%s", folders->at[i], library + 1)
                                            : cn_command_format_string("%s/lib%s.a", folders->at[i], library);
    bool is_shared = !is_static && access(shared, R_OK) == 0;
    if (is_shared || access(archive, R_OK) == 0)
      return is_shared ? NULL : archive;
  }
  return NULL;
}

/* True if an option may make the linker prefer archives to shared objects. */
static bool may_prefer_archives(const struct cn_command *command, const struct cn_words *words)
{
  static const char *const names[] = {"-static", "-static-pie", "--static", "-Bstatic", "-dn", "-non_shared"};
  bool found = false;

  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    for (size_t i = 0; i < command->items.count; i++)
      found |= strcmp(command->items.at[i].words[0], names[n]) == 0;
    for (size_t i = 0; i < words->count; i++)
      found |= strcmp(words->at[i], names[n]) == 0;
  }
  return found;
}

/* The argument of the linker option `letter` or --NAME at word `i`, in the same word or in the next word. */
static const char *linker_option_value_of(const struct cn_words *words, size_t i, const char *letter, const char *name)
{
  const char *word = words->at[i], *value = linker_argument_of(words, i, name, strlen(name));

  if (value || strncmp(word, letter, 2) != 0)
    return value;
  return word[2] ? word + 2 : i + 1 < words->count ? words->at[i + 1] : NULL;
}

static struct cn_words gather_option_values(const struct cn_command *command, const struct cn_words *words,
                                            const char *letter, const char *name)
{
  struct cn_words values = {0};

  for (size_t i = 0; i < command->items.count; i++) {
    const char *value = option_value_of(&command->items.at[i], letter);
    if (value)
      cn_push(&values, value);
  }
  for (size_t i = 0; i < words->count; i++) {
    const char *value = linker_option_value_of(words, i, letter, name);
    if (value)
      cn_push(&values, value);
  }
  return values;
}

static bool check_linker_file(const char *path, const char *how, const struct cn_renames *renames)
{
  if (!cn_inputs_has_renamed_calls(path, renames))
    return true;
  cn_tool_error("'%s': -Wl,--wrap or -Wl,--defsym changes calls of managed code in it: give it by "
                "its path, not by %s",
                path, how);
  return false;
}

static bool check_linker_files(const struct cn_command *command, const struct cn_words *words,
                               const struct cn_renames *renames)
{
  struct cn_words folders = gather_option_values(command, words, "-L", "library-path");
  struct cn_words libraries = gather_option_values(command, words, "-l", "library");
  bool ok = true, is_static = may_prefer_archives(command, words);

  for (size_t l = 0; ok && l < libraries.count; l++) {
    const char *archive = find_library_archive(&folders, libraries.at[l], is_static);
    ok = !archive || check_linker_file(archive, cn_command_format_string("-l%s", libraries.at[l]), renames);
  }
  for (size_t i = 0; ok && i < words->count; i++)
    ok = words->at[i][0] == '-' || check_linker_file(words->at[i], "-Wl", renames);
  cn_free(&folders);
  cn_free(&libraries);
  return ok;
}

bool cn_renames_gather(const struct cn_command *command, struct cn_renames *renames)
{
  struct cn_words words = {0};
  bool ok = gather_linker_words(command, &words);

  for (size_t i = 0; i < words.count; i++) {
    const char *wrapped = linker_argument_of(&words, i, "wrap", sizeof "wr" - 1);
    const char *defined = linker_argument_of(&words, i, "defsym", sizeof "defs" - 1);
    if (wrapped && begins_symbol_name(wrapped)) {
      add_rename(renames, wrapped, cn_command_format_string("__wrap_%s", wrapped));
      add_rename(renames, cn_command_format_string("__real_%s", wrapped), wrapped);
    }
    if (defined && begins_symbol_name(defined))
      add_defsym_rename(defined, renames);
  }
  if (ok)
    add_renames_of_scripts(command, &words, renames);
  ok = ok && (renames->list.count == 0 || command->dry_run || check_linker_files(command, &words, renames));
  cn_free(&words);
  return ok;
}
