/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output: what several subcommands print of it.
 */
#include "driver/json.h"

#include <stdio.h>

void cn_json_string(const char *text)
{
  putchar('"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

void cn_json_field(const char *name, const char *value)
{
  if (!value)
    return;
  printf(", \"%s\": ", name);
  cn_json_string(value);
}
