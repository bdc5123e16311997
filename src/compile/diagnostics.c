/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps diagnostics beyond the call that made them: for callers that want a list, and for the pipeline, which holds
 * back the diagnostics of an attempt. Needs, breaks: nothing. Provides: cairn_diagnostics_keep(),
 * cairn_diagnostics_free(). The caller owns the list.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/pass.h"

static char *copy_or_null(const char *text)
{
  return text ? cn_strdup(text) : NULL;
}

static const char **copy_path(const struct cairn_diagnostic *d)
{
  const char **path = cn_alloc(d->path_count * sizeof *path);

  for (size_t i = 0; i < d->path_count; i++)
    path[i] = cn_strdup(d->path[i]);
  return path;
}

void cairn_diagnostics_keep(void *env, const struct cairn_diagnostic *d)
{
  struct cairn_diagnostics *list = env;
  struct cairn_diagnostic copy = *d;

  copy.rule = copy_or_null(d->rule);
  copy.message = copy_or_null(d->message);
  copy.function = copy_or_null(d->function);
  copy.file = copy_or_null(d->file);
  copy.directory = copy_or_null(d->directory);
  copy.value = copy_or_null(d->value);
  copy.other = copy_or_null(d->other);
  copy.instruction = copy_or_null(d->instruction);
  copy.block = copy_or_null(d->block);
  copy.path = copy_path(d);
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 8;
    list->at = cn_realloc(list->at, list->room * sizeof *list->at);
  }
  CN_CHECK(list->count < list->room);
  list->at[list->count++] = copy;
}

void cairn_diagnostics_free(struct cairn_diagnostics *list)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_diagnostic *d = &list->at[i];
    free((char *)d->rule);
    free((char *)d->message);
    free((char *)d->function);
    free((char *)d->file);
    free((char *)d->directory);
    free((char *)d->value);
    free((char *)d->other);
    free((char *)d->instruction);
    free((char *)d->block);
    for (size_t p = 0; p < d->path_count; p++)
      free((char *)d->path[p]);
    free((void *)d->path);
  }
  free(list->at);
  *list = (struct cairn_diagnostics){0};
}
