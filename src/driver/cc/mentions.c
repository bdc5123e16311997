/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out whether a C source may have references: the text of a source file or header must contain the name of an
 * attribute or header of Cairn. After the front end, also searches bitcode for the name of a managed type. Maps files
 * as text. The functions only read files, print nothing, and hold no state.
 *
 * Before the compilation of a unit, a rough search reads the source and the user's headers that the source includes;
 * the result only decides how the unit is compiled first. If the search finds nothing, clang's graph of included files
 * decides after the compilation (cn_mentions_in_include_graph).
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/units.h"

static bool has_managed_words(const char *text, size_t size)
{
  static const char attribute[] = "address_space", ours[] = "cairn";

  return memmem(text, size, attribute, sizeof attribute - 1) || memmem(text, size, ours, sizeof ours - 1);
}

/* ---- files ---- */

static struct cn_mapped_text map_file(int file)
{
  struct stat status;
  struct cn_mapped_text text = {0};

  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return text;
  void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at != MAP_FAILED)
    text = (struct cn_mapped_text){.at = at, .size = (size_t)status.st_size};
  return text;
}

struct cn_mapped_text cn_text_open(const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct cn_mapped_text text = map_file(file);

  if (file >= 0)
    close(file);
  return text;
}

void cn_text_close(struct cn_mapped_text text)
{
  if (text.at)
    munmap((void *)text.at, text.size);
}

/* ---- before: the files that includes seem to name ---- */

struct include_search {
  struct cn_words folders; /* that options name */
  struct cn_words seen;    /* files */
};

static bool search_text(struct include_search *search, const char *path, struct cn_mapped_text text);

static bool is_file_searched(const struct include_search *search, const char *path)
{
  for (size_t i = 0; i < search->seen.count; i++)
    if (strcmp(search->seen.at[i], path) == 0)
      return true;
  return false;
}

/* True if the file exists. Sets *found if the file or a file that it includes mentions references. */
static bool search_file(struct include_search *search, const char *path, bool *found)
{
  if (access(path, R_OK) != 0)
    return false;
  if (is_file_searched(search, path))
    return true;
  struct cn_mapped_text text = cn_text_open(path);
  CN_ASSERT(!is_file_searched(search, path)); /* files that include each other are searched once */
  cn_push(&search->seen, path);
  *found = text.at && search_text(search, path, text);
  cn_text_close(text);
  return true;
}

/* Search the file that the file at `path` includes as `name`. */
static bool search_included_file(struct include_search *search, const char *path, const char *name)
{
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  bool found = false;

  if (search_file(search, cn_command_format_string("%.*s%s", *name == '/' ? 0 : folder, path, name), &found))
    return found;
  for (size_t i = 0; i < search->folders.count; i++)
    if (search_file(search, cn_command_format_string("%s/%s", search->folders.at[i], name), &found))
      return found;
  return false; /* the system's */
}

/* The name in `#include "name"` or `#include <name>` after the `#` before `at`, or null. */
static const char *included_name_at(const char *at, const char *end)
{
  static const char word[] = "include";

  CN_ASSERT(at <= end);
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  if ((size_t)(end - at) < sizeof word || memcmp(at, word, sizeof word - 1) != 0)
    return NULL;
  at += sizeof word - 1;
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  if (at == end || (*at != '"' && *at != '<'))
    return NULL;
  const char *stop = memchr(at + 1, *at == '<' ? '>' : '"', (size_t)(end - at - 1));
  return stop ? cn_command_format_string("%.*s", (int)(stop - at - 1), at + 1) : NULL;
}

static bool search_text(struct include_search *search, const char *path, struct cn_mapped_text text)
{
  const char *end = text.at + text.size;

  if (has_managed_words(text.at, text.size))
    return true;
  for (const char *at = text.at; (at = memchr(at, '#', (size_t)(end - at))) != NULL;) {
    CN_ASSERT(at < end && *at == '#');
    const char *name = included_name_at(++at, end);
    if (name && search_included_file(search, path, name))
      return true;
  }
  return false;
}

