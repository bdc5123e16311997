/* A thread is late for a stop: polls, handler, leaf, blocked; or is not: prompt (test/run/threads/stop_limit.test). Whoever is late
 * sees in the poll word that it is wanted, and then takes some tens of milliseconds more. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern _Thread_local volatile unsigned long cairn_mutator; /* begins with the poll word */
extern atomic_int inside;

#ifdef NATIVE /* a leaf to those who call it */
void sleeping(void);
void sleeping(void)
{
  inside = 1;
  while (cairn_mutator == 0)
    usleep(100);
  for (int i = 0; i < 300; i++)
    usleep(100);
}
#else
#include <cairn/cairn.h>
struct node { struct node managed *next; long value; };
void stuck(struct node managed *node);
#endif

#ifdef STUCK /* without polls */
void stuck(struct node managed *node)
{
  inside = 1;
  node->value++;
  while (cairn_mutator == 0)
    ;
  for (volatile long i = 0; i < 100000000; i++)
    ;
}
#elif !defined NATIVE
cairn_leaf void sleeping(void);
atomic_int inside;
static atomic_int ready, done;
static const char *kind;

static void handle(int signal)
{
  (void)signal;
  stuck(cairn_new(struct node));
}

static void block(void)
{
  sigset_t all;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

__attribute__((noinline)) static void run_late(struct node managed *node)
{
  if (strcmp(kind, "polls") == 0)
    stuck(node);
  else if (strcmp(kind, "leaf") == 0)
    sleeping();
  else if (strcmp(kind, "blocked") == 0) {
    block();
    stuck(node);
  } else if (strcmp(kind, "prompt") == 0)
    inside = 1;
  ready = 1;
  while (!done)
    node->value++;
}

static void *run(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  run_late(node);
  return node->value >= 0 ? argument : NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread;

  kind = argc > 1 ? argv[1] : "prompt";
  signal(SIGUSR1, handle);
  pthread_create(&thread, NULL, run, NULL);
  if (strcmp(kind, "handler") == 0) {
    while (!ready)
      usleep(100);
    pthread_kill(thread, SIGUSR1);
  }
  while (!inside)
    usleep(100);
  for (int i = 0; i < 10; i++)
    cairn_collect();
  done = 1;
  pthread_join(thread, NULL);
  return 0;
}
#endif
