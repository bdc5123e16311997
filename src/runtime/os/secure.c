/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries the process's privileges, and opens output files safely: tells whether the runtime may use the environment
 * and write memory to files, and refuses paths to files of other users. All state is local. Runs on any thread, in any
 * phase.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"

/* The kernel sets AT_SECURE for set-user-ID, set-group-ID and file capabilities, and if a security module requests it.
 * Without an AT_SECURE entry the process is treated as privileged. */
bool cn_os_has_raised_privileges(void)
{
  errno = 0;
  return getauxval(AT_SECURE) != 0 || errno == ENOENT;
}

bool cn_os_is_dumpable(void)
{
  return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
}

/* Checks the file again after it is open, because another process may have replaced the file. */
int cn_os_open_device(const char *path)
{
  struct stat status;

  CN_ASSERT(path != NULL);
  if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) {
    errno = ENOENT;
    return -1;
  }
  int fd = cn_os_file_open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0);
  if (fd >= 0 && (fstat(fd, &status) != 0 || S_ISREG(status.st_mode))) {
    cn_os_file_close(fd);
    errno = EAGAIN;
    return -1;
  }
  return fd;
}

int cn_os_make_new_file(const char *path)
{
  CN_ASSERT(path != NULL);
  if (unlink(path) != 0 && errno != ENOENT)
    return -1;
  return cn_os_file_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

const char *cn_os_describe_open_error(int error)
{
  CN_ASSERT(error > 0);
  return error == ELOOP ? "it is a symbolic link" : strerrordesc_np(error);
}
