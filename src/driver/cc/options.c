/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the options of clang that the driver must know.
 */
#include "driver/cc/cc_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct cn_option rows[] = {
#define CN_OPTION(name, shape, effect) {name, CN_SHAPE_##shape, CN_EFFECT_##effect},
#include "driver/cc/options.def"
#undef CN_OPTION
};

const struct cn_option *cn_options_find(const char *word)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct cn_option *row = &rows[i];
    bool exact = row->shape == CN_SHAPE_FLAG || row->shape == CN_SHAPE_SEPARATE;
    if (exact ? strcmp(word, row->name) == 0 : strncmp(word, row->name, strlen(row->name)) == 0)
      return row;
  }
  return NULL;
}
