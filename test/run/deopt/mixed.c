/* SPDX-License-Identifier: Apache-2.0
 *
 * Take-overs (torture.c) on coroutines' stacks that wait meanwhile, in and below signal handlers, in the children of
 * fork(), on deep stacks, and with exceptions, jumps and ends of threads that leave marked activations. The second
 * argument chooses one; another thread leaves and invalidates meanwhile.
 */
// RUN: clang -O1 -I%root/include -c %S/Inputs/torture_native.c -o %t.1.o
// RUN: clang -O1 -w -I%root/include -c %root/examples/coroutines/in_c.c -o %t.2.o
// RUN: clang -O1 -D_GNU_SOURCE -I%root/include -I%root/examples/coroutines -c %S/Inputs/mixed_native.c -o %t.3.o
// RUN: clang -x c++ -O1 -c %S/Inputs/mixed_exceptions.cpp -o %t.4.o
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.5.o
// DEFINE: %{build} = %cairn-cc -O2 -w -I%root/include -I%root/examples/coroutines \
// DEFINE:   %s %S/Inputs/torture.ll %t.1.o %t.2.o %t.3.o %t.4.o -lstdc++
// RUN: %{build} -o %t && %{build} %t.5.o -o %t.young
// DEFINE: %{what} =
// DEFINE: %{young} = env GENERATIONAL_FULL=1000000 GENERATIONAL_CHECK=0 CAIRN_STRESS=17 %t.young 2 %{what} \
// DEFINE:   | FileCheck %s
// DEFINE: %{run} = %t 20 %{what} | FileCheck %s && env CAIRN_STRESS=3 %t 3 %{what} | FileCheck %s && %{young}
// REDEFINE: %{what} = coroutines
// RUN: %{run}
// REDEFINE: %{what} = signals
// RUN: %{run}
// REDEFINE: %{what} = forks
// RUN: %{run}
// REDEFINE: %{what} = exceptions
// RUN: %{run}
// REDEFINE: %{what} = jumps
// RUN: %{run}
// REDEFINE: %{what} = ends
// RUN: %{run}
// REDEFINE: %{what} = deep
// RUN: %t 3 deep | FileCheck %s && %{young}
// RUN: env CAIRN_VERIFY=frames,heap CAIRN_STRESS=500 %t 2 deep | FileCheck %s
// CHECK: right: {{coroutines|signals|forks|exceptions|jumps|ends|deep}}, {{[1-9][0-9]*}} times
#define MIXED
#include <string.h>
#include "torture.c"
#include "coroutines.h"

/* Inputs/mixed_native.c: what a visit does at random. */
cairn_native void visit_coroutine(void);
cairn_native void visit_fork(void);
cairn_native void visit_throw(void);
cairn_native void visit_jump(void);
cairn_native void visit_end(void);
cairn_native void note_main_thread(void);
cairn_native void begin_signals(void);
cairn_native void end_signals(void);
cairn_native long jumps_back(void (*function)(long), long argument);
cairn_native void end_child(void);
/* Inputs/mixed_exceptions.cpp */
cairn_native long catches(void (*function)(long), long argument);

extern long visits;


/* Called by the signal handler. */
void run_in_handler(long i)
{
  expect(compiled_integer(i, make(i), 4) == expected_integer(i, i, 4), "a handler's result");
}

static void run_all(void)
{
  for (long i = 0; i < rounds; i++) {
    run_once(i);
    end_child();
  }
}

static void run_coroutines(void)
{
  enum { COUNT = 5 };
  void *coroutines[COUNT];

  for (long k = 0; k < rounds; k++) {
    long over = 0;
    for (int i = 0; i < COUNT; i++)
      coroutines[i] = coroutine_new(run_once, k * 10 + i);
    for (int i = 0; over < COUNT; i = (i + 1) % COUNT) {
      if (coroutine_is_over(coroutines[i]))
        continue;
      coroutine_resume(coroutines[i]);
      over += coroutine_is_over(coroutines[i]);
      disturb();
    }
    for (int i = 0; i < COUNT; i++)
      coroutine_free(coroutines[i]);
  }
}

static void run_caught(long (*call)(void (*function)(long), long argument))
{
  long left = 0;

  for (long i = 0; i < 20 * rounds; i++)
    left += call(run_once, i);
  expect(left != 0 && left <= visits, "left by an exception or a jump");
}

static void *run_to_end(void *env)
{
  seed_random((long)env);
  run_once((long)env);
  return NULL;
}

static void run_threads(void)
{
  pthread_t thread;

  for (long i = 0; i < 5 * rounds; i++) {
    expect(pthread_create(&thread, NULL, run_to_end, (void *)i) == 0, "a thread");
    pthread_join(thread, NULL);
  }
}


static atomic_bool ends;

static void *run_beside(void *unused)
{
  seed_random(99);
  for (long i = 0; !ends; i++)
    run_once(i);
  return NULL;
}

static void run_chosen(const char *what)
{
  if (what[0] == 'c') {
    visit = visit_coroutine;
    run_coroutines();
  } else if (what[0] == 's') {
    begin_signals();
    while (visits < 20)
      run_all();
    end_signals();
  } else if (what[0] == 'f') {
    visit = visit_fork;
    run_all();
  } else if (what[0] == 'e' && what[1] == 'x') {
    visit = visit_throw;
    run_caught(catches);
  } else if (what[0] == 'd') {
    visit = visit_throw;
    run_all();
    run_caught(catches);
  } else if (what[0] == 'j') {
    visit = visit_jump;
    run_caught(jumps_back);
  } else {
    visit = visit_end;
    run_threads();
  }
}

int main(int count, char **arguments)
{
  pthread_t other;

  note_main_thread();
  rounds = atol(arguments[1]);
  if (arguments[2][0] == 'd') {
    depth = 2000;
    make_chains();
  }
  add_language();
  seed_random(7);
  expect(pthread_create(&other, NULL, run_beside, NULL) == 0, "a thread");
  run_chosen(arguments[2]);
  ends = true;
  visit = NULL;
  pthread_join(other, NULL);
  printf("right: %s, %ld times\n", arguments[2], visits);
  return 0;
}
