/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of kernels that Cairn does not compile (BENCH_NATIVE_MEMORY in kernel.h): the same
 * for what measures speed (harness.c) and time to safepoint (ttsp.c), each of which is one file.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The layout of Cairn's heap: headers before the payload; small objects of 8-byte multiples one
 * after the other, from the start of a large page on; large ones on pages of their own, so that two
 * of them differ by whole pages, which a processor may take for the same place. */
enum { BENCH_PAGE = 4096, BENCH_LARGEST = 8184 /* INLINE_ALLOC_MAX of <cairn/abi.def> */ };
static char *next, *next_large;

static char *reserve(void)
{
  size_t large = 2 << 20, bytes = 64 << 20;
  char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (at == MAP_FAILED)
    abort();
  at += -(uintptr_t)at & (large - 1);
  madvise(at, bytes - large, MADV_HUGEPAGE);
  return at;
}

static void *bump(long header, long bytes)
{
  long whole = header + ((bytes + 7) & -8);

  if (!next) {
    next = reserve();
    next_large = reserve() + BENCH_PAGE;
  }
  char **at = whole > BENCH_LARGEST ? &next_large : &next, *payload = *at + header;
  *at += whole > BENCH_LARGEST ? (whole + BENCH_PAGE - 1) & -BENCH_PAGE : whole;
  return payload;
}

void *bench_object(long bytes);
void *bench_object(long bytes)
{
  return bump(8, bytes);
}

void *bench_indexed(long bytes);
void *bench_indexed(long bytes)
{
  return bump(16, bytes);
}

#endif
