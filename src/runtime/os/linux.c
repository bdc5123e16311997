/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/os/groups.h"

extern void *__libc_stack_end; /* set by the dynamic linker or the static start code */

size_t cn_os_page(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

size_t cn_os_memory(void)
{
  size_t physical = (size_t)sysconf(_SC_PHYS_PAGES) * cn_os_page(), group = cn_groups_memory("");

  return physical < group ? physical : group;
}

size_t cn_os_processors(void)
{
  cpu_set_t set;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  size_t group = cn_groups_processors("");
  size_t allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set)
                   : online > 0                                ? (size_t)online
                                                               : 1;

  if (group < allowed)
    allowed = group;
  return allowed > 0 ? allowed : 1;
}

static size_t limit_of(int resource)
{
  struct rlimit limit;

  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  return limit.rlim_cur;
}

/* The data segment is, since Linux 4.7, all private memory that can be written. */
size_t cn_os_limit(void)
{
  size_t addresses = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);

  return addresses < data ? addresses : data;
}

uint64_t cn_os_nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

uintptr_t cn_os_reserve(size_t bytes)
{
  void *at = mmap(NULL, bytes, PROT_NONE, reserve_flags, -1, 0);

  return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

/* If the system call is not allowed, read the memory: a fault tells. */
bool cn_os_read(uintptr_t at, void *into, size_t bytes)
{
  struct iovec here = {into, bytes}, there = {(void *)at, bytes};
  int error = errno;
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

  if (got < 0 && (errno == ENOSYS || errno == EPERM)) {
    memcpy(into, (const void *)at, bytes);
    got = (ssize_t)bytes;
  }
  errno = error;
  return got == (ssize_t)bytes;
}

bool cn_os_commit(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at % cn_os_page() == 0);
  return bytes == 0 || mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) == 0;
}

void cn_os_populate(uintptr_t at, size_t bytes)
{
  madvise((void *)at, bytes, MADV_POPULATE_WRITE);
}

/* Locked pages stay, whatever the advice: they need another mapping in their place, and where that
 * is refused, to be cleared. */
void cn_os_release(uintptr_t at, size_t bytes)
{
  void *memory = (void *)at;

  CN_ASSERT(at % cn_os_page() == 0 && bytes % cn_os_page() == 0); /* no other data is on it */
  if (bytes == 0)
    return;
  /* Not another mapping as a rule: that would have no advice of large pages, and memory that came
   * back later would be faulted in by small ones. */
  if (madvise(memory, bytes, MADV_DONTNEED) != 0) {
    if (mmap(memory, bytes, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0) != MAP_FAILED)
      return;
    if (!cn_os_commit(at, bytes)) {
      static const char text[] = "cairn: out of memory: the system does not take memory back\n";
      cn_os_message(text, sizeof text - 1);
      _exit(1); /* it would not be zero when it is committed again */
    }
    memset(memory, 0, bytes);
  }
  mprotect(memory, bytes, PROT_NONE);
}

void cn_os_discard(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at % cn_os_page() == 0 && bytes % cn_os_page() == 0);
  madvise((void *)at, bytes, MADV_DONTNEED);
}

void cn_os_prefer_large_pages(uintptr_t at, size_t bytes)
{
  madvise((void *)at, bytes, MADV_HUGEPAGE);
}

void cn_os_prefer_small_pages(uintptr_t at, size_t bytes)
{
  madvise((void *)at, bytes, MADV_NOHUGEPAGE);
}

/* The old addresses stay mapped in between: in a hole another thread's mmap() could put something,
 * over which the second mapping would come. They are empty, so that without memory for a mapping
 * in their place nothing but the fault is lost. */
bool cn_os_move(uintptr_t from, size_t bytes, uintptr_t to)
{
  void *old = (void *)from, *new = (void *)to;

  CN_ASSERT(from + bytes <= to || to + bytes <= from);
  if (mremap(old, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, new) ==
      MAP_FAILED)
    return false;
  if (mmap(old, bytes, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0) == MAP_FAILED)
    mprotect(old, bytes, PROT_NONE);
  return true;
}

void *cn_os_resize(void *old, size_t old_bytes, size_t bytes)
{
  void *at = old == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, reserve_flags, -1, 0)
                         : mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);

  return at == MAP_FAILED ? NULL : at;
}

void cn_os_free(void *memory, size_t bytes)
{
  CN_ASSERT(memory != NULL && (uintptr_t)memory % cn_os_page() == 0);
  munmap(memory, bytes);
}

bool cn_os_is_main_thread(void)
{
  return syscall(SYS_gettid) == getpid();
}

uintptr_t cn_os_main_stack_end(void)
{
  return (uintptr_t)__libc_stack_end;
}

/* The limit counts from the end of the stack's mapping, where the arguments and the environment
 * are; the name of the executable is the last of it. */
uintptr_t cn_os_main_stack_bottom(void)
{
  struct rlimit limit;
  uintptr_t name = getauxval(AT_EXECFN), page = cn_os_page();

  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return 0;
  uintptr_t top = name != 0 ? name + strlen((const char *)name) + 1 : cn_os_main_stack_end();
  top = (top + page - 1) & ~(page - 1);
  return limit.rlim_cur < top ? top - limit.rlim_cur : 0;
}

/* "start-end rw-p ...": the bounds of one line of the kernel's list; false: it may not be written.
 */
static bool read_range(const char *line, uintptr_t *bottom, uintptr_t *end)
{
  char *after;

  *bottom = strtoul(line, &after, 16);
  if (*after != '-')
    return false;
  *end = strtoul(after + 1, &after, 16);
  return strncmp(after, " rw", 3) == 0;
}

bool cn_os_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end)
{
  char text[1024], *line = text, *stop; /* a handler's stack may be small */
  int fd = cn_os_file_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  size_t have = 0;
  bool found = false;
  ssize_t n;

  while (fd >= 0 && !found && (n = cn_os_file_read(fd, text + have, sizeof text - 1 - have)) > 0) {
    have += (size_t)n;
    text[have] = 0;
    for (line = text; !found && (stop = strchr(line, '\n')); line = stop + 1)
      found = read_range(line, bottom, end) && address - *bottom < *end - *bottom;
    have -= (size_t)(line - text);
    memmove(text, line, have);
    if (have == sizeof text - 1)
      have = sizeof text / 2; /* a long name, which does not count */
  }
  if (fd >= 0)
    cn_os_file_close(fd);
  return found;
}

void cn_os_message(const char *text, size_t bytes)
{
  while (bytes > 0) {
    ssize_t n = cn_os_file_write(STDERR_FILENO, text, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    text += n;
    bytes -= (size_t)n;
  }
}
