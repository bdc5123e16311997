/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that waits has its unused memory given back (CAIRN_IDLE). What would go wrong: it keeps what it once took;
 * memory goes that is in use, also by a thread that allocates a little meanwhile; the program cannot go on.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -pthread -fcairn-collector=$c %s -o %t.$c || exit 1; done
// RUN: for c in semispace generational; do for how in small large; do \
// RUN:   env CAIRN_IDLE=20ms CAIRN_HEAP_MAX=256m %t.$c $how 1 && \
// RUN:   env CAIRN_IDLE=20ms CAIRN_HEAP_MAX=256m CAIRN_PAUSE=20ms CAIRN_VERIFY=heap CAIRN_WORKERS=1 %t.$c $how 1 \
// RUN:   || exit 1; \
// RUN:   done; done | FileCheck --check-prefix=GIVEN %s
// GIVEN-COUNT-8: whole: yes, given back: yes
// RUN: for c in semispace generational; do env CAIRN_HEAP_MAX=256m %t.$c small 0 || exit 1; done \
// RUN:   | FileCheck --check-prefix=KEPT %s
// KEPT-COUNT-2: whole: yes, given back: no
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_IDLE=1us CAIRN_STRESS=5000 CAIRN_HEAP_MAX=256m %t.$c small 0 80000 && \
// RUN:   env CAIRN_IDLE=1us CAIRN_STRESS=1 CAIRN_VERIFY=heap %t.$c small 0 100 || exit 1; done \
// RUN:   | FileCheck --check-prefix=STRESS %s
// STRESS-COUNT-4: whole: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long number;
  char managed *bytes;
};

static bool large;
static atomic_bool over;
static struct cell managed *volatile kept;

static struct cell managed *list(struct cell managed *rest, long count)
{
  for (long i = 0; i < count; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->number = i;
    cell->next = rest;
    if (large) {
      char managed *bytes = cairn_new_array(char, 20000);
      bytes[i % 20000] = (char)i;
      cell->bytes = bytes;
    }
    rest = cell;
  }
  return rest;
}

static bool whole(struct cell managed *cell, long count)
{
  for (; count-- > 0 && cell; cell = cell->next)
    if (cell->number != count || (large && cell->bytes[count % 20000] != (char)count))
      return false;
  return count == -1;
}

/* MB that are in memory. */
static long resident(void)
{
  long all = 0, here = 0;
  FILE *file = fopen("/proc/self/statm", "r");

  if (file == NULL || fscanf(file, "%ld %ld", &all, &here) != 2)
    exit(2);
  fclose(file);
  return here * sysconf(_SC_PAGESIZE) >> 20;
}

/* It allocates too little for a collection, and looks whether that stays. */
static void *alongside(void *wrong)
{
  while (!over) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->number = 42;
    usleep(1000);
    if (cell->number != 42)
      *(atomic_bool *)wrong = true;
  }
  return NULL;
}

int main(int argc, char **argv)
{
  long few = argc > 3 ? atol(argv[3]) : 1000, many, before, after;
  bool waits = argc > 2 && atoi(argv[2]) != 0, right;
  atomic_bool wrong = false;
  pthread_t thread;

  large = argc > 1 && strcmp(argv[1], "large") == 0;
  many = argc > 3 ? few : large ? 2000 : 400000;
  pthread_create(&thread, NULL, alongside, &wrong);
  kept = list(NULL, few);
  right = whole(list(kept, many), many);
  before = resident();
  cairn_collect();
  for (int i = 0; i < (waits ? 1000 : 10) && resident() > before / 2; i++)
    usleep(30000);
  after = resident();
  right &= whole(kept, few);
  kept = list(kept, many);
  right &= whole(kept, many);
  over = true;
  pthread_join(thread, NULL);
  printf("whole: %s, given back: %s\n", right && !wrong ? "yes" : "no", after <= before / 2 ? "yes" : "no");
  return !right || wrong;
}
