/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output, as several subcommands print it.
 */
#include "driver/tool/json.h"

#include <stdio.h>
#include "object/print/json_out.h"

void cn_json_string(const char *text)
{
  cn_json_out_text(stdout, text);
}

void cn_json_field(const char *name, const char *value)
{
  if (!value)
    return;
  printf(", \"%s\": ", name);
  cn_json_string(value);
}
