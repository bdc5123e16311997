// Deep stacks of coroutines have return barriers of their own: a young collection looks at what has run, on each stack.
// They are resumed in turn by two threads, yield deep down and on the way up, and half of them are removed with all
// their activations. What would go wrong: a stack that has run is taken for one that has not, since the thread went
// from stack to stack past no barrier; a removed stack's barriers are not used again, or are while another stack has
// them.
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %S/../Inputs/threads/coroutines_native.c -o %t.native.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.native.o %t.o -o %t
// RUN: env GENERATIONAL_REPORT=1 GENERATIONAL_FULL=1000000 %t 12 200 > %t.out 2>&1 && FileCheck %s < %t.out
// RUN: awk '/looked at/ { exit !($8 * 3 < $10) }' %t.out
// RUN: env CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 GENERATIONAL_FULL=4 CAIRN_STRESS=3 CAIRN_VERIFY=frames %t 6 60 2>&1 \
// RUN:   | FileCheck %s
// RUN: env CAIRN_WORKERS=3 GENERATIONAL_HELPERS=2 GENERATIONAL_FULL=1000000 %t 100 60 2>&1 | FileCheck %s
// CHECK: 0 wrong
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

typedef void coroutine_body(long argument);
void *coroutine_new(coroutine_body *body, long argument);
void coroutine_free(void *coroutine);
int coroutine_resume(void *coroutine);
void coroutine_yield(void);

struct node {
  struct node managed *next;
  long value;
};

static long depth, wrong;

__attribute__((noinline)) static long go(long left, struct node managed *above)
{
  struct node managed *mine = cairn_new(struct node);

  mine->next = above;
  mine->value = left;
  if (left > 0) {
    long below = go(left - 1, mine);
    if (left % 16 == 0)
      coroutine_yield();
    mine = cairn_new(struct node); /* a root that has changed since */
    mine->next = above;
    mine->value = left + below;
    if (left % 16 == 1)
      coroutine_yield();
    return below + (mine->value != left + below) + (above && above->value != left + 1);
  }
  for (int i = 0; i < 8; i++)
    coroutine_yield();
  return (mine->value != 0) + (above->value != 1);
}

static void body(long seed)
{
  wrong += go(depth + seed % 3, NULL);
}

static void *resume(void *coroutine)
{
  return coroutine_resume(coroutine) ? coroutine : NULL;
}

/* On this thread, or on another one. */
static int resume_somewhere(void *coroutine, int elsewhere)
{
  pthread_t thread;
  void *over = coroutine;

  if (!elsewhere)
    return coroutine_resume(coroutine);
  if (pthread_create(&thread, NULL, resume, coroutine) != 0)
    abort();
  pthread_join(thread, &over);
  return over != NULL;
}

int main(int argc, char **argv)
{
  int count = argc > 1 ? atoi(argv[1]) : 12, left = 0;
  void **coroutine = calloc((size_t)count, sizeof *coroutine);

  depth = argc > 2 ? atol(argv[2]) : 200;
  for (int i = 0; i < count; i++, left++)
    coroutine[i] = coroutine_new(body, i);
  for (int round = 0; left > 0; round++) {
    for (int i = 0; i < count; i++)
      if (coroutine[i] && (resume_somewhere(coroutine[i], (round + i) % 4 == 0) || (round == 12 && i % 2))) {
        coroutine_free(coroutine[i]);
        coroutine[i] = NULL;
        left--;
      }
    cairn_collect();
  }
  printf("%ld wrong\n", wrong);
  fflush(stdout);
  return 0;
}
