/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps memory near other code for Linux. Code is a file in memory, mapped writable at any address, and executable near
 * the other code; this is permitted under PR_SET_MDWE. Runs on any thread, in any phase; the file has no state.
 */
#include "base/near_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* Addresses are tried at this distance from each other. */
#define STEP_BYTES ((uintptr_t)1 << 20)
#define LEAST_ADDRESS ((uintptr_t)1 << 20)

enum { IN_USE = 0, DENIED = 1 }; /* in place of an address */

/* Linux before 6.3 refuses the flag MFD_EXEC. */
int cn_code_file_make(void)
{
  long file = syscall(SYS_memfd_create, "cairn-code", MFD_CLOEXEC | MFD_EXEC);

  if (file < 0 && errno == EINVAL)
    file = syscall(SYS_memfd_create, "cairn-code", MFD_CLOEXEC);
  return (int)file;
}

/* A mapping of a file, or of memory of the process. */
struct mapping {
  int file; /* -1: none */
  int protection;
  size_t bytes;
};

/* Linux before 4.17 takes the address for a hint. */
static uintptr_t map_at(const struct mapping *mapping, uintptr_t at)
{
  int flags = mapping->file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void *memory = mmap((void *)at, mapping->bytes, mapping->protection, flags | MAP_FIXED_NOREPLACE, mapping->file, 0);

  if (memory == MAP_FAILED)
    return errno == EEXIST ? IN_USE : DENIED;
  if ((uintptr_t)memory == at)
    return at;
  munmap(memory, mapping->bytes);
  errno = EEXIST;
  return IN_USE;
}

/* Below first, since the heap of malloc() grows above a program's code. */
static uintptr_t map_near(const struct mapping *mapping, uintptr_t near, uintptr_t reach)
{
  uintptr_t found = IN_USE, start = near / STEP_BYTES * STEP_BYTES;
  uintptr_t most = reach > mapping->bytes + STEP_BYTES ? reach - mapping->bytes - STEP_BYTES : 0;

  errno = EEXIST;
  for (uintptr_t away = 0; found == IN_USE && away < most && away + LEAST_ADDRESS <= start; away += STEP_BYTES)
    found = map_at(mapping, start - away);
  for (uintptr_t away = STEP_BYTES; found == IN_USE && away < most; away += STEP_BYTES)
    found = map_at(mapping, start + away);
  return found == DENIED ? 0 : found;
}

void *cn_map_data_near(uintptr_t near, uintptr_t reach, size_t bytes)
{
  return (void *)map_near(&(struct mapping){-1, PROT_READ | PROT_WRITE, bytes}, near, reach);
}

void *cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code)
{
  int file = cn_code_file_make();

  *code = 0;
  if (file < 0)
    return NULL;
  void *writable =
      ftruncate(file, (off_t)bytes) == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (writable != MAP_FAILED)
    *code = map_near(&(struct mapping){file, PROT_READ | PROT_EXEC, bytes}, near, reach);
  int error = errno;
  syscall(SYS_close, file); /* close() is a cancellation point */
  if (*code == 0 && writable != MAP_FAILED)
    munmap(writable, bytes);
  errno = error;
  return *code == 0 ? NULL : writable;
}
