/* SPDX-License-Identifier: Apache-2.0
 *
 * A growable array in memory straight from the system, usable during a collection. CN_GROW(T) declares an array; a
 * zero-initialised array is empty. `.count = 0` clears an array and keeps its memory; cn_grow_free_array() frees the
 * memory.
 */
#ifndef CN_RUNTIME_CORE_GROW_H
#define CN_RUNTIME_CORE_GROW_H

#include <stddef.h>
#include "base/check.h"

#define CN_GROW(type) \
  struct { \
    type *at; \
    size_t count, room; \
  }

/* Returns the array with space for at least `*room` + 1 items. If memory is exhausted, the call ends the program. */
void *cn_grow_array(void *at, size_t *room, size_t item);

#define cn_grow_push(array, ...) \
  do { \
    CN_ASSERT((array)->count <= (array)->room); \
    if ((array)->count == (array)->room) \
      (array)->at = cn_grow_array((array)->at, &(array)->room, sizeof *(array)->at); \
    (array)->at[(array)->count++] = (__VA_ARGS__); \
  } while (0)

/* Free the array's memory. The array is then empty, and the caller may use it again. */
void cn_grow_free_memory(void *at, size_t room, size_t item);

#define cn_grow_free_array(array) \
  do { \
    cn_grow_free_memory((array)->at, (array)->room, sizeof *(array)->at); \
    (array)->at = NULL; \
    (array)->count = (array)->room = 0; \
  } while (0)

#endif
