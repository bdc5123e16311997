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

/* The layout of Cairn's heap: objects of 8-byte multiples one after the other, headers before the
 * payload, from the start of a large page on. */
static char *next;

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
  if (!next)
    next = reserve();
  char *payload = next + header;
  next = payload + ((bytes + 7) & -8);
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
