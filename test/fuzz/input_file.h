/* SPDX-License-Identifier: Apache-2.0
 *
 * An input as a file, for what takes paths.
 */
#ifndef CN_FUZZ_INPUT_FILE_H
#define CN_FUZZ_INPUT_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file with these bytes, until the next call. */
static const char *input_file(const unsigned char *data, size_t size)
{
  static char path[32];
  static int file = -1;

  if (file < 0) {
    file = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  if (file < 0 || ftruncate(file, (off_t)size) || pwrite(file, data, size, 0) != (ssize_t)size)
    abort();
  return path;
}

static FILE *nowhere(void)
{
  static FILE *file;

  if (!file && !(file = fopen("/dev/null", "w")))
    abort();
  return file;
}

#endif
