/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens, reads and writes files by system calls, without state. The C library's functions are cancellation points, so
 * pthread_cancel() would end the thread in the middle of the runtime's work. Runs on any thread, in any phase;
 * async-signal-safe.
 */
#include "runtime/os/os.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int cn_os_file_open(const char *path, int flags, unsigned mode)
{
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int cn_os_file_close(int file)
{
  return (int)syscall(SYS_close, file);
}

ptrdiff_t cn_os_file_read(int file, void *bytes, size_t size)
{
  return syscall(SYS_read, file, bytes, size);
}

ptrdiff_t cn_os_file_write(int file, const void *bytes, size_t size)
{
  return syscall(SYS_write, file, bytes, size);
}
