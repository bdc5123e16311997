/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes output files so that a failure leaves no partial file, or writes to standard output, and removes faulty
 * outputs. Runs at the end of a driver's steps. Prints errors on stderr, and holds no state.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/tool.h"

static bool write_all_bytes(int fd, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t done = write(fd, bytes, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    CN_CHECK((size_t)done <= size);
    bytes += done;
    size -= (size_t)done;
  }
  return true;
}

static bool report_write_error(const char *path)
{
  cn_tool_error("unable to write '%s': %s", path, strerror(errno));
  return false;
}

/* Write the bytes to an open file descriptor, and close the descriptor. */
static bool write_and_close(int fd, const char *path, const void *bytes, size_t size)
{
  bool ok = write_all_bytes(fd, bytes, size);
  int saved = errno;

  if (close(fd) != 0 && ok)
    return report_write_error(path);
  errno = saved;
  return ok || report_write_error(path);
}

/* Write a new file in the same directory, and rename it to `path`. */
static bool write_and_rename(const char *path, const void *bytes, size_t size)
{
  CN_CHECK(size == 0 || bytes != NULL);
  char *temporary = cn_format("%s.XXXXXX", path);
  int fd = mkostemp(temporary, O_CLOEXEC);
  bool ok = false;

  if (fd < 0) {
    report_write_error(path);
  } else {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    ok = write_and_close(fd, path, bytes, size);
    if (ok && rename(temporary, path) != 0)
      ok = report_write_error(path);
    if (!ok)
      unlink(temporary);
  }
  free(temporary);
  return ok;
}

bool cn_output_write(const char *path, const void *bytes, size_t size)
{
  struct stat status;

  CN_CHECK(bytes || size == 0);
  if (strcmp(path, "-") == 0) {
    fflush(stdout);
    return write_all_bytes(STDOUT_FILENO, bytes, size) || report_write_error("standard output");
  }
  if (stat(path, &status) != 0)
    return write_and_rename(path, bytes, size);
  if (S_ISREG(status.st_mode)) /* keep a read-only file, even if its directory allows the replacement */
    return access(path, W_OK) == 0 ? write_and_rename(path, bytes, size) : report_write_error(path);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? report_write_error(path) : write_and_close(fd, path, bytes, size);
}

void cn_output_remove(const char *path)
{
  struct stat status;

  if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
    unlink(path);
}
