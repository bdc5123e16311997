// A thousand threads beside concurrent phases: most wait in native code with references on their stacks, some run. What
// would go wrong: a root of a waiting thread is missed, a thread that wakes during a stop runs on, a deadlock at the
// end.
// RUN: clang -O2 -Wall -Wextra -Werror -I%root/include -c %S/Inputs/surroundings.c -o %t.o
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s %t.o -o %t -pthread
// RUN: env CAIRN_PAUSE=1ms CAIRN_HEAP_INITIAL=1m %t 1000 %if soak %{20%} %else %{3%} | FileCheck %s
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=1m CAIRN_WORKERS=3 %t 1000 %if soak %{20%} %else %{3%} | FileCheck %s
// RUN: env CAIRN_HEAP_INITIAL=1m %t 1000 0 | FileCheck --check-prefix=WHOLE %s
// CHECK: 1000 threads, 0 wrong, {{[1-9][0-9]* concurrent markings}}
// WHOLE: 1000 threads, 0 wrong
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "../Inputs/wandering_lists.h"
#include "Inputs/surroundings.h"

enum { MAX_THREADS = 2000, TABLE = 20000, STACK_BYTES = 256 << 10, TOKENS = 8, STEPS_PER_LOOK = 500 };

static sem_t tokens[MAX_THREADS]; // a thread runs while it has a token
static long count;
static atomic_int over;
static atomic_long wrong;

// The lists of a thread are older or younger than its waits.
static void *pass_tokens(void *argument)
{
  long number = (long)argument;
  reference oldest = list(number, 0, LONG), newest = oldest;

  for (long turn = 0;; turn++) {
    while (sem_wait(&tokens[number]) != 0)
      ;
    wrong += check(oldest, number, 0) + check(newest, number, turn == 0 ? 0 : turn - 1);
    if (over)
      return 0;
    newest = list(number, turn, LONG);
    sem_post(&tokens[(number + 7) % count]);
  }
}

// Replaces lists of a large table until the surroundings are over.
static void replace_lists(void)
{
  reference managed *table = cairn_new_array(reference, TABLE);
  unsigned long seed = 1;

  for (long i = 0; i < TABLE; i++)
    table[i] = list(-1, i, LONG);
  for (long step = 1; step % STEPS_PER_LOOK != 0 || !surroundings_are_over(1); step++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    long i = (long)(seed >> 33) % TABLE;
    wrong += check(table[i], -1, i);
    table[i] = list(-1, i, LONG);
  }
  for (long i = 0; i < TABLE; i++)
    wrong += check(table[i], -1, i);
}

int main(int argc, char **argv)
{
  static pthread_t threads[MAX_THREADS];
  pthread_attr_t attributes;

  count = argc > 2 && atol(argv[1]) < MAX_THREADS ? atol(argv[1]) : 10;
  surroundings_begin(argc > 2 ? atol(argv[2]) : 1, "none");
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  for (long i = 0; i < count; i++)
    sem_init(&tokens[i], 0, i < TOKENS);
  for (long i = 0; i < count; i++)
    if (pthread_create(&threads[i], &attributes, pass_tokens, (void *)i) != 0)
      abort();
  replace_lists();
  over = 1;
  for (long i = 0; i < count; i++)
    sem_post(&tokens[i]);
  for (long i = 0; i < count; i++)
    pthread_join(threads[i], 0);
  printf("%ld threads, %ld wrong, %ld concurrent markings\n", count, (long)wrong, surroundings_end());
  return 0;
}
