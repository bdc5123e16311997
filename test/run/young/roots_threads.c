// Several threads of a collector fetch the roots of many threads' stacks at a time: references, derived pointers and
// areas in hundreds of activations each. What would go wrong: two threads visit one place; a derived pointer is written
// back before its base has moved, or before another stack was visited; a stack is forgotten, or is walked twice.
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.o -o %t
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=5 GENERATIONAL_HELPERS=4 %t 8 300 40 2>&1 | FileCheck %s
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=5 GENERATIONAL_HELPERS=4 GENERATIONAL_FULL=1000000 \
// RUN:   %t 8 300 40 > %t.out 2>&1 && FileCheck %s < %t.out
// Each stack has return barriers, as long as there are some; stacks without are looked at whole.
// RUN: awk '/looked at/ { exit !($8 * 4 < $10) }' %t.out
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=3 GENERATIONAL_HELPERS=2 GENERATIONAL_FULL=1000000 %t 100 60 10 2>&1 \
// RUN:   | FileCheck %s
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=2 GENERATIONAL_HELPERS=1 GENERATIONAL_FULL=1 %t 8 300 40 2>&1 \
// RUN:   | FileCheck %s
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 CAIRN_STRESS=1 CAIRN_VERIFY=frames \
// RUN:   %t 4 40 4 2>&1 | FileCheck %s
// RUN: env GENERATIONAL_FULL=2 %t 8 300 40 2>&1 | FileCheck --check-prefix=ALONE %s
// CHECK: 0 wrong
// CHECK: helpers fetched {{[1-9][0-9][0-9]}}
// ALONE: 0 wrong
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value, pad[6];
};

static pthread_barrier_t deepest, collected;
static long depth, rounds;

static struct node managed *node(long value, struct node managed *next)
{
  struct node managed *n = cairn_new(struct node);

  n->value = value;
  n->next = next;
  n->pad[value % 6] = ~value;
  return n;
}

static void look(struct node managed **area)
{
  *area = node((*area)->value, *area);
}

/* Each activation has a reference, a pointer into an object, and a local whose address is known. */
__attribute__((noinline)) static long go(long left, struct node managed *above)
{
  struct node managed *mine = node(left, above);
  long managed *inside = &mine->pad[left % 6];
  struct node managed *area = mine;
  long wrong = 0;

  if (left % 7 == 0)
    look(&area);
  if (left > 0) {
    wrong = go(left - 1, mine);
  } else {
    for (long i = 0; i < rounds; i++) {
      pthread_barrier_wait(&deepest);
      pthread_barrier_wait(&collected);
      mine = node(mine->value, mine->next);
      mine->pad[left % 6] = ~left;
    }
    inside = &mine->pad[left % 6];
  }
  return wrong + (mine->value != left) + (*inside != ~left) + (area->value != left) +
         (above && above->value != left + 1);
}

static void *run(void *unused)
{
  (void)unused;
  return (void *)go(depth, NULL);
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 8, wrong = 0;
  pthread_t threads[200];
  void *result;

  if (count > 200)
    return 2;
  depth = argc > 2 ? atol(argv[2]) : 300;
  rounds = argc > 3 ? atol(argv[3]) : 40;
  pthread_barrier_init(&deepest, NULL, (unsigned)count + 1);
  pthread_barrier_init(&collected, NULL, (unsigned)count + 1);
  for (long i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, run, NULL) != 0)
      return 2;
  for (long i = 0; i < rounds; i++) {
    pthread_barrier_wait(&deepest);
    cairn_collect();
    pthread_barrier_wait(&collected);
  }
  for (long i = 0; i < count; i++) {
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  printf("%ld wrong\n", wrong);
  fflush(stdout);
  return 0;
}
