/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that do all that threads may do beside collections, at random:
 *
 *   torture SECONDS THREADS SEED WITHOUT [LIBRARY]
 *
 * They allocate, hand lists to each other by C11 atomics, call libc's functions with managed
 * callbacks, throw exceptions through managed frames, block, take signals, begin and end threads in
 * every way, load and unload a library of managed code (torture_part.c), and fork; all but WITHOUT, which
 * is `signals`, `forks` or `nothing`. Each list says what
 * must be in it. A watchdog ends the program, by SIGABRT, if a thread does nothing for long.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>

enum { SHARED = 16, MOST = 64, LONGEST = 300 };

struct node {
  struct node managed *next;
  long value, length; /* of the list from here on */
};

static struct node managed *_Atomic shared[SHARED];
static _Atomic int done, ended;
static _Atomic long counts[16], steps[MOST], handled;
static const char *const names[] = {"lists",   "shared", "sorted", "found",  "read",   "slept",
                                    "signals", "ended",  "locked", "forked", "nested", "waited",
                                    "thrown",  "loaded"};

_Noreturn static void wrong(const char *what)
{
  fprintf(stderr, "torture: %s\n", what);
  abort();
}

struct worker {
  int number;
  unsigned random;
  pthread_t thread;
};
static struct worker workers[MOST];
static int worker_count;

static unsigned next_random(struct worker *worker)
{
  worker->random = worker->random * 1664525u + 1013904223u;
  return worker->random >> 8;
}

/* ---- lists ---- */

static struct node managed *make(long length)
{
  struct node managed *list = NULL;

  for (long i = 1; i <= length; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    node->value = i;
    node->length = i;
    list = node;
  }
  return list;
}

static void check(struct node managed *list, const char *what)
{
  long length = list ? list->length : 0;

  for (; list; list = list->next, length--)
    if (list->value != length || list->length != length)
      wrong(what);
  if (length != 0)
    wrong(what);
}

static void exchange(unsigned random)
{
  struct node managed *mine = make(random % LONGEST);

  mine = atomic_exchange(&shared[random % SHARED], mine);
  check(mine, "a list from another thread");
}

/* ---- managed callbacks ---- */

static int compare(const void *a, const void *b)
{
  long x = *(const long *)a, y = *(const long *)b;

  check(make(x % 5), "a callback's list");
  return x < y ? -1 : x > y;
}

static void sort(struct worker *worker)
{
  long numbers[40];
  struct node managed *kept = make(30);

  for (int i = 0; i < 40; i++)
    numbers[i] = next_random(worker) % 1000;
  qsort(numbers, 40, sizeof *numbers, compare);
  for (int i = 1; i < 40; i++)
    if (numbers[i - 1] > numbers[i])
      wrong("qsort()");
  long *found = bsearch(&numbers[7], numbers, 40, sizeof *numbers, compare);
  if (found == NULL || *found != numbers[7])
    wrong("bsearch()");
  check(kept, "a list over qsort()");
}

static void find(struct worker *worker)
{
  static _Thread_local long keys[20];
  void *root = NULL;
  struct node managed *kept = make(20);

  for (int i = 0; i < 20; i++) {
    keys[i] = next_random(worker) % 100;
    if (tsearch(&keys[i], &root, compare) == NULL)
      wrong("tsearch()");
  }
  for (int i = 0; i < 20; i++)
    if (tfind(&keys[i], &root, compare) == NULL)
      wrong("tfind()");
  while (root)
    tdelete(*(long **)root, &root, compare);
  check(kept, "a list over tsearch()");
}

/* ---- what blocks ---- */

static void block_in_read(void)
{
  struct node managed *kept = make(10);
  int ends[2];
  char c = 0;

  if (pipe(ends) != 0)
    return; /* too many files for a moment */
  if (write(ends[1], "x", 1) != 1 || read(ends[0], &c, 1) != 1 || c != 'x')
    wrong("a pipe");
  close(ends[0]);
  close(ends[1]);
  check(kept, "a list over read()");
}

static void sleep_for(long nanoseconds)
{
  struct timespec time = {.tv_nsec = nanoseconds};

  nanosleep(&time, NULL);
}

