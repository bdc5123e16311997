/* SPDX-License-Identifier: Apache-2.0
 *
 * The rest of the program that docs/tutorial/tour.md follows.
 */
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

struct cell managed *push(struct cell managed *list, long value);

int main(void)
{
  struct cell managed *list = NULL;

  for (long i = 1; i <= 3; i++)
    list = push(list, i);
  for (; list; list = list->next)
    printf("%ld\n", list->value);
}
