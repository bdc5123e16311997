/* SPDX-License-Identifier: Apache-2.0
 *
 * Growable arrays, for the tools alone: CN_VECTOR(T) declares an array, which is empty if it is zero-initialised.
 *
 *   CN_VECTOR(int) v = {0};
 *   cn_push(&v, 3);
 *   for (size_t i = 0; i < v.count; i++) use(v.at[i]);
 *   cn_free(&v);
 */
#ifndef CN_BASE_VECTOR_H
#define CN_BASE_VECTOR_H

#include <stdlib.h>
#include "base/check.h"

#define CN_VECTOR(type) \
  struct { \
    type *at; \
    size_t count, room; \
  }

#define cn_push(vector, ...) \
  do { \
    if ((vector)->count == (vector)->room) { \
      (vector)->room = (vector)->room ? 2 * (vector)->room : 8; \
      (vector)->at = cn_realloc((vector)->at, (vector)->room * sizeof *(vector)->at); \
    } \
    (vector)->at[(vector)->count++] = (__VA_ARGS__); \
  } while (0)

#define cn_free(vector) (free((vector)->at), (vector)->at = NULL, (vector)->count = (vector)->room = 0)

#endif
