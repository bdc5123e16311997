/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/stops: how long it takes to stop all threads, and what threads that come and go cost.
 *
 * stops stop THREADS ROUNDS: of THREADS threads one requests a collection ROUNDS times, one runs
 * managed code, and the others wait in native code that managed code called.
 *
 * stops shake THREADS RUNNING ROUNDS: of THREADS threads so many run managed code, and others wait
 * in native code; ROUNDS handshakes with the first in turn, or with the others if there are none.
 *
 * stops come THREADS: so many threads begin, allocate and end, eight at a time.
 *
 * stops ask THREADS, stops meet THREADS: so many threads meet; then each requests a collection, or
 * allocates a list. Prints nanoseconds from the meeting to the last one's end; context switches of
 * the process in that time; stops; collections.
 *
 * A collector of its own notes the time when the world is stopped, and leaves the heap alone.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/events.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
  long value;
};

static volatile double stopped_at, stopped_delay;
static int delays[2] = {-1, -1};         /* of the requester, and of the thread that runs managed code */
static volatile _Atomic int ready, done; /* nothing sets `done`, which the compiler must not know */

cairn_unmanaged static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* A thread's file that says for how long it could run and had no processor. */
cairn_unmanaged static int open_delay(int thread)
{
  char path[64];

  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", thread);
  return open(path, O_RDONLY | O_CLOEXEC);
}

/* Nanoseconds since it began; 0 if the kernel does not say it. */
cairn_unmanaged static double delay(int file)
{
  char text[80];
  ssize_t n = pread(file, text, sizeof text - 1, 0);
  double waited = 0;

  text[n > 0 ? n : 0] = 0;
  sscanf(text, "%*s %lf", &waited);
  return waited;
}

/* ---- the collector ---- */

cairn_unmanaged static enum cairn_status init(size_t initial, size_t most)
{
  (void)initial;
  (void)most;
  return CAIRN_OK;
}

/* Blocks of a buffer are never used again: the threads of `stop` hardly allocate. */
cairn_unmanaged static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  enum { BUFFER = 4096 };
  void *at = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (at == MAP_FAILED || bytes > BUFFER)
    return CAIRN_E_FULL;
  cairn_buffer_take(mutator, NULL);
  cairn_buffer_give(mutator, (uintptr_t)at, (uintptr_t)at + BUFFER);
  return CAIRN_OK;
}

cairn_unmanaged static void collect(const struct cairn_collection *collection)
{
  (void)collection;
  stopped_at = now();
  stopped_delay = delay(delays[0]) + delay(delays[1]);
}

static const struct cairn_collector still = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                             .size = sizeof(struct cairn_collector),
                                             .name = "still",
                                             .init = init,
                                             .refill = refill,
                                             .grow = refill,
                                             .collect = collect};

/* ---- threads ---- */

enum { MOST = 64 };
static _Atomic int numbers[MOST]; /* of threads */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static struct node managed *seen;

static void *run(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  ready++;
  while (!done)
    node->value++;
  seen = node;
  return argument;
}

static void *wait_natively(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  pthread_mutex_lock(&mutex);
  ready++;
  while (!done)
    pthread_cond_wait(&over, &mutex);
  pthread_mutex_unlock(&mutex);
  node->value = 1;
  return argument;
}

static void *run_known(void *number)
{
  *(_Atomic int *)number = gettid();
  return run(NULL);
}

static void *wait_known(void *number)
{
  *(_Atomic int *)number = gettid();
  return wait_natively(NULL);
}

/* Per round: nanoseconds, and for how many of them one of the two waited for a processor. */
cairn_unmanaged static void request(long rounds)
{
  for (long i = 0; i < rounds; i++) {
    struct timespec pause = {.tv_nsec = 50000};
    nanosleep(&pause, NULL);
    double waited = delay(delays[0]) + delay(delays[1]), before = now();
    cairn_collect();
    printf("%.0f %.0f\n", stopped_at - before, stopped_delay - waited);
  }
}

static void stop(int threads, long rounds)
{
  pthread_attr_t attributes;
  pthread_t thread;

  cairn_set_collector(&still);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  for (int i = 1; i < threads; i++) {
    if (pthread_create(&thread, &attributes, i == 1 ? run_known : wait_known, (void *)&numbers[i == 1 ? 0 : 1]))
      abort();
  }
  while (ready < threads - 1) {
    struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
  }
  delays[0] = open_delay(gettid());
  delays[1] = open_delay(numbers[0]);
  request(rounds);
  fflush(stdout);
  _Exit(0);
}

/* ---- handshakes ---- */

static _Atomic int operations;

