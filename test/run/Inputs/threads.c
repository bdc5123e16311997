/* SPDX-License-Identifier: Apache-2.0
 *
 * Used by runtime_messages.test.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
static volatile long spins;

cairn_unmanaged static void *native(void *argument)
{
  *(long *)argument = 7;
  return argument;
}

static void *allocates(void *argument)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = 1;
  return argument;
}

static void collects(int number)
{
  cairn_collect();
  (void)number;
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  long result = 0;

  if (strcmp(what, "interrupt") == 0) {
    signal(SIGALRM, collects);
    alarm(1);
    for (;;)
      spins++;
  }
  pthread_create(&thread, NULL, strcmp(what, "managed") ? native : allocates, &result);
  pthread_join(thread, NULL);
  printf("native thread %ld\n", result);
  return 0;
}
