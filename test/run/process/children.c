// RUN: %cairn-cc -O1 -I%root/include %s -o %t -pthread && \
// RUN:   %cairn-cc -O1 -fcairn-collector=semispace -I%root/include %s -o %t.semispace -pthread
// RUN: for way in Fork clone SYS_fork SYS_clone fork; do for program in %t %t.semispace; do \
// RUN:   for setting in CAIRN_WORKERS=3 CAIRN_WATCHDOG=100000 CAIRN_STRESS=1000 \
// RUN:     "CAIRN_IDLE=1ms CAIRN_STOP_LIMIT=100000" CAIRN_TRACE=%t.json; do \
// RUN:   env CAIRN_HEAP_INITIAL=256k $setting $program $way 2>&1 || exit 1; done; done; done | sort | uniq -c | \
// RUN:   FileCheck %s
// RUN: python3 %S/../events/Inputs/nesting.py %t.json | FileCheck %s --check-prefix=TRACE
// RUN: for way in Fork SYS_fork; do not --crash %t $way threads 2>&1 || exit 1; done | \
// RUN:   FileCheck %s --check-prefix=OTHERS
// A child that no handler of fork() sees, of a program with one thread that runs managed code, goes on alone: it
// collects, with workers of its own, starts threads, forks, and ends. What would go wrong: it waits for a thread that
// it does not have, or writes into its parent's trace.
// CHECK: {{^ *}}50 child 0: 199990000 199990000 199990000 199990000{{$}}
// CHECK-NOT: {{.}}
// TRACE: {{.}}
// OTHERS-COUNT-2: cairn: fatal: this process was made by _Fork() or clone() while other threads ran managed code {{.*}}
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

static long sums(void)
{
  struct cell managed *list = NULL;
  long sum = 0;

  for (long i = 0; i < 20000; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = list;
    cell->value = i;
    list = cell;
  }
  cairn_collect();
  for (; list != NULL; list = list->next)
    sum += list->value;
  return sum;
}

static void *in_thread(void *result)
{
  *(long *)result = sums();
  return NULL;
}

static long in_child(void)
{
  int ends[2];
  long sum = 0;

  if (pipe(ends) != 0)
    return 0;
  pid_t child = fork();
  if (child == 0) {
    sum = sums();
    _exit(write(ends[1], &sum, sizeof sum) != sizeof sum);
  }
  waitpid(child, NULL, 0);
  return read(ends[0], &sum, sizeof sum) == sizeof sum ? sum : 0;
}

/* One thread at a time is managed. SIGALRM ends a child that hangs. */
static int child(void *unused)
{
  pthread_t thread;
  long other = 0, first, forked;

  (void)unused;
  alarm(300);
  first = sums();
  pthread_create(&thread, NULL, in_thread, &other);
  pthread_join(thread, NULL);
  forked = in_child();
  printf("child 0: %ld %ld %ld %ld\n", first, other, forked, sums());
  exit(0);
}

/* No managed code is on its stack, for the child of clone() has another. */
static pid_t start(const char *way)
{
  static char stack[1 << 20] __attribute__((aligned(16)));
  pid_t process;

  if (strcmp(way, "Fork") == 0)
    process = _Fork();
  else if (strcmp(way, "SYS_fork") == 0)
    process = (pid_t)syscall(SYS_fork);
  else if (strcmp(way, "SYS_clone") == 0)
    process = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  else if (strcmp(way, "clone") == 0)
    return clone(child, stack + sizeof stack, SIGCHLD, NULL);
  else
    process = fork();
  return process == 0 ? child(NULL) : process;
}

static pthread_barrier_t met;

static void *stay(void *unused)
{
  sums();
  pthread_barrier_wait(&met);
  pause();
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  int status = -1;

  setvbuf(stdout, NULL, _IONBF, 0);
  sums();
  if (argc > 2) {
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&thread, NULL, stay, NULL);
    pthread_barrier_wait(&met);
  }
  pid_t process = start(argv[1]);
  if (waitpid(process, &status, 0) != process || status != 0) {
    printf("child ended with %x\n", status);
    if (WIFSIGNALED(status))
      raise(WTERMSIG(status));
    return 1;
  }
  sums();
  return 0;
}
