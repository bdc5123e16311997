/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of an image that have frame maps, as the index (index.c) keeps them.
 */
#ifndef CN_RUNTIME_WALK_FUNCTIONS_H
#define CN_RUNTIME_WALK_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct cn_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t offset; /* in the image's section */
};

/* By entry. No memory is taken, and it is never quadratic. */
void cn_functions_sort(struct cn_function *at, size_t count);

#endif
