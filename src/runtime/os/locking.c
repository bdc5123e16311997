/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines mlockall() for the program, and records reserved ranges. The system fills all memory that is locked and
 * writable, but the runtime's reserved addresses and their tables are many times larger than the program's memory.
 * Pages of reserved ranges are therefore locked at the first touch (MLOCK_ONFAULT), and all other memory at once, as
 * the program requests. Owns the list of reserved ranges, which is atomic. Runs on any thread, in any phase.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/check.h"

enum { MAX_RESERVED_RANGES = 32 };

static struct {
  _Atomic uintptr_t at; /* 0: the entry is free */
  _Atomic size_t bytes;
} reserved_ranges[MAX_RESERVED_RANGES];

/* With a sanitizer, mlockall() does nothing, because shadow memory is larger than any machine's memory. */
#pragma weak __sanitizer_set_death_callback
extern void __sanitizer_set_death_callback(void (*call)(void));

/* If the range is locked, makes the kernel lock its pages at the first touch. The kernel refuses the advice for locked
 * memory, which tells whether the range is locked. */
void cn_os_lock_on_fault(uintptr_t at, size_t bytes)
{
  void *memory = (void *)at;
  int error = errno;

  CN_ASSERT(at % cn_os_page_bytes() == 0 && bytes >= cn_os_page_bytes());
  if (madvise(memory, cn_os_page_bytes(), MADV_DONTNEED) != 0 && errno == EINVAL &&
      mlock2(memory, bytes, MLOCK_ONFAULT) != 0)
    munlock(memory, bytes);
  errno = error;
}

/* If the list is full, the range is not recorded, and is locked like other memory. */
void cn_os_locking_add_range(uintptr_t at, size_t bytes)
{
  CN_ASSERT(at != 0 && bytes != 0);
  cn_os_lock_on_fault(at, bytes);
  for (size_t i = 0; i < MAX_RESERVED_RANGES; i++) {
    uintptr_t none = 0;
    if (!atomic_compare_exchange_strong(&reserved_ranges[i].at, &none, at))
      continue;
    atomic_store(&reserved_ranges[i].bytes, bytes);
    return;
  }
}

void cn_os_locking_remove_range(uintptr_t at)
{
  for (size_t i = 0; i < MAX_RESERVED_RANGES; i++)
    if (atomic_load(&reserved_ranges[i].at) == at) {
      atomic_store(&reserved_ranges[i].bytes, 0);
      atomic_store(&reserved_ranges[i].at, 0);
      return;
    }
}

/* The start of the first reserved range that ends after `from`; `*end` gets the range's end. UINTPTR_MAX: there is no
 * such range. */
static uintptr_t next_reserved_range(uintptr_t from, uintptr_t *end)
{
  uintptr_t first = UINTPTR_MAX;

  *end = UINTPTR_MAX;
  for (size_t i = 0; i < MAX_RESERVED_RANGES; i++) {
    uintptr_t at = atomic_load(&reserved_ranges[i].at), stop = at + atomic_load(&reserved_ranges[i].bytes);
    if (at == 0 || stop <= from || at >= first)
      continue;
    CN_ASSERT(at < stop);
    first = at;
    *end = stop;
  }
  return first;
}

/* Locks the parts of a mapping outside of reserved ranges, since one line of the kernel's list may have both. Skips
 * pages that are impossible to lock, such as the kernel's. */
static bool lock_outside_reserved(void *env, const struct cn_mapping *mapping)
{
  uintptr_t end;

  (void)env;
  for (uintptr_t at = mapping->start; mapping->may_read && at < mapping->end; at = end) {
    uintptr_t stop = next_reserved_range(at, &end);
    if (stop > mapping->end)
      stop = end = mapping->end;
    if (stop > at)
      mlock((void *)at, stop - at);
  }
  return false;
}

/* A kernel without MCL_ONFAULT (Linux before 4.4) locks all memory at once. */
static int lock_current_mappings(int flags)
{
  if (syscall(SYS_mlockall, flags | MCL_ONFAULT) != 0)
    return errno == EINVAL ? (int)syscall(SYS_mlockall, flags) : -1;
  cn_os_visit_mappings(lock_outside_reserved, NULL);
  return (flags & MCL_FUTURE) != 0 ? (int)syscall(SYS_mlockall, MCL_FUTURE) : 0;
}

__attribute__((weak, visibility("default"))) int mlockall(int flags)
{
  if (&__sanitizer_set_death_callback != NULL)
    return 0;
  if ((flags & (MCL_CURRENT | MCL_ONFAULT)) == MCL_CURRENT)
    return lock_current_mappings(flags);
  return (int)syscall(SYS_mlockall, flags);
}
