/* SPDX-License-Identifier: Apache-2.0
 *
 * The system gives the runtime no memory, for once: FAIL_AT=n fails the n-th call of mmap(),
 * mremap() and mprotect(), FAIL_MANY=m that and those that follow, m in all. libc's own calls do
 * not come here.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic long calls;
static long first, many = 1, begun;

__attribute__((constructor(101))) static void begin(void)
{
  first = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
  many = getenv("FAIL_MANY") ? atol(getenv("FAIL_MANY")) : 1;
  begun = 1;
}

__attribute__((destructor)) static void end(void)
{
  if (getenv("FAIL_COUNT"))
    fprintf(stderr, "calls %ld\n", calls);
}

static int fails(void)
{
  long call = begun ? ++calls : 0;

  if (first == 0 || call < first || call >= first + many)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}

int mprotect(void *at, size_t bytes, int access)
{
  return fails() ? -1 : (int)syscall(SYS_mprotect, at, bytes, access);
}

void *mremap(void *at, size_t bytes, size_t wanted, int flags, ...)
{
  va_list rest;

  va_start(rest, flags);
  void *to = va_arg(rest, void *);
  va_end(rest);
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mremap, at, bytes, wanted, flags, to);
}
