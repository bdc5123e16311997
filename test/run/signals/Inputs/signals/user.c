/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals for library.c's handler.
 */
#include <signal.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};
static struct cell managed *seen;
static long count;

void library_install(void (*function)(void));
int library_installed(void);

static void work(void)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->next = seen;
  cell->value = count++;
  seen = cell;
  cairn_collect();
}

int main(void)
{
  library_install(work);
  for (int i = 0; i < 100; i++) {
    struct cell managed *kept = cairn_new(struct cell);
    kept->value = i;
    raise(SIGUSR1);
    if (kept->value != i)
      return 1;
  }
  printf("%ld calls, installed %d\n", count, library_installed());
  return 0;
}
