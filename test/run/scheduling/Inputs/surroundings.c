/* Implements surroundings.h. Kinds:
 *   none
 *   crowded         processes spin, two for each processor, and the program's priority is lower than theirs
 *   stopped         a child stops and continues the process at random times
 *   frozen          threads sleep in a signal handler at random times
 *   starved NAME    a spinning thread leaves next to no time to the threads of the runtime whose names begin so
 *   inverted NAME   a real-time thread spins, with a priority between those of the program's threads and of the
 *                   runtime's threads whose names begin so; all threads share a processor. Without the right to
 *                   real-time priorities, the program runs as in `none`. */
#define _GNU_SOURCE
#include "surroundings.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cairn/events.h>

enum {
  MAX_THREADS = 64,
  MAX_HELPERS = 64,
  MAX_COLLECTIONS = 100000,
  MAX_REAL_TIME = 5000000, /* microseconds without a wait */
  MAX_BURST = 20000,       /* microseconds */
  NICE = 2,
  PROGRAM_PRIORITY = 10,
  HOG_PRIORITY = 5
};

static long wanted_markings;
static atomic_long markings, collections, evacuations, starved;
static atomic_int over;
static const char *starved_name; /* or null */
static int real_time;            /* threads of the program have a real-time priority above the runtime's threads */
static pthread_t others[MAX_THREADS], tormentor;
static atomic_int other_count;
static pid_t helpers[MAX_HELPERS];
static int helper_count;

/* ---- events ---- */

/* A sweep after the end of a marking, and not after a trace, is one that runs concurrently. */
static void listen_to(void *unused, const struct cairn_event *event)
{
  static const char *last = "";

  (void)unused;
  if (event->kind == CAIRN_EVENT_COLLECTION_ENDS)
    collections++;
  if (event->kind != CAIRN_EVENT_PHASE_BEGINS)
    return;
  markings += strcmp(event->phase, "sweep") == 0 && strcmp(last, "remark") == 0;
  evacuations += strcmp(event->phase, "evacuate") == 0;
  last = event->phase;
}

/* ---- starved threads of the runtime ---- */

static void sleep_for(long microseconds)
{
  nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static int first_processor(void)
{
  cpu_set_t set;
  int processor = 0;

  sched_getaffinity(0, sizeof set, &set);
  while (!CPU_ISSET(processor, &set))
    processor++;
  return processor;
}

static void pin(int thread, int processor)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(thread, sizeof set, &set);
}

static void *spin(void *unused)
{
  pin(0, first_processor());
  while (!over)
    ;
  return unused;
}

static int set_real_time(int priority)
{
  return sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = priority}) == 0;
}

static long own_microseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Leaves no time to threads of lower priority until there was another collection. The time is bounded, because the
 * kernel's lock of the address space does not inherit priorities. */
static void *hog(void *unused)
{
  set_real_time(HOG_PRIORITY);
  while (!over) {
    sleep_for(300);
    for (long before = collections, since = own_microseconds(); collections == before && !over;)
      if (own_microseconds() - since > MAX_BURST)
        break;
  }
  return unused;
}

static void starve(int thread)
{
  static const struct sched_param none, lowest = {.sched_priority = 1};

  if (sched_getscheduler(thread) == SCHED_IDLE || (real_time && sched_getscheduler(thread) == SCHED_RR))
    return;
  pin(thread, first_processor());
  if (real_time)
    sched_setscheduler(thread, SCHED_RR, &lowest);
  else
    sched_setscheduler(thread, SCHED_IDLE, &none);
  starved++;
}

static void starve_by_name(const char *name)
{
  char path[64], comm[32];
  DIR *tasks = opendir("/proc/self/task");

  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    int thread = atoi(task->d_name);
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
    FILE *file = thread != 0 ? fopen(path, "r") : NULL;
    if (file == NULL)
      continue;
    if (fgets(comm, sizeof comm, file) != NULL && strncmp(comm, name, strlen(name)) == 0)
      starve(thread);
    fclose(file);
  }
  closedir(tasks);
}

