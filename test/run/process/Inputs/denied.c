/* usage: denied CALL|- ERROR main|start [HOW]: a system call (its number, or - for none) fails with an error from main() on, or, of a
 * program that starts itself again, from its start on. Then two threads, with handlers of signals, share a list and collect. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

/* On x86-64 one number says which call it is, whatever its arguments are. */
static void deny(long call, int error)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("seccomp");
    exit(3);
  }
}

struct cell {
  struct cell managed *next;
  long value;
};

static struct cell managed *shared;
static _Atomic int handled, raised;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct cell managed *push(struct cell managed *list, long value)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->next = list;
  cell->value = value;
  return cell;
}

static void handle(int signal)
{
  struct cell managed *cell = push(NULL, signal);

  handled += cell->value == signal;
}

static void fill(long from)
{
  for (long i = 0; i < 20; i++) {
    struct cell managed *list = NULL;
    for (long j = 0; j < 2000; j++)
      list = push(list, from + j);
    pthread_mutex_lock(&lock);
    shared = push(shared, list->value);
    pthread_mutex_unlock(&lock);
    long managed *large = cairn_new_array(long, 5000);
    large[i] = i;
    raised += raise(SIGUSR1) == 0;
    if (i % 8 == 0)
      cairn_collect();
  }
}

static void *work(void *unused)
{
  fill(1000);
  return unused;
}

static long sum(void)
{
  long sum = 0;

  for (struct cell managed *cell = shared; cell != NULL; cell = cell->next)
    sum += cell->value;
  return sum;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  char message[200] = "";
  const char *how = argc > 4 ? argv[4] : "";

  if (argc > 3 && strcmp(argv[1], "-") != 0) {
    char *number = argv[1];
    argv[1] = "-";
    if (strcmp(argv[3], "start") == 0)
      signal(SIGUSR1, SIG_DFL);
    deny(atol(number), atoi(argv[2]));
    if (strcmp(argv[3], "start") == 0) {
      execv(argv[0], argv);
      return 4;
    }
  }
  if (signal(SIGUSR1, handle) == SIG_ERR) {
    printf("no handler\n");
    return 5;
  }
  if (pthread_create(&thread, NULL, work, NULL) != 0) {
    printf("no thread\n");
    return 5;
  }
  fill(100000);
  pthread_join(thread, NULL);
  printf("sum %ld, handlers missing %d\n", sum(), raised - handled);
  if (strcmp(how, "dump") == 0)
    printf("dump %d\n", cairn_heap_dump("denied.heap", message, sizeof message));
  if (strcmp(how, "full") == 0)
    for (long i = 0;; i++)
      shared = push(shared, i);
  return 0;
}
