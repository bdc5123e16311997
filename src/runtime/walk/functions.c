/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting an image's functions.
 */
#include "runtime/walk/functions.h"

#include "base/check.h"

/* Heap sort: no memory, no recursion, never quadratic. */
static void sift(struct cn_function *at, size_t root, size_t count)
{
  struct cn_function moving = at[root];

  CN_ASSERT(root < count);
  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && at[child].entry < at[child + 1].entry)
      child++;
    if (moving.entry >= at[child].entry)
      break;
    at[root] = at[child];
    root = child;
  }
  at[root] = moving;
}

/* As a rule linkers leave them in the order of the code: look before sorting. */
void cn_functions_sort(struct cn_function *at, size_t count)
{
  size_t sorted = 1;

  while (sorted < count && at[sorted - 1].entry <= at[sorted].entry)
    sorted++;
  if (sorted >= count)
    return;
  for (size_t i = count / 2; i-- > 0;)
    sift(at, i, count);
  for (size_t last = count; last-- > 1;) {
    struct cn_function greatest = at[0];
    at[0] = at[last];
    at[last] = greatest;
    sift(at, 0, last);
  }
}