/* The program's first thread has its priority before the hog begins. */
static void begin_inverted(const char *name)
{
  setrlimit(RLIMIT_RTTIME, &(struct rlimit){MAX_REAL_TIME, MAX_REAL_TIME});
  if (!set_real_time(PROGRAM_PRIORITY))
    return;
  starved_name = name;
  real_time = 1;
  pin(0, first_processor());
  pthread_create(&tormentor, NULL, hog, NULL);
}

/* ---- crowds, stopped processes and frozen threads ---- */

static void stop_and_continue(pid_t process)
{
  sleep_for(500 + rand() % 3000);
  kill(process, SIGSTOP);
  sleep_for(rand() % 10000);
  kill(process, SIGCONT);
}

static void do_nothing(pid_t unused)
{
  (void)unused;
}

/* A child that calls the function again and again, as long as the program lives. */
static void start_helper(void (*call)(pid_t parent))
{
  pid_t parent = getpid(), child = helper_count < MAX_HELPERS ? fork() : -1;

  if (child > 0)
    helpers[helper_count++] = child;
  if (child != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent)
    call(parent);
  _exit(0);
}

static void end_helpers(void)
{
  for (int i = 0; i < helper_count; i++) {
    kill(helpers[i], SIGKILL);
    waitpid(helpers[i], NULL, 0);
  }
}

static void start_crowd(void)
{
  for (long i = 0; i < 2 * sysconf(_SC_NPROCESSORS_ONLN); i++)
    start_helper(do_nothing);
  if (nice(NICE) == -1)
    perror("nice");
}

static void sleep_in_handler(int signal)
{
  (void)signal;
  sleep_for(3000);
}

static void *freeze_others(void *unused)
{
  unsigned seed = 1;

  while (!over) {
    sleep_for(4000 + rand_r(&seed) % 4000);
    int count = other_count;
    if (count != 0 && !over)
      pthread_kill(others[rand_r(&seed) % count], SIGUSR1);
  }
  return unused;
}

/* ---- the program's calls ---- */

void surroundings_begin(long count, const char *kind)
{
  wanted_markings = count;
  cairn_listen(listen_to, NULL);
  if (strncmp(kind, "starved ", 8) == 0) {
    starved_name = kind + 8;
    pthread_create(&tormentor, NULL, spin, NULL);
  } else if (strncmp(kind, "inverted ", 9) == 0) {
    begin_inverted(kind + 9);
  } else if (strcmp(kind, "stopped") == 0) {
    start_helper(stop_and_continue);
  } else if (strcmp(kind, "crowded") == 0) {
    start_crowd();
  } else if (strcmp(kind, "frozen") == 0) {
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = sleep_in_handler, .sa_flags = SA_RESTART}, NULL);
    pthread_create(&tormentor, NULL, freeze_others, NULL);
  }
}

void surroundings_begin_thread(long number)
{
  (void)number;
  others[other_count] = pthread_self();
  other_count++;
  if (real_time)
    set_real_time(PROGRAM_PRIORITY);
}

int surroundings_are_over(long number)
{
  if (starved_name != NULL && number == 1 && starved == 0)
    starve_by_name(starved_name);
  if (markings >= wanted_markings && collections >= 20)
    over = 1;
  if (real_time)
    sleep_for(20);
  return over || collections > MAX_COLLECTIONS;
}

void surroundings_end_thread(void)
{
  static const struct sched_param none;

  if (real_time)
    sched_setscheduler(0, SCHED_OTHER, &none);
}

long surroundings_end(void)
{
  over = 1;
  if (tormentor != 0)
    pthread_join(tormentor, NULL);
  end_helpers();
  fprintf(stderr, "%ld evacuations, %ld collections, %ld threads starved\n", (long)evacuations, (long)collections,
          (long)starved);
  return markings;
}
