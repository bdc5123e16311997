/* SPDX-License-Identifier: Apache-2.0
 *
 * The meter of bench/latency: phases, schedules and latencies. Each server calls meter_next() in
 * its own thread and uses its own entry of `servers`. Between two phases all servers wait at
 * `barrier`, and one of them writes the latencies of the last load and plans the next. The memory
 * of a load's schedule and latencies is touched before the load begins.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "meter.h"

enum {
  WARM,
  CAPACITY,
  FIRST_LOAD,
  MOST_LOADS = 16,
  LONGER = 5,           /* times the usual number of requests, at most */
  PLANTED = 5,          /* stops per load */
  HEAD_START = 10000000 /* nanoseconds between the plan of a load and its first request */
};

static struct server {
  long *starts, *ends; /* nanoseconds: when a request is due, and when it has ended */
  long count, next;    /* requests of the load, and those that have begun */
  long done, took;     /* requests of a phase without a schedule, and its nanoseconds */
  unsigned long random;
} servers[MOST_SERVERS];

static struct {
  int servers, loads;
  long mib, milliseconds[FIRST_LOAD + 1], stop, least;
  const char *folder;
  long percent[MOST_LOADS];
} plan;

static int phase;
static long phase_begin; /* nanoseconds, of a phase without a schedule */
static double capacity;  /* requests per second of all servers */
static pthread_barrier_t barrier;

static long read_clock(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void wait_until(long moment)
{
  struct timespec until = {.tv_sec = moment / 1000000000, .tv_nsec = moment % 1000000000};

  while (read_clock() < moment)
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void fail(const char *what)
{
  fprintf(stderr, "meter: %s\n", what);
  exit(2);
}

static long parse(const char *text, long least)
{
  char *end;
  long number = strtol(text, &end, 10);

  if (*text == '\0' || *end != '\0' || number < least || number > 1000000000)
    fail(text);
  return number;
}

void meter_begin(int argc, char **argv)
{
  if (argc < 10 || argc > 9 + MOST_LOADS)
    fail("SERVERS MIB WARM CAPACITY LOAD STOP LEAST FOLDER PERCENT...");
  plan.servers = (int)parse(argv[1], 1);
  if (plan.servers > MOST_SERVERS)
    fail("too many servers");
  plan.mib = parse(argv[2], 1);
  for (int i = WARM; i <= FIRST_LOAD; i++)
    plan.milliseconds[i] = parse(argv[3 + i], 1);
  plan.stop = parse(argv[6], 0);
  plan.least = parse(argv[7], 0);
  plan.folder = argv[8];
  plan.loads = argc - 9;
  for (int i = 0; i < plan.loads; i++)
    plan.percent[i] = parse(argv[9 + i], 1);
  for (int i = 0; i < plan.servers; i++)
    servers[i].random = 88172645463325252u + (unsigned long)i;
  phase = WARM - 1;
  pthread_barrier_init(&barrier, NULL, (unsigned)plan.servers);
}

int meter_servers(void)
{
  return plan.servers;
}

long meter_mib(void)
{
  return plan.mib;
}

/* Above 0, at most 1. */
static double draw(struct server *server)
{
  unsigned long bits = server->random;

  bits ^= bits << 13;
  bits ^= bits >> 7;
  bits ^= bits << 17;
  server->random = bits;
  return ((double)(bits >> 11) + 1) / 9007199254740992.0;
}

/* A Poisson process of so many requests per second. */
static void schedule(struct server *server, double rate, long count, long begin)
{
  double moment = (double)begin;

  server->count = count;
  server->next = 0;
  server->starts = realloc(server->starts, (size_t)count * sizeof *server->starts);
  server->ends = realloc(server->ends, (size_t)count * sizeof *server->ends);
  if (server->starts == NULL || server->ends == NULL)
    fail("out of memory");
  memset(server->ends, 0xff, (size_t)count * sizeof *server->ends);
  for (long i = 0; i < count; i++) {
    moment += -log(draw(server)) / rate * 1e9;
    server->starts[i] = (long)moment;
  }
}

static void plan_load(int load)
{
  double rate = capacity * (double)plan.percent[load] / 100 / plan.servers;
  long usual = (long)(rate * (double)plan.milliseconds[FIRST_LOAD] / 1000) + 1, least = plan.least / plan.servers;
  long count = usual > least ? usual : least < LONGER * usual ? least : LONGER * usual;

  for (int i = 0; i < plan.servers; i++)
    schedule(&servers[i], rate, count, 0);
  long begin = read_clock() + HEAD_START, end = 0;
  for (int i = 0; i < plan.servers; i++) {
    for (long at = 0; at < count; at++)
      servers[i].starts[at] += begin;
    end = servers[i].starts[count - 1] > end ? servers[i].starts[count - 1] : end;
  }
  printf("load %ld %ld %ld\n", plan.percent[load], begin, end);
}

/* A file for each server: the moments at which its requests were due, then those at which they ended. */
static void write_load(int load)
{
  char path[4096];

  for (int i = 0; i < plan.servers; i++) {
    snprintf(path, sizeof path, "%s/%ld-%d", plan.folder, plan.percent[load], i);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
      fail(path);
    size_t count = (size_t)servers[i].count;
    bool written = fwrite(servers[i].starts, sizeof(long), count, file) == count &&
                   fwrite(servers[i].ends, sizeof(long), count, file) == count;
    if (fclose(file) != 0 || !written)
      fail(path);
  }
}

static void plan_phase(void)
{
  if (phase == CAPACITY) {
    for (int i = 0; i < plan.servers; i++)
      capacity += (double)servers[i].done * 1e9 / (double)servers[i].took;
    printf("capacity %.0f\n", capacity);
  } else if (phase >= FIRST_LOAD) {
    write_load(phase - FIRST_LOAD);
  }
  phase++;
  if (phase >= FIRST_LOAD) {
    if (phase < FIRST_LOAD + plan.loads)
      plan_load(phase - FIRST_LOAD);
  } else {
    for (int i = 0; i < plan.servers; i++)
      servers[i].done = 0;
    phase_begin = read_clock();
  }
  fflush(stdout);
}

static void change_phase(void)
{
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    plan_phase();
  pthread_barrier_wait(&barrier);
}

/* The request that begins is one that has to wait for a planted stop. */
static void plant(const struct server *server)
{
  long distance = server->count / (PLANTED + 1);

  if (plan.stop != 0 && distance != 0 && server->next % distance == 0 && server->next / distance <= PLANTED)
    wait_until(read_clock() + plan.stop * 1000000);
}

/* Of a phase without a schedule. */
static bool is_over(struct server *server)
{
  long usual = plan.milliseconds[phase] * 1000000, least = phase == CAPACITY ? plan.least / plan.servers : 0;

  server->took = read_clock() - phase_begin;
  return server->took >= usual && (server->done >= least || server->took >= LONGER * usual);
}

bool meter_next(int number)
{
  struct server *server = &servers[number];

  if (phase < WARM)
    change_phase();
  if (phase < FIRST_LOAD) {
    if (!is_over(server)) {
      server->done++;
      return true;
    }
    change_phase();
    return meter_next(number);
  }
  if (phase == FIRST_LOAD + plan.loads)
    return false;
  if (server->next > 0)
    server->ends[server->next - 1] = read_clock();
  if (server->next == server->count) {
    change_phase();
    return meter_next(number);
  }
  wait_until(server->starts[server->next]);
  server->next++;
  plant(server);
  return true;
}
