/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: a table of entries that is filled, and of which one in a few stays, anywhere:
 * `sparse ENTRIES SHARE STEPS`. Then each step makes an entry that lives for some time, and some
 * that do not. Prints MiB that the process takes with all entries and at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct entry {
  struct entry managed *before;
  long number;
};

static unsigned long seed = 1;

static long draw(long below)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (long)((seed >> 33) % (unsigned long)below);
}

static __attribute__((noinline)) struct entry managed *entry(long number, struct entry managed *before)
{
  struct entry managed *made = cairn_new(struct entry);

  made->before = before;
  made->number = number;
  return made;
}

static long resident(void)
{
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");

  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
    abort();
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE) >> 20;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  long count = atol(argv[1]), share = atol(argv[2]), steps = atol(argv[3]), wrong = 0;
  struct entry managed *managed *table = cairn_new_array(struct entry managed *, count);

  for (long i = 0; i < count; i++)
    table[i] = entry(i, 0);
  for (long i = 0; i < count; i++)
    if (draw(share) != 0)
      table[i] = 0;
  long full = resident(), few = count / 200;
  struct entry managed *managed *ring = cairn_new_array(struct entry managed *, few);
  for (long step = 0; step < steps; step++) {
    ring[step % few] = entry(step, 0);
    for (int k = 0; k < 4; k++)
      wrong += entry(k, 0)->number != k;
  }
  for (long i = 0; i < count; i++)
    wrong += table[i] != 0 && table[i]->number != i;
  fprintf(stderr, "sparse: %ld MiB, then %ld; %ld wrong\n", full, resident(), wrong);
  return wrong != 0;
}
