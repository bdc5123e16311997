/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/mixed.c: what a visit between two calls of compiled functions does at random, and
 * what waits for it. Only threads that have begun one of these take part.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/deopt.h>
#include "coroutines.h"

unsigned long random_number(void);
long compiled_integer(long n, void *o, long d);
void run_in_handler(long i);
void throw_number(long number);

void note_main_thread(void);

long visits;
static _Thread_local jmp_buf *back;
static _Thread_local bool is_child;
_Thread_local bool catches_now;
static pthread_t main_thread;
static uintptr_t main_frame;

static void fail(const char *what)
{
  printf("wrong: %s\n", what);
  fflush(stdout);
  _exit(1);
}

void note_main_thread(void)
{
  main_thread = pthread_self();
  main_frame = (uintptr_t)__builtin_frame_address(0);
}

static bool is_main(void)
{
  return pthread_equal(main_thread, pthread_self());
}

/* ---- coroutines ---- */

void visit_coroutine(void)
{
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t distance = here > main_frame ? here - main_frame : main_frame - here;

  /* The main thread uses little of its own stack. */
  if (!is_main() || distance < 1 << 20 || random_number() % 8 != 0)
    return;
  visits++;
  coroutine_yield();
}

/* ---- forks ---- */

void visit_fork(void)
{
  int status;

  if (!is_main() || is_child || random_number() % 40 != 0 || visits == 12)
    return;
  visits++;
  fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    fail("fork()");
  is_child = child == 0;
  if (!is_child && (waitpid(child, &status, 0) != child || status != 0))
    fail("the child of a fork()");
}

/* The child has had a right result. */
void end_child(void)
{
  if (is_child)
    _exit(0);
}

/* ---- jumps, exceptions, ends of threads ---- */

void visit_throw(void)
{
  if (!catches_now || random_number() % 60 != 0)
    return;
  visits++;
  throw_number(1);
}

void visit_jump(void)
{
  if (back == NULL || random_number() % 60 != 0)
    return;
  visits++;
  longjmp(*back, 1);
}

long jumps_back(void (*function)(long), long argument)
{
  jmp_buf here;
  volatile long left = 1;

  back = &here;
  if (setjmp(here) == 0) {
    function(argument);
    left = 0;
  }
  back = NULL;
  return left;
}

static _Thread_local long life;

void visit_end(void)
{
  if (is_main() || random_number() % 200 != 0 || ++life < 1)
    return;
  __atomic_fetch_add(&visits, 1, __ATOMIC_RELAXED);
  pthread_exit(NULL);
}

/* ---- signals ---- */

static void on_signal(int number)
{
  struct cairn_deopt_failure failure;
  uintptr_t function = (uintptr_t)compiled_integer;

  (void)number;
  visits++;
  enum cairn_status status = cairn_deopt_invalidate(&function, 1, 2, NULL, &failure);
  if (status != CAIRN_OK && status != CAIRN_E_BUSY)
    fail(failure.text);
  run_in_handler(visits);
}

static void set_timer(long microseconds)
{
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};

  setitimer(ITIMER_PROF, &timer, NULL);
}

void begin_signals(void)
{
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

  sigaction(SIGPROF, &action, NULL);
  set_timer(1000);
}

void end_signals(void)
{
  set_timer(0);
}
