/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements memory, clocks, limits, the main thread's stack and messages for Linux. Memory functions reserve
 * addresses, commit, release and move memory, and map tables. Runs on any thread, in any phase. The only state is the
 * end of the strings above the main thread's stack, which the start writes.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/check.h"

extern void *__libc_stack_end; /* set by the dynamic linker or the static start code */

size_t cn_os_page_bytes(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* Used if the system does not report its size. */
#define ASSUMED_MEMORY_BYTES ((size_t)4 << 30)

size_t cn_os_memory_bytes(void)
{
  struct sysinfo info;
  size_t group = cn_groups_memory_limit(""), physical = ASSUMED_MEMORY_BYTES;

  if (sysinfo(&info) == 0) /* sysconf() also uses sysinfo(), but ignores failures */
    physical = (size_t)info.totalram * info.mem_unit;

  return physical < group ? physical : group;
}

size_t cn_os_processor_count(void)
{
  cpu_set_t set;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  size_t group = cn_groups_processor_limit("");
  size_t allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set)
                   : online > 0                                ? (size_t)online
                                                               : 1;

  if (group < allowed)
    allowed = group;
  return allowed > 0 ? allowed : 1;
}

static size_t resource_limit_of(int resource)
{
  struct rlimit limit;

  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  return limit.rlim_cur;
}

/* Includes the limit of the data segment: since Linux 4.7 it limits all private writable memory. */
size_t cn_os_address_space_limit(void)
{
  size_t addresses = resource_limit_of(RLIMIT_AS), data = resource_limit_of(RLIMIT_DATA);

  return addresses < data ? addresses : data;
}

uint64_t cn_os_clock_nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/* Leave memory without access out of cores, because gdb's generate-core-file would write all reserved addresses. */
static void forbid_access(void *at, size_t bytes)
{
  mprotect(at, bytes, PROT_NONE);
  madvise(at, bytes, MADV_DONTDUMP);
}

uintptr_t cn_os_reserve_addresses(size_t bytes)
{
  void *at = mmap(NULL, bytes, PROT_NONE, reserve_flags, -1, 0);

  if (at == MAP_FAILED)
    return 0;
  madvise(at, bytes, MADV_DONTDUMP);
  cn_os_locking_add_range((uintptr_t)at, bytes);
  return (uintptr_t)at;
}

/* Reads the memory directly if the system call is forbidden; an unreadable byte then faults. */
/* Without process_vm_readv(), a pipe copies the bytes: write() fails where nothing can be read. By system calls,
 * because the C library's functions are cancellation points. */
static ssize_t read_by_pipe(uintptr_t at, void *into, size_t bytes)
{
  int ends[2];

  CN_ASSERT(bytes <= PIPE_BUF);
  if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0)
    return -1;
  ssize_t got = syscall(SYS_write, ends[1], at, bytes);
  if (got > 0)
    got = syscall(SYS_read, ends[0], into, (size_t)got);
  syscall(SYS_close, ends[0]);
  syscall(SYS_close, ends[1]);
  return got;
}

bool cn_os_read_memory(uintptr_t at, void *into, size_t bytes)
{
  struct iovec here = {into, bytes}, there = {(void *)at, bytes};
  int error = errno;
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

  if (got < 0 && (errno == ENOSYS || errno == EPERM))
    got = read_by_pipe(at, into, bytes);
  errno = error;
  return got == (ssize_t)bytes;
}

bool cn_os_commit_memory(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at % cn_os_page_bytes() == 0);
  if (bytes != 0 && mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  madvise((void *)at, bytes, MADV_DODUMP);
  return true;
}

bool cn_os_make_readable(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at % cn_os_page_bytes() == 0);
  return mprotect((void *)at, bytes, PROT_READ) == 0;
}

size_t cn_os_resident_bytes(uintptr_t at, size_t bytes)
{
  unsigned char present[1024];
  size_t page = cn_os_page_bytes(), most = sizeof present * page, sum = 0;

  CN_ASSERT(at % page == 0 && bytes % page == 0);
  for (size_t step; bytes != 0; at += step, bytes -= step) {
    step = bytes < most ? bytes : most;
    while (mincore((void *)at, step, present) != 0 && step > page)
      step = step / 2 & ~(page - 1); /* some page is unmapped */
    if (step == page && mincore((void *)at, step, present) != 0)
      continue;
    for (size_t i = 0; i < step / page; i++)
      sum += present[i] & 1;
  }
  return sum * page;
}

/* The file has the numbers of pages: of addresses, resident ones, and resident ones of files. */
size_t cn_os_resident_set_bytes(size_t *files)
{
  char text[128];
  size_t numbers[3] = {0}, used, at = 0;
  int file = cn_os_file_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
  ssize_t count = file >= 0 ? cn_os_file_read(file, text, sizeof text) : 0;

  if (file >= 0)
    cn_os_file_close(file);
  for (int i = 0; i < 3 && count > 0 && at < (size_t)count; i++, at += used + 1)
    numbers[i] = cn_groups_parse_number(text + at, (size_t)count - at, &used);
  *files = numbers[2] * cn_os_page_bytes();
  return numbers[1] * cn_os_page_bytes();
}