cairn_unmanaged static void operate(int thread, void *env)
{
  (void)thread;
  (void)env;
  operations++;
}

/* As request() has it; `asked` is the other thread's delay. */
cairn_unmanaged static void shake_one(int thread, int asked, double *time, double *waited)
{
  double delayed = delay(delays[0]) + delay(asked), before = now();

  if (cairn_handshake(thread, operate, NULL, CAIRN_ASK_FOREVER) != CAIRN_OK)
    abort();
  *time = now() - before;
  *waited = delay(delays[0]) + delay(asked) - delayed;
}

cairn_unmanaged static void shake(int threads, int running, long rounds)
{
  pthread_t thread;
  int files[MOST], asked = running ? running : threads;
  double *times = malloc((size_t)rounds * 2 * sizeof *times), *waited = times + rounds;

  if (!times || threads > MOST)
    abort();
  for (int i = 0; i < threads; i++)
    if (pthread_create(&thread, NULL, i < running ? run_known : wait_known, (void *)&numbers[i]))
      abort();
  while (ready < threads)
    usleep(1000);
  usleep(10000); /* the last one waits, too */
  delays[0] = open_delay(gettid());
  for (int i = 0; i < asked; i++)
    files[i] = running ? open_delay(numbers[i]) : -1;
  for (long i = 0; i < rounds; i++)
    shake_one(numbers[i % asked], files[i % asked], &times[i], &waited[i]);
  if (operations != rounds)
    abort();
  for (long i = 0; i < rounds; i++)
    printf("%.0f %.0f\n", times[i], waited[i]);
  fflush(stdout);
  _Exit(0);
}

/* ---- threads that come and go ---- */

static void *allocate(void *argument)
{
  struct node managed *list = NULL;

  for (int i = 0; i < 100; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    list = node;
  }
  return argument;
}

cairn_unmanaged static void print_memory(long threads)
{
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  long size = 0, resident = 0;

  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "VmSize: %ld", &size);
    sscanf(line, "VmRSS: %ld", &resident);
  }
  fclose(file);
  printf("%ld %ld %ld\n", threads, size, resident);
}

cairn_unmanaged static void come(long threads)
{
  pthread_t thread[8];

  for (long i = 0; i < threads; i += 8) {
    for (int t = 0; t < 8; t++)
      if (pthread_create(&thread[t], NULL, allocate, NULL) != 0)
        abort();
    for (int t = 0; t < 8; t++)
      pthread_join(thread[t], NULL);
    if (i + 8 == 1000 || i + 8 >= threads)
      print_memory(i + 8);
  }
}

/* ---- threads that want the same at once ---- */

static pthread_barrier_t together;

static void *ask(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  pthread_barrier_wait(&together);
  cairn_collect();
  node->value = 1;
  return argument;
}

static void *meet(void *argument)
{
  pthread_barrier_wait(&together);
  allocate(argument);
  return argument;
}

static long stopped, collected;

cairn_unmanaged static void count(void *env, const struct cairn_event *event)
{
  (void)env;
  stopped += event->kind == CAIRN_EVENT_STOPPED;
  collected += event->kind == CAIRN_EVENT_COLLECTION_ENDS;
}

/* Context switches of the process by waits, and by preemption. */
cairn_unmanaged static long switches(void)
{
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

cairn_unmanaged static void at_once(int threads, void *(*wanted)(void *))
{
  pthread_attr_t attributes;
  pthread_t *thread = calloc((size_t)threads, sizeof *thread);

  if (!thread || pthread_barrier_init(&together, NULL, (unsigned)threads + 1))
    abort();
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&thread[i], &attributes, wanted, NULL))
      abort();
  cairn_listen(count, NULL);
  long waited = switches();
  double before = now();
  pthread_barrier_wait(&together);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  printf("%.0f %ld %ld %ld\n", now() - before, switches() - waited, stopped, collected);
}

int main(int argc, char **argv)
{
  if (argc > 3 && strcmp(argv[1], "stop") == 0)
    stop(atoi(argv[2]), atol(argv[3]));
  else if (argc > 4 && strcmp(argv[1], "shake") == 0)
    shake(atoi(argv[2]), atoi(argv[3]), atol(argv[4]));
  else if (argc > 2 && strcmp(argv[1], "come") == 0)
    come(atol(argv[2]));
  else if (argc > 2 && strcmp(argv[1], "ask") == 0)
    at_once(atoi(argv[2]), ask);
  else if (argc > 2 && strcmp(argv[1], "meet") == 0)
    at_once(atoi(argv[2]), meet);
  else
    return 2;
  return 0;
}
