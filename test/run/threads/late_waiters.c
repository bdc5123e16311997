// A thread that is late for a stop, in a leaf that runs long, while other threads wait. What would go wrong: the
// waiting threads, or the one that stops them, use a processor meanwhile; a stop goes on without the late thread.
// RUN: clang -O2 -DNATIVE -c %s -o %t.o && %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s %t.o \
// RUN:   -o %t -pthread
// RUN: env CAIRN_PAUSE=3ms CAIRN_HEAP_INITIAL=1m %t | FileCheck %s
// RUN: env CAIRN_WORKERS=4 CAIRN_STOP_LIMIT=10000 %t 2>&1 | FileCheck --check-prefixes=LINE,CHECK %s
// LINE: cairn: a stop has waited {{[0-9]+}} us for thread {{[0-9]+}} "late", which had a processor for
// CHECK: late 3 times: the others used less than half of its time; 0 wrong
#define _GNU_SOURCE
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 8, TIMES = 3, LATE_MICROSECONDS = 100000, LONG = 2000 };

extern _Thread_local volatile unsigned long cairn_mutator; // begins with the poll word
extern atomic_int is_inside;
extern long own_time, other_time; // microseconds of processor time

#ifdef NATIVE
static long microseconds_of(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Runs from the request of a stop on for as long as LATE_MICROSECONDS of processor time.
void be_late(void);
void be_late(void)
{
  is_inside = 1;
  while (cairn_mutator == 0)
    ;
  long all = microseconds_of(CLOCK_PROCESS_CPUTIME_ID), own = microseconds_of(CLOCK_THREAD_CPUTIME_ID), passed;
  while ((passed = microseconds_of(CLOCK_THREAD_CPUTIME_ID) - own) < LATE_MICROSECONDS)
    ;
  own_time += passed;
  other_time += microseconds_of(CLOCK_PROCESS_CPUTIME_ID) - all - passed;
  is_inside = 0;
}
#else
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

cairn_leaf void be_late(void);
atomic_int is_inside;
long own_time, other_time;
static atomic_int running, over;
static atomic_long wrong;

static struct node managed *list(void)
{
  struct node managed *head = 0;

  for (long i = 0; i < LONG; i++) {
    struct node managed *n = cairn_new(struct node);
    n->next = head;
    n->value = i;
    head = n;
  }
  return head;
}

static long sum(struct node managed *list)
{
  long total = 0;

  for (; list; list = list->next)
    total += list->value;
  return total;
}

static void *make_lists(void *unused)
{
  running++;
  while (!over) {
    struct node managed *kept = list();
    list();
    wrong += sum(kept) != (long)LONG * (LONG - 1) / 2;
  }
  return unused;
}

int main(void)
{
  pthread_t threads[THREADS];
  struct node managed *own = list();

  prctl(PR_SET_NAME, "late");
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], 0, make_lists, 0);
  while (running != THREADS)
    ;
  for (long i = 0; i < TIMES; i++) {
    be_late();
    wrong += sum(own) != (long)LONG * (LONG - 1) / 2;
  }
  over = 1;
  for (long i = 0; i < THREADS; i++)
    pthread_join(threads[i], 0);
  fprintf(stderr, "%ld us, the others %ld us\n", own_time, other_time);
  printf("late %d times: the others used %s than half of its time; %ld wrong\n", TIMES,
         other_time < own_time / 2 ? "less" : "more", (long)wrong);
  return 0;
}
#endif
