#!/bin/sh
# Linux 6.18: mprotect() waits for pages that MADV_POPULATE_WRITE puts elsewhere, and not for pages that are written.
#
# Expected: madvise(2) says that MADV_POPULATE_WRITE faults pages in "just as if manually writing to each page". A
# thread that prepares memory by either way delays other threads alike. Observed: while a thread populates large
# pages, an mprotect() of another mapping waits until the page is found and cleared: on a busy virtual machine one
# call in ten took 10 to 90 ms. While the thread writes to the pages, mprotect() takes microseconds. Source: since
# Linux 6.4 a page fault locks its own mapping alone (lock_vma_under_rcu() in mm/memory.c); populating goes through
# faultin_page_range() in mm/gup.c, which holds the lock of all mappings, and takes it again for the next page.
# Packages: none; the kernel is the system's, with large pages for MADV_HUGEPAGE. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
grep -qE '\[(always|madvise)\]' /sys/kernel/mm/transparent_hugepage/enabled || { echo 'no large pages here'; exit 2; }
[ "$(nproc)" -ge 2 ] || { echo 'one processor'; exit 2; }
uname -sr
cat > lock.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { LARGE = 2 << 20, COUNT = 64, CALLS = 400 };

static atomic_bool over;
static char *memory;

static void *populate(void *by_writes)
{
  while (!atomic_load(&over)) {
    for (size_t page = 0; page < COUNT && !atomic_load(&over); page++) {
      char *at = memory + page * LARGE;
      if (by_writes == NULL)
        madvise(at, LARGE, MADV_POPULATE_WRITE);
      for (size_t i = 0; by_writes != NULL && i < LARGE; i += 4096)
        *(volatile char *)(at + i) = 1;
    }
    madvise(memory, (size_t)COUNT * LARGE, MADV_DONTNEED);
  }
  return NULL;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Microseconds that nine of ten calls of mprotect() take at most. */
static double measure(void *by_writes)
{
  static double times[CALLS];
  char *other = mmap(NULL, 16 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct timespec a, b, pause = {0, 300000};
  pthread_t thread;

  atomic_store(&over, false);
  pthread_create(&thread, NULL, populate, by_writes);
  for (int i = 0; i < CALLS; i++) {
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &a);
    mprotect(other + (4 << 12), 4 << 12, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    clock_gettime(CLOCK_MONOTONIC, &b);
    times[i] = (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
  }
  atomic_store(&over, true);
  pthread_join(thread, NULL);
  qsort(times, CALLS, sizeof *times, compare);
  return times[CALLS * 9 / 10];
}

int main(void)
{
  char *space = mmap(NULL, (size_t)(COUNT + 1) * LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  memory = (char *)(((size_t)space + LARGE - 1) & ~(size_t)(LARGE - 1));
  madvise(memory, (size_t)COUNT * LARGE, MADV_HUGEPAGE);
  double populated = measure(NULL), written = measure(memory);
  printf("nine of ten calls of mprotect() take at most: %.0f us beside MADV_POPULATE_WRITE, %.0f us beside writes\n",
         populated, written);
  return populated > 5 * written ? 0 : 1;
}
END
cc -O2 -pthread lock.c -o lock
./lock
