/* Row 52: hand-made code of transitions says too early that a thread is native, or looks at the request too late after it came
 * back; a root that was in a register then is lost. Each native call below ends after a collection by another thread has
 * begun or ended; the caller has references in all registers that survive calls, and in its frame. */
// RUN: %cairn-cc -O2 -Wall -Werror %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// RUN: %cairn-cc -O0 %s -o %t.O0 && env CAIRN_STRESS=1 %t.O0 | FileCheck %s
// CHECK: lost 0 in 600 calls, collections: many
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <cairn/cairn.h>

enum { THREADS = 3, CALLS = 200 };
struct box {
  long value;
};
typedef struct box managed *ref;

static atomic_long collections, lost;
static atomic_bool done;

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

/* Half of the calls return when a collection is over, the others at any time. */
cairn_unmanaged static void native(long call)
{
  long before = collections;

  while (call % 2 && collections == before)
    sched_yield();
}

static void (*volatile pointer)(long) = native;

static void *work(void *unused)
{
  for (long i = 0; i < CALLS; i++) {
    ref a = box(i), b = box(i + 1), c = box(i + 2), d = box(i + 3);
    ref e = box(i + 4), f = box(i + 5), g = box(i + 6), h = box(i + 7);
    if (i % 3)
      native(i);
    else
      pointer(i);
    if (a->value + b->value + c->value + d->value + e->value + f->value + g->value + h->value !=
        8 * i + 28)
      lost++;
  }
  return unused;
}

static void *collect(void *unused)
{
  while (!done) {
    cairn_collect();
    collections++;
  }
  return unused;
}

int main(void)
{
  pthread_t threads[THREADS], collector;

  pthread_create(&collector, NULL, collect, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  done = 1;
  pthread_join(collector, NULL);
  printf("lost %ld in %d calls, collections: %s\n", (long)lost, THREADS * CALLS,
         collections >= CALLS / 2 ? "many" : "few");
  return 0;
}
