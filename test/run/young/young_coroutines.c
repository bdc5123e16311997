/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers are on the thread's own stack when coroutines come, are switched to and go again. What would
 * go wrong: what has run meanwhile is not looked at, for a barrier that was there before is believed;
 * a return through one while a coroutine waits; the walk from a coroutine goes on past barriers of who
 * resumed it.
 */
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -DCAIRN_PLAIN -O1 -w -I%root/include -I%root/examples/coroutines \
// RUN:   %s %root/examples/coroutines/in_c.c -o %t.plain
// RUN: %t.plain >%t.expected
// RUN: clang -O2 -I%root/include -c %root/examples/coroutines/in_c.c -o %t.c.o
// RUN: clang -O2 -I%root/include -c %root/examples/coroutines/manager.c -o %t.manager.o
// RUN: clang -I%root/include -c %root/examples/coroutines/in_assembly.S -o %t.assembly.o
// RUN: %cairn-cc -O2 -I%root/include -I%root/examples/coroutines %s %t.c.o %t.o -o %t
// RUN: env GENERATIONAL_FULL=1000000 %t | diff %t.expected -
// RUN: %t.plain 130 >%t.expected.130 && env CAIRN_STRESS=1 GENERATIONAL_FULL=1000000 CAIRN_VERIFY=frames %t 130 \
// RUN:   | diff %t.expected.130 -
// RUN: %cairn-cc -O2 -I%root/include -I%root/examples/coroutines %s %t.manager.o %t.assembly.o %t.o -o %t
// RUN: env GENERATIONAL_FULL=1000000 %t | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include "coroutines.h"

struct cell {
  long value;
  struct cell managed *next;
};
typedef struct cell managed *ref;

static ref given;

static __attribute__((noinline)) ref cell(long value, ref next)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  c->next = next;
  return c;
}

/* Keeps what it is given on its stack, with objects of its own. */
static void counting(long depth)
{
  ref own = cell(depth, given);

  if (depth > 0)
    counting(depth - 1);
  else
    for (;;) {
      ref mine = cell(own->value, given);
      coroutine_yield();
      cairn_collect();
      own->value += mine->next->value + given->value;
      given = cell(own->value % 1000, own);
    }
  coroutine_yield();
}

static long resume(void *coroutine, long n)
{
  ref fresh = cell(n, given);

  given = cell(n + 1, fresh);
  coroutine_resume(coroutine);
  cairn_collect();
  return given->value + fresh->value + fresh->next->value;
}

static void *waiting;
static long most;

static __attribute__((noinline)) long down(long n, ref above)
{
  ref mine = cell(n, above);
  long sum = 0;

  if (n > 0) {
    sum = down(n - 1, n % 2 ? mine : above);
    mine->value++;
  } else {
    cairn_collect(); /* sets barriers */
    waiting = coroutine_new(counting, 40);
    coroutine_resume(waiting);
  }
  if (waiting && n % 7 == 0)
    sum += resume(waiting, n);
  if (waiting && n == most / 2) {
    coroutine_free(waiting);
    waiting = 0;
    cairn_collect();
  }
  if (!waiting && n % 11 == 0) {
    given = cell(n, mine);
    cairn_collect();
    sum += cell(1, given)->next->next->value;
  }
  if (!waiting && n == most / 2 + 60) {
    void *another = coroutine_new(counting, 3);
    coroutine_resume(another);
    sum += resume(another, n);
    coroutine_free(another);
  }
  return (sum * 3 + mine->value + above->value + (mine->next == above)) % 1000003;
}

int main(int argc, char **argv)
{
  most = argc > 1 ? atol(argv[1]) : 400;
  ref first = cell(1, 0);
  given = first;
  printf("%ld\n", down(most, first));
  return 0;
}
