// Threads that allocate finalisable objects and watch them, while others finalise. What would go wrong: one is lost or
// comes twice, a weak field is stale.
// RUN: %cairn-cc -O2 %s -o %t -lpthread && %t 20000 && env CAIRN_STRESS=50 %t 300 && env CAIRN_VERIFY=heap %t 3000
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/weak.h>

enum { THREADS = 3 };

struct cairn_finalisable file {
  long number;
  struct file managed *next;
};
struct watch {
  struct file managed *file cairn_weak;
  long number;
};

static _Atomic long left, sum, wrong;
static long count;

static long finalise(void)
{
  struct file managed *f;
  long done = 0;

  for (; (f = cairn_finalise_next(0)); done++)
    sum += f->number;
  left -= done;
  return done;
}

static void *work(void *unused)
{
  struct watch managed *seen = cairn_new_array(struct watch, 64);
  struct file managed *list = 0;

  for (long i = 1; i <= count; i++) {
    struct file managed *f = cairn_new(struct file);
    f->number = i;
    seen[i % 64].file = f;
    seen[i % 64].number = i;
    f->next = i % 100 ? list : 0;
    list = f;
    for (int w = 0; w < 64; w++)
      wrong += seen[w].file && seen[w].file->number != seen[w].number;
    if (i % 1000 == 0)
      finalise();
  }
  return unused;
}

int main(int arguments, char **argument)
{
  pthread_t threads[THREADS];

  count = arguments > 1 ? atol(argument[1]) : 20000;
  left = THREADS * count;
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 5 && left; i++) {
    cairn_collect();
    finalise();
  }
  if (left || wrong || sum != THREADS * (count * (count + 1) / 2))
    return printf("%ld left, %ld wrong, sum %ld\n", (long)left, (long)wrong, (long)sum), 1;
  return 0;
}
