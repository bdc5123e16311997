/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps memory for code near other code for Linux: a file in memory, mapped writable at any address, and executable
 * within the reach of a branch. No page is ever writable and executable. Runs on any thread, in any phase; the file has
 * no state.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/check.h"

/* Addresses are tried at this distance from each other. */
#define STEP_BYTES ((uintptr_t)4 << 20)
#define LEAST_ADDRESS ((uintptr_t)1 << 20)

enum { IN_USE = 0, DENIED = 1 }; /* in place of an address */

/* Linux before 4.17 takes the address for a hint. */
static uintptr_t map_code_at(int file, uintptr_t at, size_t bytes)
{
  void *code = mmap((void *)at, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);

  if (code == MAP_FAILED)
    return errno == EEXIST ? IN_USE : DENIED;
  if ((uintptr_t)code == at)
    return at;
  munmap(code, bytes);
  return IN_USE;
}

/* Below first, since the heap of malloc() grows above a program's code. */
static uintptr_t map_code(int file, uintptr_t near, uintptr_t reach, size_t bytes)
{
  uintptr_t code = IN_USE, start = near / STEP_BYTES * STEP_BYTES, most = reach - STEP_BYTES;

  for (uintptr_t away = 0; code == IN_USE && away < most && away + LEAST_ADDRESS <= start; away += STEP_BYTES)
    code = map_code_at(file, start - away, bytes);
  for (uintptr_t away = STEP_BYTES; code == IN_USE && away < most; away += STEP_BYTES)
    code = map_code_at(file, start + away, bytes);
  return code == DENIED ? 0 : code;
}

void *cn_os_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code)
{
  int file = cn_os_make_code_file();

  *code = 0;
  if (file < 0)
    return NULL;
  void *writable =
      ftruncate(file, (off_t)bytes) == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (writable != MAP_FAILED)
    *code = map_code(file, near, reach, bytes);
  cn_os_file_close(file);
  if (*code != 0)
    return writable;
  if (writable != MAP_FAILED)
    munmap(writable, bytes);
  return NULL;
}
