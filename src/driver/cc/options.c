/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the constant table of the options of clang that the driver interprets, checks the table in debug builds, and
 * looks up its rows. Runs while the command is read, and prints nothing; command.c applies the rows.
 */
#include "driver/cc/cc_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct cn_option option_rows[] = {
#define CN_OPTION(name, shape, effect) {name, CN_SHAPE_##shape, CN_EFFECT_##effect},
#include "driver/cc/options.def"
#undef CN_OPTION
};

static bool row_matches_word(const struct cn_option *row, const char *word)
{
  bool exact = row->shape == CN_SHAPE_FLAG || row->shape == CN_SHAPE_SEPARATE;

  return exact ? strcmp(word, row->name) == 0 : strncmp(word, row->name, strlen(row->name)) == 0;
}

static bool is_row_shadowed(const struct cn_option *all, size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (row_matches_word(&all[i], all[at].name))
      return true;
  return false;
}

const char *cn_options_wrong(const struct cn_option *all, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (all[i].name[0] != '-' || !all[i].name[1])
      return "options: a name is no option's";
    if (is_row_shadowed(all, i))
      return "options: an earlier row takes a row's words";
    if (all[i].effect == CN_EFFECT_OWN && all[i].shape != CN_SHAPE_PREFIX)
      return "options: Cairn's own are not a prefix";
  }
  return NULL;
}

const struct cn_option *cn_options_table(size_t *count)
{
  *count = sizeof option_rows / sizeof *option_rows;
  return option_rows;
}

const struct cn_option *cn_options_find(const char *word)
{
  for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
    if (row_matches_word(&option_rows[i], word))
      return &option_rows[i];
  }
  return NULL;
}
