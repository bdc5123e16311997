/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes branches for AArch64. Pure function.
 */
#include "jit/entry/branch.h"

/* A branch has the distance from its own address, in instructions. */
bool cn_jit_branch_to(uintptr_t place, uint32_t old, uintptr_t target, uint32_t *bytes)
{
  enum { DISTANCE_BITS = 26 };
  uint32_t mask = ((uint32_t)1 << DISTANCE_BITS) - 1;
  intptr_t distance = (intptr_t)(target - place);

  *bytes = (old & ~mask) | ((uint32_t)(distance / 4) & mask);
  return distance % 4 == 0 && distance >= -((intptr_t)4 << (DISTANCE_BITS - 1)) &&
         distance < (intptr_t)4 << (DISTANCE_BITS - 1);
}
