/* A program that may be privileged. It needs more than the variables allow, within its own limit. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

const struct cairn_heap_limits cairn_heap_limits = {sizeof cairn_heap_limits, .maximum = 16 << 20};

struct cell {
  struct cell managed *next;
  long pad[7];
};

int main(int argc, char **argv)
{
  struct cell managed *list = NULL;
  const char *how = argc > 1 ? argv[1] : "";
  bool guarded = strcmp(how, "guarded") == 0;
  long wanted = guarded || strcmp(how, "full") == 0 ? 1000000 : 100000, sum = 0;

  if (guarded)
    prctl(PR_SET_DUMPABLE, 0);

  printf("secure %lu\n", getauxval(AT_SECURE));
  fflush(stdout);
  for (char **variable = environ; *variable != NULL; variable++)
    if (strncmp(*variable, "CAIRN_", 6) == 0)
      puts(*variable);
  if (strcmp(how, "child") == 0)
    return system("env | grep CAIRN_; echo child") != 0;
  if (strcmp(how, "crash") == 0)
    abort();
  for (long i = 0; i < wanted; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = list;
    cell->pad[0] = i;
    list = cell;
  }
  for (; list != NULL; list = list->next)
    sum += list->pad[0];
  printf("sum %ld\n", sum);
  return 0;
}
