/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one kernel again and again on the main thread, which another thread asks for a safepoint at
 * random moments (bench/ttsp). A line of output for each request that was answered: the fields of
 * struct cairn_arrival, and, of one that took long, nanoseconds that a loop of registers took in
 * the kernel's thread right after it; the least of these ("witness N") stands above. Arguments:
 * kernel, number of requests, seed, milliseconds after which one is given up (then the run is over,
 * with a line "none"), CPU for the kernel. Kernel "nothing" polls all the time: what its arrivals
 * take, the machine takes.
 *
 * For code of LLVM's placement (BENCH_OWN_ASK) the same protocol is linked beside it, from the
 * runtime's own source, so that both kinds of code answer alike: bench_poll is the poll word, and
 * its slow path answers.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <cairn/thread.h>
#include "witness.h"

enum { LONG = 20000 /* nanoseconds of an arrival from which on the processor is asked, too */ };

#define X(name) \
  void setup_##name(void); \
  long kernel_##name(void);
KERNELS
#undef X
static void setup_nothing(void);
static long kernel_nothing(void);

static const struct kernel {
  const char *name;
  void (*setup)(void);
  long (*run)(void);
} kernels[] = {
#define X(name) {#name, setup_##name, kernel_##name},
    KERNELS X(nothing)
#undef X
};

#ifdef BENCH_OWN_ASK
#include "memory.h"
#include <cairn/abi.h>
#include "runtime/core/mutator.h"
#include "runtime/core/hooks.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/threads/workers.h"

_Thread_local struct cairn_mutator cairn_mutator;
_Thread_local struct cn_thread cn_thread; /* neither a handler of a signal nor a collector runs here */
extern _Thread_local volatile uint64_t bench_poll __attribute__((alias("cairn_mutator")));
static struct cairn_mutator *main_mutator;

struct cairn_mutator *cn_mutator_of_main_thread(void)
{
  return main_mutator;
}

/* No barriers here. */
void cn_mutator_copy_barrier_words(struct cairn_mutator *mutator)
{
  (void)mutator;
}

void cn_stop_refuse_thread_end(void *unused)
{
  (void)unused;
}

static void stop_waits(int thread, uint64_t since)
{
  (void)thread;
  (void)since;
}

const struct cn_hooks cn_hooks = {.stop_waits = stop_waits};

bool cn_os_is_new_process(void)
{
  return false;
}

void cn_unseen_repair_child(void)
{
}

void cn_background_hold_steps(void)
{
}

int cn_background_await_step(uint64_t since)
{
  (void)since;
  return 0;
}

void cn_background_release_steps(void)
{
}

/* Nobody listens. */
uint64_t cn_events_report(struct cairn_event event)
{
  (void)event;
  return 0;
}

void cn_events_flush_trace(void)
{
}

static void attach(void)
{
  main_mutator = &cairn_mutator;
  main_mutator->thread = cn_os_thread();
  main_mutator->attached = 1;
  main_mutator->stack_floor = 1;
  main_mutator->state = CAIRN_ABI_NATIVE;
  cn_os_prepare_thread_fence(true);
  cn_stop_add_mutator(main_mutator);
  main_mutator->state = CAIRN_ABI_MANAGED;
}

void bench_poll_slow(void);
void bench_poll_slow(void)
{
  struct cn_saved_regs regs = {.pc = (uintptr_t)__builtin_return_address(0)};

  cairn_mutator.stopped = &regs;
  cn_stop_answer_requests(&cairn_mutator);
  cairn_mutator.stopped = NULL;
}

static void poll(void)
{
  if (bench_poll != 0)
    bench_poll_slow();
}
#else
extern _Thread_local volatile uint64_t cairn_mutator; /* its first word */
extern void cairn_poll_slow(void);

static void attach(void)
{
}

static void poll(void)
{
  if (cairn_mutator != 0)
    cairn_poll_slow();
}
#endif

static void setup_nothing(void)
{
}

static long kernel_nothing(void)
{
  for (int i = 0; i < 1000; i++)
    poll();
  return 0;
}

static struct {
  long requests;
  uint64_t random, timeout;
} plan;
static volatile int done;

