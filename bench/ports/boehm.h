/* SPDX-License-Identifier: Apache-2.0
 *
 * Boehm's collector in the place of malloc, for a program that is compiled as it is: blocks come from the collector,
 * and free() does nothing. Included before the program's own headers (-include).
 */
#ifndef PORTS_BOEHM_H
#define PORTS_BOEHM_H

#include <stdlib.h>
#include <string.h>
#define GC_THREADS
#include <gc.h>

static inline void *ports_calloc(size_t count, size_t size)
{
  return GC_malloc(count * size);
}

static inline void ports_free(void *block)
{
  (void)block;
}

/* Names without parameters: programs also take the functions' addresses. */
#define malloc GC_malloc
#define calloc ports_calloc
#define realloc GC_realloc
#define free ports_free
#undef strdup
#define strdup GC_strdup
#undef strndup
#define strndup GC_strndup

#endif
