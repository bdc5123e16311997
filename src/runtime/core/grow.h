/* SPDX-License-Identifier: Apache-2.0
 *
 * A growable array in memory straight from the system, usable during a collection. CN_GROW(T)
 * declares one, zero-initialised is empty. The memory is kept for the next use: clear it with
 * `.count = 0`; an array that goes away itself is given to cn_grow_free().
 */
#ifndef CN_RUNTIME_CORE_GROW_H
#define CN_RUNTIME_CORE_GROW_H

#include <stddef.h>

#define CN_GROW(type) \
  struct { \
    type *at; \
    size_t count, room; \
  }

/* Returns the array with room for at least `*room` + 1 items; never null: exhaustion ends the
 * program. */
void *cn_grow(void *at, size_t *room, size_t item);

#define cn_grow_push(array, ...) \
  do { \
    if ((array)->count == (array)->room) \
      (array)->at = cn_grow((array)->at, &(array)->room, sizeof *(array)->at); \
    (array)->at[(array)->count++] = (__VA_ARGS__); \
  } while (0)

/* Give the memory back; then the array is empty, and may be used again. */
void cn_grow_return(void *at, size_t room, size_t item);

#define cn_grow_free(array) \
  do { \
    cn_grow_return((array)->at, (array)->room, sizeof *(array)->at); \
    (array)->at = NULL; \
    (array)->count = (array)->room = 0; \
  } while (0)

#endif
