/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the operands of branches for x86-64. Pure function.
 */
#include "jit/entry/branch.h"

/* The bytes are the distance from their end. */
bool cn_jit_branch_to(uintptr_t place, uint32_t old, uintptr_t target, uint32_t *bytes)
{
  intptr_t distance = (intptr_t)(target - (place + sizeof *bytes));

  (void)old;
  *bytes = (uint32_t)distance;
  return distance == (int32_t)distance;
}
