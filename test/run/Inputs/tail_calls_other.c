/* SPDX-License-Identifier: Apache-2.0
 *
 * The other unit of test/run/calls/tail_calls.c.
 */
#include "tail_calls.h"

struct cell managed *kept;

struct cell managed *renew(struct cell managed *cell)
{
  struct cell managed *copy = cairn_new(struct cell);

  copy->value = cell->value;
  return copy;
}

long odd(long left, struct cell managed *cell)
{
  if (left == 0)
    return -cell->value;
  if (left % 1000 == 1)
    cell = renew(cell);
  return even(left - 1, cell);
}

long other_swap(struct cell managed *a, struct cell managed *b, long left)
{
  if (left == 0)
    return a->value * 10 + b->value;
  return back(b, a, left - 1);
}

long bounce_kept(long left)
{
  struct cell managed *cell = renew(kept);

  return bounce(left, cell);
}

cairn_unmanaged long bounce_native(long left)
{
  return bounce_kept(left);
}

long machine_a(long left, long state, struct cell managed *cell)
{
  return machine_back(left, state * 3 % 1000, cell);
}

long machine_b(long left, long state, struct cell managed *cell)
{
  return machine_back(left, state + cell->value, left % 1000 ? cell : renew(cell));
}

long machine_c(long left, long state, struct cell managed *cell)
{
  return machine_back(left, state ^ 5, cell);
}