/* The calling thread to `cpu`, or to all others, if there are any: neither takes the other's. */
static void pin(const cpu_set_t *all, int cpu, int others)
{
  cpu_set_t chosen = *all;

  CPU_CLR(cpu, &chosen);
  if (!CPU_ISSET(cpu, all) || CPU_COUNT(&chosen) == 0)
    return;
  if (!others) {
    CPU_ZERO(&chosen);
    CPU_SET(cpu, &chosen);
  }
  sched_setaffinity(0, sizeof chosen, &chosen);
}

/* Up to 200 microseconds, so that the moments have nothing to do with the kernel's own rhythm. */
static void wait_somewhat(void)
{
  plan.random = plan.random * 6364136223846793005u + 1442695040888963407u;
  struct timespec time = {.tv_nsec = (long)((plan.random >> 33) % 200000)};
  nanosleep(&time, NULL);
}

/* ---- the witness, in the kernel's thread ---- */

static pthread_t main_thread;
static volatile uint64_t answer;

static void answer_witness(int signal)
{
  (void)signal;
  answer = witness();
}

static uint64_t ask_witness(void)
{
  answer = 0;
  if (pthread_kill(main_thread, SIGUSR1) != 0)
    abort();
  while (answer == 0)
    ;
  return answer;
}

static void begin_witness(void)
{
  const struct sigaction action = {.sa_handler = answer_witness, .sa_flags = SA_RESTART};
  uint64_t least = UINT64_MAX;

  for (int i = 0; i < WITNESS_TRIES; i++) {
    uint64_t took = witness();
    least = took < least ? took : least;
  }
  printf("witness %lu\n", (unsigned long)least);
  main_thread = pthread_self();
  if (sigaction(SIGUSR1, &action, NULL) != 0)
    abort();
}

struct request {
  struct cairn_arrival arrival;
  uint64_t witness; /* 0: not asked */
};

static void print(const struct request *request)
{
  const struct cairn_arrival *arrival = &request->arrival;

  printf("%lu %lu %lu %lu %d %d %lu %lx\n", (unsigned long)arrival->nanoseconds, (unsigned long)arrival->ran,
         (unsigned long)arrival->switches, (unsigned long)arrival->asking, arrival->safepoint, arrival->native,
         (unsigned long)request->witness, (unsigned long)arrival->pc);
}

static void *ask(void *unused)
{
  struct request *requests = calloc((size_t)plan.requests, sizeof *requests);
  long count = 0;

  (void)unused;
  prctl(PR_SET_TIMERSLACK, 1);
  for (; requests && count < plan.requests; count++) {
    struct request *request = &requests[count];
    wait_somewhat();
    if (cairn_safepoint_ask(0, &request->arrival, plan.timeout) != CAIRN_OK)
      break;
    if (request->arrival.nanoseconds >= LONG)
      request->witness = ask_witness();
  }
  for (long i = 0; i < count; i++)
    print(&requests[i]);
  if (count < plan.requests)
    puts("none");
  fflush(stdout);
  done = 1;
  return NULL;
}

static const struct kernel *find(const char *name)
{
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (strcmp(kernels[i].name, name) == 0)
      return &kernels[i];
  return NULL;
}

int main(int argc, char **argv)
{
  const struct kernel *kernel = argc == 6 ? find(argv[1]) : NULL;
  pthread_t thread;
  cpu_set_t all;

  if (!kernel || sched_getaffinity(0, sizeof all, &all) != 0)
    return 2;
  /* The kernel takes 0.3 ms to clear a large page, in the name of who allocates there first. */
  if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
    return 2;
  attach();
  plan.requests = atol(argv[2]);
  plan.random = strtoull(argv[3], NULL, 10);
  plan.timeout = strtoull(argv[4], NULL, 10) * 1000000;
  kernel->setup();
  long result = kernel->run();
  begin_witness();
  pin(&all, atoi(argv[5]), 1);
  if (pthread_create(&thread, NULL, ask, NULL) != 0)
    return 2;
  pin(&all, atoi(argv[5]), 0);
  while (!done)
    if (kernel->run() != result)
      return 3;
  pthread_join(thread, NULL);
  return 0;
}