/* Accesses, because MADV_POPULATE_WRITE holds the lock of all mappings while the system finds and clears a large page,
 * and a stop that maps memory would wait for this lock. A page fault locks its own mapping alone (Linux 6.4). */
void cn_os_populate_pages(uintptr_t at, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += cn_os_page_bytes())
    __atomic_fetch_or((char *)at + i, 0, __ATOMIC_RELAXED);
}

/* The advice fails for locked pages. A new mapping then replaces the pages; if the system refuses the mapping, the
 * pages are cleared. */
void cn_os_release_memory(uintptr_t at, size_t bytes)
{
  void *memory = (void *)at;

  CN_ASSERT(at % cn_os_page_bytes() == 0 && bytes % cn_os_page_bytes() == 0); /* whole pages are released */
  if (bytes == 0)
    return;
  /* Advice comes first, because a new mapping loses the advice of large pages: the system would back memory that is
   * committed later by small pages. */
  if (madvise(memory, bytes, MADV_DONTNEED) != 0) {
    if (mmap(memory, bytes, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0) != MAP_FAILED) {
      madvise(memory, bytes, MADV_DONTDUMP);
      cn_os_lock_on_fault(at, bytes);
      return;
    }
    if (!cn_os_commit_memory(at, bytes)) {
      static const char text[] = "cairn: out of memory: the system does not take memory back\n";
      cn_os_write_message(text, sizeof text - 1);
      _exit(1); /* otherwise memory that is committed again would have old contents */
    }
    memset(memory, 0, bytes);
  }
  forbid_access(memory, bytes);
}

void cn_os_discard_contents(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at % cn_os_page_bytes() == 0 && bytes % cn_os_page_bytes() == 0);
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

/* The old addresses stay mapped until the second mapping replaces them, because another thread's mmap() could otherwise
 * use them. If the second mapping fails, mprotect() makes the old pages, which are empty, fault. */
bool cn_os_move_memory(uintptr_t from, size_t bytes, uintptr_t to)
{
  void *old = (void *)from, *new = (void *)to;

  CN_ASSERT(from + bytes <= to || to + bytes <= from);
  if (mremap(old, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, new) == MAP_FAILED)
    return false;
  (void)mmap(old, bytes, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0);
  forbid_access(old, bytes);
  return true;
}

static void *map_table(size_t bytes)
{
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, reserve_flags, -1, 0);

  return at == MAP_FAILED ? NULL : at;
}

/* Copies the table if mremap() is denied. */
void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes)
{
  void *at = old == NULL ? map_table(bytes) : mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);

  if (at != MAP_FAILED)
    return at;
  if (errno == ENOMEM || (at = map_table(bytes)) == NULL)
    return NULL;
  memcpy(at, old, old_bytes < bytes ? old_bytes : bytes);
  munmap(old, old_bytes);
  return at;
}

void cn_os_free_mapping(void *memory, size_t bytes)
{
  CN_ASSERT(memory != NULL && (uintptr_t)memory % cn_os_page_bytes() == 0);
  cn_os_locking_remove_range((uintptr_t)memory);
  munmap(memory, bytes);
}

bool cn_os_is_main_thread(void)
{
  return cn_os_thread() == cn_os_main_thread();
}

uintptr_t cn_os_main_stack_end(void)
{
  return (uintptr_t)__libc_stack_end;
}

static uintptr_t stack_strings_end;

/* Finds the end of the stack's mapping: the greatest end of the environment's strings and the executable's name. If the
 * dynamic linker started the program, its argument takes the place of the name. */
void cn_os_main_stack_init(char *const *environment)
{
  enum { MAX_STRINGS_BYTES = 8 << 20 }; /* the kernel's limit is lower */
  const char *name = (const char *)getauxval(AT_EXECFN);
  uintptr_t start = cn_os_main_stack_end(), end;

  stack_strings_end = name != NULL ? (uintptr_t)name + strlen(name) + 1 : start;
  for (; environment != NULL && *environment != NULL; environment++) {
    end = (uintptr_t)*environment + strlen(*environment) + 1;
    if (end - start < MAX_STRINGS_BYTES && end > stack_strings_end)
      stack_strings_end = end;
  }
}

/* The limit is measured from the end of the stack's mapping. */
uintptr_t cn_os_main_stack_bottom(void)
{
  struct rlimit limit;
  uintptr_t page = cn_os_page_bytes();

  CN_ASSERT(stack_strings_end != 0);
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return 0;
  uintptr_t top = (stack_strings_end + page - 1) & ~(page - 1);
  return limit.rlim_cur < top ? top - limit.rlim_cur : 0;
}

void cn_os_write_message(const char *text, size_t bytes)
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
