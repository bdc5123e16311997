/* SPDX-License-Identifier: Apache-2.0
 *
 * malloc and free of the compiler driver's process, LLVM's included, in place of the C library's.
 *
 * LLVM allocates and frees millions of small blocks, and a seventh of its time is the C library's
 * splitting and joining of them. Here blocks come in sizes, each size has a list of free blocks, and
 * a block never changes its size: both ways are a few instructions. What is freed stays with the
 * process, which ends soon.
 *
 * A block has a word before it, as in the C library: its size's number, or, before an address of
 * larger alignment, how far the block's start is. Each thread has lists of its own; a block may be
 * freed by another than took it. Sanitizers bring their own allocator.
 */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum {
  ALIGNMENT = 16,
  FINE = 64,       /* so many sizes are multiples of 16; above, four to each power of two */
  STEPS = 4,
  SIZES = FINE + STEPS * 54,
  CHUNK = 1 << 20, /* taken from the system at once */
  MOVED = 1 << 16, /* in the word before an address: the distance to the block, times this */
};

struct block {
  struct block *next;
};

static _Thread_local struct block *lists[SIZES];
static _Thread_local char *fresh, *end; /* what no block was made of yet */

/* A block's bytes are these, the word included. */
static size_t size_of(unsigned number)
{
  if (number < FINE)
    return (size_t)(number + 1) * ALIGNMENT;
  unsigned power = (number - FINE) / STEPS, step = (number - FINE) % STEPS;
  return ((size_t)FINE * ALIGNMENT << power) / STEPS * (STEPS + 1 + step);
}

/* The smallest of the sizes that has so many bytes. */
static unsigned number_of(size_t bytes)
{
  if (bytes <= FINE * ALIGNMENT)
    return (unsigned)((bytes + ALIGNMENT - 1) / ALIGNMENT - 1);
  unsigned power = 63 - (unsigned)__builtin_clzll((bytes - 1) / (FINE * ALIGNMENT));
  size_t step = ((size_t)FINE * ALIGNMENT << power) / STEPS;
  return FINE + STEPS * power + (unsigned)((bytes + step - 1) / step) - STEPS - 1;
}

static uint64_t *word_of(void *address)
{
  return (uint64_t *)address - 1;
}

/* Blocks begin 8 bytes below a multiple of 16, so that what follows the word is at one. */
static char *take_pages(size_t bytes)
{
  char *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return start == MAP_FAILED ? NULL : start + sizeof(uint64_t);
}

static void *begin_block(char *block, unsigned number)
{
  char *address = block + sizeof(uint64_t);

  *word_of(address) = number;
  return address;
}

/* Large blocks have pages of their own, others the rest of the chunk. */
static void *take_fresh(unsigned number)
{
  size_t size = size_of(number);
  bool large = size > CHUNK / 4;
  char *start = fresh;

  if (large || (size_t)(end - fresh) < size) {
    size_t pages = large ? size + ALIGNMENT : CHUNK;
    start = take_pages(pages);
    if (!start) {
      errno = ENOMEM;
      return NULL;
    }
    if (!large)
      end = start - sizeof(uint64_t) + pages;
  }
  if (!large)
    fresh = start + size;
  return begin_block(start, number);
}

static void *take(size_t bytes)
{
  if (bytes > PTRDIFF_MAX - CHUNK) {
    errno = ENOMEM;
    return NULL;
  }
  unsigned number = number_of(bytes + sizeof(uint64_t));
  struct block *block = lists[number];
  if (!block)
    return take_fresh(number);
  lists[number] = block->next;
  return block;
}

/* ---- in place of the C library's, for shared libraries too ---- */

#pragma GCC visibility push(default)

void *malloc(size_t bytes)
{
  return take(bytes);
}

/* The block whose part begins here. */
static void *start_of(void *address)
{
  return (char *)address - *word_of(address) / MOVED;
}

void free(void *address)
{
  if (!address)
    return;
  struct block *block = start_of(address);
  struct block **list = &lists[*word_of(block)];
  block->next = *list;
  *list = block;
}

size_t malloc_usable_size(void *address)
{
  if (!address)
    return 0;
  char *block = start_of(address);
  size_t bytes = size_of((unsigned)*word_of(block)) - sizeof(uint64_t);
  return bytes - (size_t)((char *)address - block);
}

void *calloc(size_t count, size_t size)
{
  size_t bytes;

  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *address = take(bytes);
  return address ? memset(address, 0, bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
  size_t had = malloc_usable_size(old);

  if (old && bytes <= had && bytes >= had / 2)
    return old;
  void *address = take(bytes);
  if (!address || !old)
    return address;
  memcpy(address, old, bytes < had ? bytes : had);
  free(old);
  return address;
}

void *memalign(size_t alignment, size_t bytes)
{
  if (alignment <= ALIGNMENT)
    return take(bytes);
  char *block = take(bytes > SIZE_MAX - alignment ? SIZE_MAX : bytes + alignment);
  size_t over = (uintptr_t)block % alignment;
  if (!block || over == 0)
    return block;
  char *address = block + (alignment - over);
  *word_of(address) = (uint64_t)(address - block) * MOVED;
  return address;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
  return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
  void *address = memalign(alignment, bytes);

  if (!address)
    return ENOMEM;
  *out = address;
  return 0;
}

#pragma GCC visibility pop

#endif
