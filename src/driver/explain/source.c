/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads source files as lines, and finds functions by name. A missing or unreadable source has no lines.
 */
#include <stdlib.h>
#include "base/check.h"
#include "driver/explain/explain.h"

void cn_explain_read_source(struct cn_explain_source *source, const char *path)
{
  char *error = NULL;
  struct cn_text rest, line;

  *source = (struct cn_explain_source){.path = path};
  if (cn_input_open(&source->input, path, NULL, &error)) {
    free(error);
    return;
  }
  rest = (struct cn_text){source->input.bytes, source->input.size};
  while (cn_text_next_line(&rest, &line))
    cn_push(&source->lines, line);
}

void cn_explain_free_source(struct cn_explain_source *source)
{
  cn_free(&source->lines);
  cn_input_close(&source->input);
}

size_t cn_explain_find_function(struct cn_explain *explain, struct cn_text name)
{
  size_t count = explain->functions.count;

  for (size_t i = 0; i < count; i++) {
    size_t at = (explain->last_found + i) % count;
    if (cn_text_is(name, explain->functions.at[at].name))
      return explain->last_found = at;
  }
  return CN_EXPLAIN_NONE;
}
