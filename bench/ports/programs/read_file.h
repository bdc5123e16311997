/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a file, for the drivers of libraries in this folder.
 */
#ifndef BENCH_PORTS_READ_FILE_H
#define BENCH_PORTS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* Returns the file's text, or null if it cannot be read. The caller frees it. */
static char *read_file(const char *name)
{
  FILE *file = fopen(name, "r");
  char *text;
  long size;

  if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
    return NULL;
  rewind(file);
  text = malloc((size_t)size + 1);
  if (text)
    text[fread(text, 1, (size_t)size, file)] = 0;
  fclose(file);
  return text;
}

#endif
