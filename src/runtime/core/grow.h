/* SPDX-License-Identifier: Apache-2.0
 *
 * A growable array in memory straight from the system, usable during a collection. CN_GROW(T) declares one; a
 * zero-initialised one is empty. To clear it and keep its memory set `.count = 0`. Give an array whose owner goes
 * away to cn_grow_free_array().
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

/* Returns the array with room for at least `*room` + 1 items; never null: exhaustion ends the program. */
void *cn_grow_array(void *at, size_t *room, size_t item);

#define cn_grow_push(array, ...) \
  do { \
    CN_ASSERT((array)->count <= (array)->room); \
    if ((array)->count == (array)->room) \
      (array)->at = cn_grow_array((array)->at, &(array)->room, sizeof *(array)->at); \
    (array)->at[(array)->count++] = (__VA_ARGS__); \
  } while (0)

/* Give the memory back. The array is then empty, and can be used again. */
void cn_grow_free_memory(void *at, size_t room, size_t item);

#define cn_grow_free_array(array) \
  do { \
    cn_grow_free_memory((array)->at, (array)->room, sizeof *(array)->at); \
    (array)->at = NULL; \
    (array)->count = (array)->room = 0; \
  } while (0)

#endif
