/* SPDX-License-Identifier: Apache-2.0
 * For watchdog.test: all polls lie in lines 11 to 23. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node { long value; struct node managed *next; };
__attribute__((noinline)) static long walk(struct node managed *first)
{ long sum = 0;
  for (struct node managed *n = first; n; n = n->next)
    sum += n->value;
  return sum;
}
static struct node managed *push(long i, struct node managed *next) { struct node managed *n = cairn_new(struct node); n->value = i; n->next = next; return n; }
int main(int argc, char **argv) { struct node managed *list = NULL; long sum = 0; for (int i = 0; i < 5000; i++) list = push(i, list);
  for (time_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) for (int i = 0; i < 100; i++) sum = walk(list);
  if (argc > 1 && argv[1][0] == 's') usleep(200000);
  if (argc > 1 && argv[1][0] == 'f') { int status = 1; if (fork() != 0) { wait(&status); printf("child: %d\n", status); } }
  if (argc > 1 && argv[1][0] == 'l') pthread_exit(NULL);
  for (int i = 0; i < 200; i++) sum += walk(list);
  printf("%ld\n", sum / 201); return 0; }
