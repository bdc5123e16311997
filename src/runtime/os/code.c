/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives code pages a second, writable mapping for Linux: a copy of the pages in a memfd, mapped writable at a new
 * address and executable in the pages' place. No page is ever writable and executable, so the mappings are permitted
 * under PR_SET_MDWE. Runs on any thread, in any phase; the file has no state.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/check.h"
#include "base/near_memory.h"

/* ---- checks ---- */

struct code_check {
  uintptr_t next, end; /* the pages from `next` on are unchecked */
};

/* True at the end of the check: the range is covered, or a mapping in it is not plain code. */
static bool check_mapping(void *env, const struct cn_mapping *mapping)
{
  struct code_check *check = env;

  if (mapping->end <= check->next)
    return false;
  if (mapping->start > check->next || !mapping->may_read || mapping->may_write || !mapping->may_execute)
    return true;
  check->next = mapping->end;
  return check->next >= check->end;
}

/* True if all pages of the range are readable, executable and not writable. */
static bool is_plain_code(uintptr_t start, size_t bytes)
{
  struct code_check check = {start, start + bytes};

  return cn_os_visit_mappings(check_mapping, &check) && check.next >= check.end;
}

/* ---- copies ---- */

/* Write by the system, so that an unreadable page is an error. */
static bool fill_file(int file, uintptr_t start, size_t bytes)
{
  for (size_t done = 0; done < bytes;) {
    long written = syscall(SYS_pwrite64, file, (void *)(start + done), bytes - done, (long)done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    done += (size_t)written;
  }
  return true;
}

int cn_os_copy_code(uintptr_t start, size_t bytes, int *error)
{
  int file = cn_code_file_make();

  CN_ASSERT(start % cn_os_page_bytes() == 0 && bytes % cn_os_page_bytes() == 0);
  if (file < 0) {
    *error = errno;
    return -1;
  }
  if (fill_file(file, start, bytes))
    return file;
  *error = errno;
  cn_os_file_close(file);
  return -1;
}

/* ---- mappings ---- */

static void *map_writable(int file, size_t bytes, void *at)
{
  void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at != NULL ? MAP_FIXED : 0), file, 0);

  return memory == MAP_FAILED ? NULL : memory;
}

/* Map the file elsewhere first: a mapping that the system refuses then leaves the code in place. */
static bool map_over_code(int file, uintptr_t start, size_t bytes)
{
  void *trial = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);

  if (trial == MAP_FAILED)
    return false;
  bool done = mmap((void *)start, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  int error = errno;
  munmap(trial, bytes);
  errno = error;
  return done;
}

bool cn_os_map_code_copy(int file, uintptr_t start, size_t bytes, void *writable)
{
  return map_writable(file, bytes, writable) != NULL && map_over_code(file, start, bytes);
}

static char *alias_copy(int file, uintptr_t start, size_t bytes, int *error)
{
  char *writable = map_writable(file, bytes, NULL);

  if (writable != NULL && map_over_code(file, start, bytes))
    return writable;
  *error = errno;
  if (writable != NULL)
    munmap(writable, bytes);
  return NULL;
}

char *cn_os_alias_code(uintptr_t start, size_t bytes, int *error)
{
  *error = 0;
  if (!is_plain_code(start, bytes))
    return NULL;
  int file = cn_os_copy_code(start, bytes, error);
  if (file < 0)
    return NULL;
  char *writable = alias_copy(file, start, bytes, error);
  cn_os_file_close(file);
  return writable;
}

/* The page stays executable throughout, because threads run it. */
bool cn_os_renew_code(uintptr_t start, size_t bytes)
{
  return mprotect((void *)start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 &&
         mprotect((void *)start, bytes, PROT_READ | PROT_EXEC) == 0;
}

/* ---- marks ---- */

bool cn_os_map_code_marker(const char *path)
{
  int file = cn_os_file_open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  void *page = MAP_FAILED;

  if (file >= 0) {
    page = mmap(NULL, cn_os_page_bytes(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    cn_os_file_close(file);
  }
  return page != MAP_FAILED;
}
