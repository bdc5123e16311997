/* SPDX-License-Identifier: Apache-2.0
 *
 * Watches the machine while a program runs on it: `witness PID FILE`, with the program's processors
 * as its affinity, until its standard input ends (bench/lib/witness.py reads the files).
 *
 * A thread on each processor sleeps for half a millisecond and notes by how much it woke up too
 * late, and how long a loop of registers then took. The threads have a real-time priority if the
 * system grants one: the program's threads cannot delay them then, so a late one means that the
 * processor did nothing for this system, or that the system did not run: the host took it, another
 * real-time thread had it, or all were stopped by a signal. The first thread also notes the
 * processor time of the program, and how long threads of the program had waited for a processor.
 *
 * FILE.samples has quadruples of 64-bit numbers: processor, moment, lateness, time of the loop;
 * FILE.usage pairs: moment, the program's processor time; FILE.waits triples: the moment, that of
 * the reading before it, the time for which a thread of the program waited. All are nanoseconds.
 * The output is `real-time` or `ordinary`, the priority of the threads.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
  PERIOD = 500000,     /* nanoseconds */
  WAITS_EVERY = 4,     /* periods */
  THREADS_EVERY = 200, /* periods, and four more for each thread: threads of the program may be new */
  BATCH = 32,          /* threads that are read at a time; a program of more costs no more */
  STEPS = 500,         /* of the loop, some 1.5 us */
  SHORTEST_WAIT = 500000,
  MOST_PROCESSORS = 256,
  MOST_THREADS = 1024
};

/* Numbers in memory that is reserved, and touched as it is filled: a call that allocates would
 * disturb the program. */
struct log {
  long *numbers;
  size_t used;
};
enum { LOG_ROOM = 1 << 27 /* numbers: hours */ };

static struct sampler {
  pthread_t thread;
  int processor;
  struct log samples;
} samplers[MOST_PROCESSORS];

static struct {
  int number, file;
  long waited, moment; /* of the last reading */
} threads[MOST_THREADS];

static pid_t program;
static clockid_t program_clock;
#define NO_CLOCK ((clockid_t) - 1) /* the program has ended already; it has no readings */
static struct log usage, waits;
static int thread_count, next_thread;
static atomic_bool finished;

static long read_clock(clockid_t which)
{
  struct timespec now;

  return clock_gettime(which, &now) == 0 ? now.tv_sec * 1000000000L + now.tv_nsec : -1;
}

static void reserve(struct log *log)
{
  log->numbers =
      mmap(NULL, LOG_ROOM * sizeof(long), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (log->numbers == MAP_FAILED) {
    perror("witness: mmap");
    exit(2);
  }
}

static void note(struct log *log, long number)
{
  if (log->used < LOG_ROOM)
    log->numbers[log->used++] = number;
}

/* The better of two runs: the first may have to fetch its code. */
static long time_loop(void)
{
  long best = 0;

  for (int run = 0; run < 2; run++) {
    unsigned long bits = 88172645463325252u;
    long before = read_clock(CLOCK_MONOTONIC);
    for (int i = 0; i < STEPS; i++) {
      bits ^= bits << 13;
      bits ^= bits >> 7;
      bits ^= bits << 17;
      __asm__ volatile("" : "+r"(bits));
    }
    long took = read_clock(CLOCK_MONOTONIC) - before;
    best = run == 0 || took < best ? took : best;
  }
  return best;
}

static bool is_known(int number)
{
  for (int i = 0; i < thread_count; i++)
    if (threads[i].number == number && threads[i].file >= 0)
      return true;
  return false;
}

static void find_threads(void)
{
  char path[64];

  snprintf(path, sizeof path, "/proc/%d/task", program);
  DIR *folder = opendir(path);
  if (folder == NULL)
    return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && thread_count < MOST_THREADS;) {
    int number = atoi(entry->d_name);
    if (number == 0 || is_known(number))
      continue;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", program, number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
      continue;
    threads[thread_count].number = number;
    threads[thread_count].file = file;
    threads[thread_count++].waited = -1;
  }
  closedir(folder);
}

/* How long the thread has waited for a processor so far; a wait counts when it ends. -1: it is gone. */
static long read_wait(int file)
{
  char text[96], *end;
  ssize_t length = pread(file, text, sizeof text - 1, 0);

  if (length <= 0)
    return -1;
  text[length] = '\0';
  (void)strtol(text, &end, 10);
  return strtol(end, NULL, 10);
}

