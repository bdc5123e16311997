// RUN: %cairn-cc -O1 -I%root/include %s -o %t -pthread && \
// RUN:   %cairn-cc -O1 -fcairn-collector=semispace -I%root/include %s -o %t.semispace -pthread
// RUN: for way in Fork clone SYS_fork SYS_clone fork; do for program in %t %t.semispace; do \
// RUN:   for setting in CAIRN_WORKERS=3 CAIRN_WATCHDOG=100000 CAIRN_STRESS=1000 \
// RUN:     "CAIRN_IDLE=1ms CAIRN_STOP_LIMIT=100000" CAIRN_TRACE=%t.json; do \
// RUN:   env CAIRN_HEAP_INITIAL=256k $setting $program $way 2>&1 || exit 1; done; done; done | sort | uniq -c | \
// RUN:   FileCheck %s
// RUN: python3 %S/../events/Inputs/nesting.py %t.json | FileCheck %s --check-prefix=TRACE
// RUN: for way in Fork clone SYS_fork SYS_clone fork; do env CAIRN_HEAP_INITIAL=1m CAIRN_PAUSE=1us \
// RUN:   %t $way marking 2>%t.said || exit 1; \
// RUN:   sed -n '/fatal:/{/the collector worked concurrently/!p}' %t.said; done | \
// RUN:   FileCheck %s --check-prefix=MARKING --implicit-check-not=fatal
// RUN: for way in Fork SYS_fork; do not --crash %t $way threads 2>&1 || exit 1; done | \
// RUN:   FileCheck %s --check-prefix=OTHERS
// A child that no handler of fork() sees, of a program with one thread that runs managed code, goes on alone: it
// collects, with workers of its own, starts threads, forks, and ends. What would go wrong: it waits for a thread that
// it does not have, or writes into its parent's trace.
// CHECK: {{^ *}}50 child 0: 199990000 199990000 199990000 199990000{{$}}
// CHECK-NOT: {{.}}
// TRACE: {{.}}
//
// While the collector marks concurrently: a child of fork() goes on, another does, too, or is told.
// MARKING-COUNT-4: {{^}}8 children: 8 right or told, some of them while it marks
// MARKING: {{^}}8 children: 8 right, some of them while it marks
// MARKING-NOT: {{.}}
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
#include <cairn/events.h>

struct cell {
  struct cell managed *next;
  long value;
};

#define SUM 199990000

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

static bool quiet;

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
  if (quiet)
    exit(first != SUM || other != SUM || forked != SUM || sums() != SUM);
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

/* ---- while the collector marks concurrently ---- */

/* The listener counts: a marking begins with its roots, and ends with what was written meanwhile. */
static volatile long began, ended;

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  (void)env;
  if (event->kind == CAIRN_EVENT_PHASE_BEGINS) {
    began += strcmp(event->phase, "mark") == 0;
    ended += strcmp(event->phase, "remark") == 0;
  }
}

static struct cell managed *kept;

static void keep(long cells)
{
  for (; cells > 0; cells--) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = kept;
    kept = cell;
  }
}

/* Allocate until the collector begins to mark. */
static void mark(void)
{
  long before = began;

  while (began == before) {
    struct cell managed *volatile waste = cairn_new(struct cell);
    (void)waste;
  }
}

static int marking(const char *way)
{
  enum { CHILDREN = 8 };
  int right = 0, told = 0, within = 0, status;

  quiet = true;
  keep(400000);
  cairn_listen(listen, NULL);
  for (int i = 0; i < CHILDREN; i++) {
    mark();
    long over = ended;
    usleep(i % 2 * 1000); /* so that the collector's thread is at work at most of these */
    pid_t process = start(way);
    within += over == ended;
    if (waitpid(process, &status, 0) != process)
      return 1;
    right += status == 0;
    told += WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  }
  bool all = strcmp(way, "fork") == 0;
  printf("%d children: %d right%s, %s of them while it marks\n", CHILDREN, all ? right : right + told,
         all ? "" : " or told", within > 0 ? "some" : "none");
  fprintf(stderr, "%d right, %d told, %d within\n", right, told, within);
  return 0;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  int status = -1;

  setvbuf(stdout, NULL, _IONBF, 0);
  sums();
  if (argc > 2 && strcmp(argv[2], "marking") == 0)
    return marking(argv[1]);
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