/* True for options that make a search of the text useless, because clang reads other files (precompiled headers, other
 * names), makes no graph, or has the graph in its output. */
static bool defeats_text_search(const char *word)
{
  static const char *const names[] = {
      "-include-pch",    "-fmodule",    "-fpch",        "--config", "-ivfs",     "--sysroot", "-isysroot",
      "-dependency-dot", "-save-temps", "--save-temps", "-imacros", "-grecord-", "-frecord-", "-no-integrated-cpp"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(word, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Gather the folders of headers from the options. True if an option shows that the unit may have references. */
static bool search_options(const struct cn_command *command, struct include_search *search)
{
  static const char *const folders[] = {"-I", "-iquote", "-isystem", "-idirafter"};

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    const char *word = item->words[0], *value = item->words[item->count - 1];
    if (item->input)
      continue;
    if (strncmp(word, "-D", 2) == 0 &&
        (has_managed_words(word, strlen(word)) || has_managed_words(value, strlen(value))))
      return true;
    if (defeats_text_search(word) || defeats_text_search(value))
      return true;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
      if (strncmp(word, folders[k], strlen(folders[k])) == 0)
        cn_push(&search->folders, item->count > 1 ? value : word + strlen(folders[k]));
  }
  return false;
}

/* Search the files of -include, which clang's graph lacks. */
static bool search_forced_includes(const struct cn_command *command, struct include_search *search)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    size_t seen = search->seen.count;
    if (item->input || strstr(item->words[0], "-include") == NULL)
      continue;
    if (item->count < 2 || search_included_file(search, "", item->words[1]) || search->seen.count == seen ||
        access(cn_command_format_string("%s.pch", search->seen.at[seen]), R_OK) == 0 ||
        access(cn_command_format_string("%s.gch", search->seen.at[seen]), R_OK) == 0)
      return true;
  }
  return false;
}

bool cn_mentions_references(const struct cn_command *command, const char *input)
{
  struct include_search search = {0};
  bool found = search_options(command, &search) || search_forced_includes(command, &search);

  if (!found && strcmp(input, "-") == 0) {
    struct cn_mapped_text text = map_file(STDIN_FILENO);
    found = text.at && search_text(&search, "", text);
    cn_text_close(text);
  } else if (!found) {
    search_file(&search, input, &found);
  }
  cn_free(&search.folders);
  cn_free(&search.seen);
  return found;
}

/* ---- after: the files that clang read ---- */

/* True if the file whose path is a quoted label mentions references. Clang omits the root folder from labels. */
static bool labelled_file_has_mentions(const char *label, const char *end)
{
  char path[4096] = "/";
  size_t length = 1;
  bool found = false;

  for (; label < end && *label != '"' && length < sizeof path - 1; label++) {
    label += *label == '\\' && label + 1 < end;
    path[length++] = *label;
  }
  CN_CHECK(length < sizeof path);
  path[length] = 0;
  for (int rooted = 0; rooted < 2 && !found; rooted++) {
    struct cn_mapped_text text = cn_text_open(path + !rooted);
    found = text.at && has_managed_words(text.at, text.size);
    cn_text_close(text);
  }
  return found;
}

bool cn_mentions_in_include_graph(const char *path)
{
  static const char before[] = "label=\"";
  struct cn_mapped_text graph = cn_text_open(path);
  const char *at = graph.at, *end = at + graph.size;
  bool found = !at;

  while (at && !found) {
    at = memmem(at, (size_t)(end - at), before, sizeof before - 1);
    at = at ? at + sizeof before - 1 : NULL;
    found = at && labelled_file_has_mentions(at, end);
  }
  cn_text_close(graph);
  return found;
}

bool cn_mentions_managed_type(const void *bitcode, size_t size)
{
  static const char tag[] = "cairn_managed"; /* bitcode contains metadata strings unchanged */

  return memmem(bitcode, size, tag, sizeof tag - 1) != NULL;
}