static void read_thread(int at, long now)
{
  long waited = read_wait(threads[at].file), more = waited - threads[at].waited;

  if (waited < 0) {
    close(threads[at].file);
    threads[at].file = -1;
    return;
  }
  if (threads[at].waited >= 0 && more >= SHORTEST_WAIT) {
    note(&waits, now);
    note(&waits, threads[at].moment);
    note(&waits, more);
  }
  threads[at].waited = waited;
  threads[at].moment = now;
}

static void read_threads(long now)
{
  for (int i = 0; i < BATCH && i < thread_count; i++) {
    next_thread = (next_thread + 1) % thread_count;
    if (threads[next_thread].file >= 0)
      read_thread(next_thread, now);
  }
}

static void watch_program(int turn)
{
  static int next_search;
  bool is_turn = turn % WAITS_EVERY == 0;
  long now = read_clock(CLOCK_MONOTONIC), used = is_turn || thread_count <= BATCH ? read_clock(program_clock) : -1;

  if (used >= 0) {
    note(&usage, now);
    note(&usage, used);
  }
  if (turn >= next_search) {
    find_threads();
    next_search = turn + THREADS_EVERY + 4 * thread_count;
  }
  if (is_turn)
    read_threads(now);
}

static void *sample(void *argument)
{
  struct sampler *sampler = argument;
  cpu_set_t only;
  long due = read_clock(CLOCK_MONOTONIC);

  CPU_ZERO(&only);
  CPU_SET(sampler->processor, &only);
  pthread_setaffinity_np(pthread_self(), sizeof only, &only);
  prctl(PR_SET_TIMERSLACK, 1);
  for (int turn = 0; !finished; turn++) {
    due += PERIOD;
    struct timespec until = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    long now = read_clock(CLOCK_MONOTONIC), loop = time_loop();
    note(&sampler->samples, sampler->processor);
    note(&sampler->samples, now);
    note(&sampler->samples, now - due);
    note(&sampler->samples, loop);
    if (sampler == samplers)
      watch_program(turn);
    now = read_clock(CLOCK_MONOTONIC);
    due = now > due + PERIOD ? now : due;
  }
  return NULL;
}

static bool take_priority(void)
{
  struct sched_param first = {.sched_priority = 1};

  return sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}

static void append(const char *name, const char *kind, const struct log *log)
{
  char path[4096];

  snprintf(path, sizeof path, "%s.%s", name, kind);
  FILE *file = fopen(path, "ab");
  bool written = file != NULL && fwrite(log->numbers, sizeof(long), log->used, file) == log->used;
  if (file == NULL || fclose(file) != 0 || !written) {
    perror(path);
    exit(2);
  }
}

int main(int argc, char **argv)
{
  cpu_set_t processors;
  int count = 0;
  char byte;

  program = argc == 3 ? atoi(argv[1]) : 0;
  if (program <= 0 || sched_getaffinity(0, sizeof processors, &processors) != 0) {
    fprintf(stderr, "usage: witness PID FILE\n");
    return 2;
  }
  if (clock_getcpuclockid(program, &program_clock) != 0)
    program_clock = NO_CLOCK;
  if (access("/proc/self/schedstat", R_OK) != 0) {
    perror("witness: /proc/self/schedstat");
    return 2;
  }
  reserve(&usage);
  reserve(&waits);
  puts(take_priority() ? "real-time" : "ordinary");
  fflush(stdout);
  for (int i = 0; i < CPU_SETSIZE && count < MOST_PROCESSORS; i++) {
    if (!CPU_ISSET(i, &processors))
      continue;
    samplers[count].processor = i;
    reserve(&samplers[count].samples);
    if (pthread_create(&samplers[count].thread, NULL, sample, &samplers[count]) != 0)
      return 2;
    count++;
  }
  while (read(STDIN_FILENO, &byte, 1) > 0)
    ;
  finished = true;
  for (int i = 0; i < count; i++) {
    pthread_join(samplers[i].thread, NULL);
    append(argv[2], "samples", &samplers[i].samples);
  }
  append(argv[2], "usage", &usage);
  append(argv[2], "waits", &waits);
  return 0;
}
