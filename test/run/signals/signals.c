/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed signal handlers that run while native code does. What would go wrong: the walk takes the
 * kernel's return code for the end of the stack and misses every frame below it.
 */
// RUN: %root/test/run/Inputs/same %build --small 20 %s
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};
static struct cell managed *seen;

static void on_signal(int number)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = number;
  cell->next = seen;
  seen = cell;
  cairn_collect();
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 200;
  unsigned long sum = 0;
  struct cell managed *own = cairn_new(struct cell);

  signal(SIGUSR1, on_signal);
  signal(SIGUSR2, on_signal);
  for (long i = 0; i < count; i++) {
    struct cell managed *next = cairn_new(struct cell);
    next->value = i;
    next->next = own;
    raise(i % 3 ? SIGUSR1 : SIGUSR2);
    own = next;
  }
  for (; own; own = own->next)
    sum += (unsigned long)own->value;
  for (; seen; seen = seen->next)
    sum = sum * 31 + (seen->value == SIGUSR1);
  printf("%lu\n", sum);
  return 0;
}