static void sleep_a_while(unsigned random)
{
  struct node managed *kept = make(10);

  sleep_for(random % 300000);
  check(kept, "a list over nanosleep()");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void hold_a_lock(void)
{
  struct node managed *kept = make(5);

  pthread_mutex_lock(&mutex);
  check(make(50), "a list within a lock");
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  check(kept, "a list over a lock");
}

static void wait_for_others(void)
{
  struct node managed *kept = make(5);
  struct timespec until;

  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 200000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  check(kept, "a list over a condition");
}

/* ---- signals ---- */

static void on_signal(int number)
{
  int error = errno;

  check(make(number % 7), "a handler's list");
  handled++;
  errno = error;
}

static void signal_somebody(struct worker *worker)
{
  pthread_kill(worker->thread, SIGUSR1);
  check(make(50), "a list beside a signal");
}

/* ---- threads that begin and end ---- */

static void *returns(void *argument)
{
  exchange((unsigned)(size_t)argument);
  return argument;
}

static void deep(long levels, struct node managed *kept)
{
  if (levels == 0)
    pthread_exit((void *)7);
  deep(levels - 1, make(levels));
  check(kept, "never reached");
}

static void *exits(void *argument)
{
  deep(20, make(3));
  return argument;
}

static void *is_cancelled(void *argument)
{
  struct node managed *kept = make(10);

  for (;;) {
    sleep_for(100000);
    check(kept, "a list of a thread that is cancelled");
    pthread_testcancel();
  }
  return argument;
}

static pthread_key_t key;

static void at_end(void *value)
{
  check(make((long)value), "a destructor's list");
}

static void *leaves_data(void *argument)
{
  pthread_setspecific(key, (void *)11);
  return argument; /* its first managed code may be the destructor */
}

static void begin_and_end(struct worker *worker)
{
  void *(*const starts[])(void *) = {returns, exits, is_cancelled, leaves_data};
  struct node managed *kept = make(10);
  unsigned which = next_random(worker) % 4;
  pthread_t thread;
  void *result;

  if (pthread_create(&thread, NULL, starts[which], (void *)(size_t)which) != 0)
    return; /* too many for a moment */
  if (which == 2)
    pthread_cancel(thread);
  pthread_join(thread, &result);
  if (which == 1 ? result != (void *)7 : which == 2 ? result != PTHREAD_CANCELED : result != (void *)(size_t)which)
    wrong("the result of a thread");
  check(kept, "a list over pthread_join()");
}

/* ---- processes ---- */

static void fork_a_child(void)
{
  struct node managed *kept = make(20);
  int status = 0;
  pid_t child = fork();

  if (child < 0)
    return;
  if (child == 0) {
    alarm(60); /* rather than a child that waits for ever */
    cairn_collect();
    check(kept, "a child's list");
    check(make(500), "a child's new list");
    cairn_collect();
    if (cairn_mutator_count() != 1)
      wrong("a child with several mutators");
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      wrong("waitpid()");
  if (status != 0)
    wrong("a child ended badly");
  check(kept, "a list over fork()");
}

static long nest(struct worker *worker, long levels, struct node managed *kept);

static int nest_natively(const void *a, const void *b)
{
  struct worker *worker = *(struct worker *const *)a;

  (void)b;
  return (int)nest(worker, (long)(next_random(worker) % 4), make(4));
}

static long nest(struct worker *worker, long levels, struct node managed *kept)
{
  struct worker *two[2] = {worker, worker};

  if (levels > 0)
    qsort(two, 2, sizeof *two, nest_natively);
  check(kept, "a list below nested calls");
  return 0;
}

/* ---- exceptions ---- */

/* In torture_native.cpp. */
int call_and_catch(void (*function)(long), long argument);
void throw_one(long value);

static void throws(long levels)
{
  struct node managed *kept = make(levels);

  if (levels == 0)
    throw_one(3);
  throws(levels - 1);
  check(kept, "never reached");
}

static void throw_through(long levels)
{
  struct node managed *kept = make(12);

  if (call_and_catch(throws, levels) != 3)
    wrong("an exception");
  check(kept, "a list over an exception");
}

/* ---- libraries ---- */

static const char *library, *without;

static void load(void)
{
  struct node managed *kept = make(8);
  void *loaded = library ? dlopen(library, RTLD_NOW) : NULL;

  if (library && !loaded)
    wrong(dlerror());
  if (loaded) {
    long (*part)(long) = (long (*)(long))dlsym(loaded, "part");
    if (part(10) != 45)
      wrong("a library's list");
    dlclose(loaded);
  }
  check(kept, "a list over dlopen()");
}

static void step(struct worker *worker)
{
  unsigned random = next_random(worker), what = random % 97;
  int kind;

  if (what < 30)
    check(make(random % LONGEST), "a list"), kind = 0;
  else if (what < 50)
    exchange(random), kind = 1;
  else if (what < 56)
    sort(worker), kind = 2;
  else if (what < 62)
    find(worker), kind = 3;
  else if (what < 68)
    block_in_read(), kind = 4;
  else if (what < 71)
    sleep_a_while(random), kind = 5;
  else if (what < 76 && strcmp(without, "signals") != 0)
    signal_somebody(&workers[random % (unsigned)worker_count]), kind = 6;
  else if (what < 80)
    begin_and_end(worker), kind = 7;
  else if (what < 86)
    hold_a_lock(), kind = 8;
  else if (what < 87 && random % 64 < 2 && strcmp(without, "forks") != 0)
    fork_a_child(), kind = 9;
  else if (what < 89)
    throw_through(random % 20), kind = 12;
  else if (what < 90 && random % 16 == 0)
    load(), kind = 13;
  else if (what < 93)
    nest(worker, 2, make(6)), kind = 10;
  else
    wait_for_others(), kind = 11;
  counts[kind]++;
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  struct node managed *kept = make(200);

  while (!done) {
    step(worker);
    steps[worker->number]++;
  }
  ended++;
  check(kept, "a worker's list");
  return NULL;
}

static void *collect(void *argument)
{
  struct node managed *kept = make(100);

  while (!done) {
    sleep_for(1000000);
    cairn_collect();
  }
  check(kept, "the collecting thread's list");
  return argument;
}

/* Native: sees whether each worker goes on. */
cairn_unmanaged static void watch(int seconds)
{
  long before[MOST] = {0};
  int stuck = 0;

  for (int i = 0; i < 10 * seconds || stuck != 0; i++) {
    sleep_for(100000000);
    int moved = 1;
    for (int w = 0; w < worker_count; w++)
      moved &= steps[w] != before[w];
    stuck = moved ? 0 : stuck + 1;
    for (int w = 0; w < worker_count && moved; w++)
      before[w] = steps[w];
    if (stuck > 600)
      wrong("a thread hangs");
  }
}

int main(int argc, char **argv)
{
  int seconds = argc > 1 ? atoi(argv[1]) : 5;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  struct node managed *kept = make(1000);
  pthread_t collector;

  without = argc > 4 ? argv[4] : "nothing";
  library = argc > 5 ? argv[5] : NULL;
  worker_count = argc > 2 ? atoi(argv[2]) : 6;
  if (worker_count < 1 || worker_count > MOST)
    return 2;
  pthread_key_create(&key, at_end);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&collector, NULL, collect, NULL);
  for (int i = 0; i < worker_count; i++)
    workers[i] = (struct worker){.number = i, .random = (unsigned)(argc > 3 ? atoi(argv[3]) : 1) + 77u * (unsigned)i};
  for (int i = 0; i < worker_count; i++)
    workers[i].thread = pthread_self(); /* whom others signal until it has begun */
  for (int i = 0; i < worker_count; i++)
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      wrong("pthread_create()");
  watch(seconds);
  done = 1;
  while (ended < worker_count) /* whoever may be signalled is not joined yet */
    sleep_for(1000000);
  for (int i = 0; i < worker_count; i++)
    pthread_join(workers[i].thread, NULL);
  pthread_join(collector, NULL);
  check(kept, "main's list");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    fprintf(stderr, "%s %ld%s", names[i], counts[i], i + 1 < sizeof names / sizeof *names ? ", " : "\n");
  printf("threads left %zu, signals %s\n", cairn_mutator_count(), handled > 0 ? "came" : "did not come");
  return 0;
}
