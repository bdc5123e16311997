/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal between any two instructions of allocations, and of a collection: the processor steps, and each step raises
 * a signal whose handler allocates, writes to an old object, and asks for a collection; or leaves by a jump.
 */
// RUN: %cairn-cc -w -D_GNU_SOURCE -O2 -I%root/include -I%root/src -I%root/src/runtime/arch/%{machine} \
// RUN:   -I%root/test/unit/runtime/stubs_signals %s \
// RUN:   %root/test/unit/runtime/stubs_signals/stepping.c -o %t
// RUN: %t %if soak %{%} %else %{4%} | FileCheck %s \
// RUN:   && env CAIRN_HEAP_MAX=600k %t 5 | FileCheck %s && env CAIRN_STRESS=50 %t 101 | FileCheck %s
// RUN: %cairn-cc -w -D_GNU_SOURCE -O0 -I%root/include -I%root/src -I%root/src/runtime/arch/%{machine} \
// RUN:   -I%root/test/unit/runtime/stubs_signals %s \
// RUN:   %root/test/unit/runtime/stubs_signals/stepping.c -o %t.0
// RUN: %t.0 %if soak %{3%} %else %{9%} | FileCheck %s
// RUN: env CAIRN_VERIFY=heap %t 1 unfilled | FileCheck %s --check-prefix=UNFILLED
// RUN: env CAIRN_VERIFY=frames,heap %t 1 callbacks | FileCheck %s --check-prefix=CALLBACKS
// RUN: env CAIRN_VERIFY=frames %t.0 1 callbacks | FileCheck %s --check-prefix=CALLBACKS
// UNFILLED: unfilled: the heap is right{{$}}
// CALLBACKS: callbacks: handlers ran{{$}}
// CHECK: allocations: handlers ran{{$}}
// CHECK-NEXT: collections: no write was lost{{$}}
// CHECK-NEXT: jumps: the heap can be walked{{$}}
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include "stepping.h"

enum { KEPT = 20 };

struct cell {
  struct cell managed *next;
  long value, twice;
};

static struct cell managed *seen, *target, *kept;
static volatile long runs, all, steps, only, apart, often = 16; /* runs: since the last look at what they did */

static struct cell managed *make(long value, struct cell managed *next)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = value;
  cell->twice = 2 * value;
  cell->next = next;
  return cell;
}

static void on_signal(int number)
{
  seen = make(runs++, seen);
  target->value++;
  if (runs % often == 0)
    cairn_collect();
}

static sigjmp_buf back;

static void jumps(int number)
{
  on_signal(number);
  siglongjmp(back, 1);
}

/* Native. */
cairn_unmanaged static void raise_now(void)
{
  syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
}

cairn_unmanaged static void at_each(uintptr_t pc)
{
  if (steps++ % apart == only % apart)
    raise_now();
}

cairn_unmanaged static void at_one(uintptr_t pc)
{
  if (steps++ == only)
    raise_now();
}

static void check(struct cell managed *head, long count, const char *what)
{
  for (; head != NULL; head = head->next, count--)
    if (head->twice != 2 * head->value) {
      printf("%s: a cell of %ld and %ld\n", what, head->value, head->twice);
      exit(1);
    }
  if (count != 0) {
    printf("%s: %ld too few\n", what, count);
    exit(1);
  }
}

static void check_all(const char *what)
{
  int state, type;

  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  if (state != PTHREAD_CANCEL_ENABLE || type != PTHREAD_CANCEL_DEFERRED) {
    printf("%s: cancellation is held back for good\n", what);
    exit(1);
  }
  check(kept, KEPT, what);
  check(seen, runs, what);
  if (target->value != runs) {
    printf("%s: %ld writes of %ld\n", what, target->value, runs);
    exit(1);
  }
  all += runs;
  seen = NULL;
  target->value = runs = 0;
}

static struct cell managed *three(void)
{
  struct cell managed *cells = make(1, NULL);

  cells = make(2, cells);
  return make(3, cells);
}

static void allocations(long thin)
{
  apart = thin;
  for (only = 0; only < 4; only++) {
    step_begin(at_each);
    struct cell managed *cells = three();
    step_end();
    check(cells, 3, "allocations");
    check_all("allocations");
  }
  printf("allocations: handlers ran%s\n", all > 200 / thin ? "" : ": too few");
}

