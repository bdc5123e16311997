/* SPDX-License-Identifier: Apache-2.0
 *
 * Options by which the linker calls other functions than the objects name: --wrap=f calls __wrap_f
 * for f, and f for __real_f; --defsym=f=g calls g. Managed code calls by names of its own, so these
 * change in the objects that the linker gets. An archive that -l finds is the linker's; if it has
 * such calls, it must be named by its path.
 */
#include <ctype.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/units.h"
#include "driver/tool.h"

/* The words that the linker gets, without their -Wl, and -Xlinker. */
static struct cn_words linker_words(const struct cn_command *command)
{
  struct cn_words words = {0};

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_item *item = &command->items.at[i];
    if (item->input || !item->to_link)
      continue;
    if (item->count == 2 && strcmp(item->words[0], "-Xlinker") == 0)
      cn_push(&words, item->words[1]);
    if (strncmp(item->words[0], "-Wl,", 4) != 0)
      continue;
    for (const char *at = item->words[0] + 3; *at;) {
      size_t length = strcspn(++at, ",");
      cn_push(&words, cn_command_text("%.*s", (int)length, at));
      at += length;
    }
  }
  return words;
}

/* The argument of --NAME=ARGUMENT, or of --NAME and the next word; one dash does as well. */
static const char *argument_of(const struct cn_words *words, size_t i, const char *name)
{
  const char *word = words->at[i];
  size_t length = strlen(name);

  if (word[0] != '-')
    return NULL;
  word += word[1] == '-' ? 2 : 1;
  if (strncmp(word, name, length) != 0)
    return NULL;
  if (word[length] == '=')
    return word + length + 1;
  return !word[length] && i + 1 < words->count ? words->at[i + 1] : NULL;
}

static bool is_name(const char *text)
{
  return isalpha((unsigned char)text[0]) || text[0] == '_';
}

static void add(struct cn_renames *renames, const char *from, const char *to)
{
  cn_push(&renames->list, (struct cn_rename){from, to});
}

/* ---- archives that -l finds ---- */

/* The argument of an option that may be a word of its own. */
static const char *value_of(const struct cn_item *item, const char *option)
{
  size_t length = strlen(option);

  if (item->input || strncmp(item->words[0], option, length) != 0)
    return NULL;
  return item->words[0][length] ? item->words[0] + length : item->count > 1 ? item->words[1] : NULL;
}

/* The archive in one of the command's folders; null: there is none, or a shared object beside it.
 */
static const char *archive_of(const struct cn_command *command, const char *library)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const char *folder = value_of(&command->items.at[i], "-L");
    if (!folder)
      continue;
    const char *shared = cn_command_text("%s/lib%s.so", folder, library);
    const char *archive = library[0] == ':' ? cn_command_text("%s/%s", folder, library + 1)
                                            : cn_command_text("%s/lib%s.a", folder, library);
    if (access(archive, R_OK) == 0)
      return access(shared, R_OK) == 0 ? NULL : archive;
  }
  return NULL;
}

static bool check_libraries(const struct cn_command *command, const struct cn_renames *renames)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const char *library = value_of(&command->items.at[i], "-l");
    const char *archive = library ? archive_of(command, library) : NULL;
    if (!archive || !cn_inputs_would_change(archive, renames))
      continue;
    cn_tool_error(
        "'%s': -Wl,--wrap or -Wl,--defsym changes calls of managed code in it: give it by "
        "its path, not by -l%s",
        archive, library);
    return false;
  }
  return true;
}

bool cn_renames_collect(const struct cn_command *command, struct cn_renames *renames)
{
  struct cn_words words = linker_words(command);

  for (size_t i = 0; i < words.count; i++) {
    const char *wrapped = argument_of(&words, i, "wrap");
    const char *defined = argument_of(&words, i, "defsym");
    const char *equal = defined ? strchr(defined, '=') : NULL;
    if (wrapped && is_name(wrapped)) {
      add(renames, wrapped, cn_command_text("__wrap_%s", wrapped));
      add(renames, cn_command_text("__real_%s", wrapped), wrapped);
    }
    if (equal && is_name(defined) && is_name(equal + 1))
      add(renames, cn_command_text("%.*s", (int)(equal - defined), defined), equal + 1);
  }
  cn_free(&words);
  return renames->list.count == 0 || command->dry_run || check_libraries(command, renames);
}
