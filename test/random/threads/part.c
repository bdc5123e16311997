/* SPDX-License-Identifier: Apache-2.0
 *
 * The library that random programs load and unload: managed code with its own types, globals and
 * thread-locals. What it makes is garbage when it goes.
 */
#include <cairn/cairn.h>

typedef unsigned long ulong;

struct cell {
  struct cell managed *next;
  ulong value;
  unsigned char bytes[3];
};
typedef struct cell managed *cell;

static _Thread_local cell mine;

ulong part_run(ulong x);

static cell push(cell next, ulong value)
{
  cell made = cairn_new(struct cell);

  made->next = next;
  made->value = value;
  made->bytes[value % 3] = 1;
  return made;
}

ulong part_run(ulong x)
{
  cell managed *table = cairn_new_array(cell, 4);
  ulong sum = 0;

  for (ulong i = 0; i < 20; i++) {
    table[i % 4] = push(table[i % 4], x + i);
    mine = push(i % 8 ? mine : NULL, i);
  }
  if (x % 5 == 0)
    cairn_collect();
  for (ulong i = 0; i < 4; i++)
    for (cell c = table[i]; c; c = c->next)
      sum = sum * 3 + c->value + c->bytes[1];
  for (cell c = mine; c; c = c->next)
    sum = sum * 5 + c->value;
  mine = NULL;
  return sum;
}
