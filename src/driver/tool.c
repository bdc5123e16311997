/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drivers share: diagnostics on stderr.
 */
#include "driver/tool.h"

#include <stdio.h>

void cn_tool_diagnose(void *env, const struct cairn_diagnostic *d)
{
  static const char *const words[] = {"error", "warning", "remark", "note"};

  (void)env;
  if (d->file && d->line)
    fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
  else
    fputs("cairn: ", stderr);
  fprintf(stderr, "%s: ", words[d->severity]);
  if (d->function)
    fprintf(stderr, "in function '%s': ", d->function);
  fprintf(stderr, "%s", d->message);
  if (d->rule)
    fprintf(stderr, " [%s]", d->rule);
  fputc('\n', stderr);
}