/* One instruction in so many, each time others. */
static void collections(void)
{
  apart = 41;
  for (only = 0; only < 4; only++) {
    step_begin(at_each);
    cairn_collect();
    step_end();
    if (runs == 0)
      printf("no signal came\n");
    check_all("collections");
  }
  printf("collections: no write was lost\n");
}

/* Native code calls it: a signal finds the thread in native code, at the entry or in managed code. */
static int compare(const void *a, const void *b)
{
  struct cell managed *cell = make(*(const long *)a, NULL);

  return (cell->value > *(const long *)b) - (cell->value < *(const long *)b);
}

cairn_unmanaged static void at_compare(uintptr_t pc)
{
  if (pc - (uintptr_t)compare < 64)
    raise_now();
}

static void callbacks(void)
{
  long numbers[] = {1, 2, 3, 4}, wanted = 3;
  size_t count = 4;

  step_begin(at_compare);
  const long *found = lfind(&wanted, numbers, &count, sizeof *numbers, compare);
  step_end();
  if (found != &numbers[2])
    printf("callbacks: another number\n");
  check_all("callbacks");
  printf("callbacks: handlers ran%s\n", all > 20 ? "" : ": too few");
}

/* An interior pointer: the collector walks over all objects for its start. */
__attribute__((noinline)) static long inside(long managed *word, long should)
{
  cairn_collect();
  return *word == should;
}

static void step_three(void)
{
  step_begin(at_one);
  check(three(), 3, "jumps");
  step_end();
}

/* Did a handler leave `allocates` by a jump? */
cairn_unmanaged static int jumped(void (*allocates)(void))
{
  if (sigsetjmp(back, 1) != 0)
    return 1;
  allocates();
  return 0;
}

/* Under stress the slow paths are long. */
static void jumping(long thin)
{
  signal(SIGUSR1, jumps);
  only = steps = 0;
  while (jumped(step_three) && only < 2000) {
    struct cell managed *cell = make(7, NULL);
    long right = inside(&cell->twice, 14);
    if (!right)
      printf("an interior pointer is wrong\n");
    check_all("jumps");
    only += thin;
    steps = 0;
  }
  printf("jumps: the heap can be walked%s\n", only > 50 ? "" : ": too few");
}

/* Allocated by one check, and not cleared before they are filled. */
struct wide {
  struct wide managed *a, *b, *c, *d;
  long value;
};

__attribute__((noinline)) static struct wide managed *link_three(struct wide managed *before)
{
  struct wide managed *p = cairn_new(struct wide), *q = cairn_new(struct wide), *r = cairn_new(struct wide);

  p->a = p->d = q->a = q->b = q->d = r;
  p->b = r->b = q;
  p->c = r->d = before;
  q->c = r->a = r->c = p;
  p->value = q->value = r->value = 5;
  return r;
}

static char managed *odd;

/* What is allocated next lies in memory with references that were right in the last cycle, to objects far below. */
static void litter(void)
{
  static struct wide managed *ring[400];

  for (int i = 0; i < 9000; i++) {
    struct wide managed *next = cairn_new(struct wide);
    next->a = next->b = next->c = next->d = ring[i % 400];
    ring[i % 400] = next;
  }
  for (int i = 0; i < 400; i++)
    ring[i] = NULL;
  cairn_collect();
}

static void step_link(void)
{
  step_begin(at_one);
  if (link_three(NULL)->value != 5)
    printf("unfilled: another value\n");
  step_end();
}

/* CAIRN_VERIFY=heap looks at the objects that a jump left behind. */
static void unfilled(void)
{
  signal(SIGUSR1, jumps);
  for (only = steps = 0;; only++, steps = 0) {
    litter();
    for (int i = 0; i < 6; i++)
      odd = cairn_new_array(char, 4000 + 8 * (only % 6)); /* old words lead into it */
    if (!jumped(step_link))
      break;
    cairn_collect();
    check_all("unfilled");
  }
  printf("unfilled: the heap is right%s\n", only > 20 ? "" : ": too few");
}

int main(int argc, char **argv)
{
  long thin = argc > 1 ? atol(argv[1]) : 1;

  cairn_collect(); /* threads that help begin with the first; no step may come meanwhile */
  for (long i = 0; i < KEPT; i++)
    kept = make(i, kept);
  target = make(0, NULL);
  signal(SIGUSR1, on_signal);
  if (argc > 2) {
    often = 1;
    if (strcmp(argv[2], "unfilled") == 0)
      unfilled();
    else
      callbacks();
    return 0;
  }
  allocations(thin);
  collections();
  jumping(thin);
  return 0;
}
