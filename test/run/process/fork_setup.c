// A thread runs its first managed code while another thread forks. What would go wrong: the child has a heap that is
// set up by half, or waits for ever for the thread, which it does not have.
// RUN: %cairn-cc -O1 -I%root/include %s -o %t -pthread && %t && env CAIRN_STRESS=7 %t
// RUN: %cairn-cc -O1 -fcairn-collector=semispace -I%root/include %s -o %t.semispace -pthread && %t.semispace
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);              \
      exit(1);                                                                     \
    }                                                                              \
  } while (0)

struct cell {
  struct cell managed *next;
  long value;
};

static _Thread_local _Bool sets_up;
static atomic_bool in_mmap, tries_to_fork;

/* The set-up of the heap reserves addresses: this definition, which the runtime calls instead of libc's, holds the
 * thread there until the other thread has begun to fork. */
cairn_unmanaged void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
  if (sets_up && protection == PROT_NONE && bytes > 1 << 20 && !atomic_exchange(&in_mmap, 1)) {
    while (!tries_to_fork)
      usleep(100);
    usleep(50000);
  }
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

__attribute__((noinline)) static long sum_list(void)
{
  struct cell managed *list = NULL;
  long sum = 0;

  for (long i = 0; i < 1000; i++) {
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

static void *run_first(void *unused)
{
  EXPECT(sum_list() == 499500);
  return unused;
}

cairn_unmanaged static void *enter(void *unused)
{
  sets_up = 1;
  return run_first(unused);
}

cairn_unmanaged int main(void)
{
  pthread_t thread;
  int status;

  EXPECT(pthread_create(&thread, NULL, enter, NULL) == 0);
  while (!in_mmap)
    usleep(100);
  tries_to_fork = 1;
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(sum_list() == 499500 ? 0 : 1);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(sum_list() == 499500);
  return 0;
}
