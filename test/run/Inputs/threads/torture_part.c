/* SPDX-License-Identifier: Apache-2.0
 *
 * For torture.c: managed code that comes and goes.
 */
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

long part(long count)
{
  struct cell managed *list = 0;
  long sum = 0;

  for (long i = 0; i < count; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->value = i;
    cell->next = list;
    list = cell;
  }
  for (; list; list = list->next)
    sum += list->value;
  return sum;
}
