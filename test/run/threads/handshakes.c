// Handshakes with managed code: the operation walks the stack of a thread that runs managed code, and of one that waits in
// native code. What would go wrong: frames are missing, or the walk comes upon a thread that runs.
// RUN: %cairn-cc -O2 %s -o %t && %t && env CAIRN_STRESS=50 %t
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/stack.h>
#include <cairn/thread.h>

struct node { struct node managed *next; long value; };
static atomic_int ready, done, numbers[2], looks;

cairn_unmanaged static void look(int thread, void *env)
{
  struct cairn_stack_iterator frames;
  int count = 0;

  if (cairn_stack_of_thread(&frames, thread) != CAIRN_OK)
    abort();
  for (; !cairn_stack_past_end(&frames); cairn_stack_next(&frames))
    count++;
  if (count < *(int *)env)
    abort();
  looks++;
}

cairn_unmanaged static void wait_natively(void) { while (!done) usleep(100); }
__attribute__((noinline)) static long nested(int depth, int native, struct node managed *node)
{
  long sum = 0;

  if (depth > 0)
    return nested(depth - 1, native, node) + node->value;
  ready++;
  if (native)
    wait_natively();
  while (!done)
    sum += cairn_new(struct node)->value;
  return sum + node->value;
}

static void *run(void *native)
{
  struct node managed *node = cairn_new(struct node);

  node->value = 1;
  numbers[native != NULL] = gettid();
  if (nested(9, native != NULL, node) != 10)
    abort();
  return native;
}

int main(void)
{
  pthread_t threads[2];
  int ten = 10, none = 0;

  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, run, i ? &ten : NULL);
  while (ready < 2)
    usleep(100);
  for (int i = 0; i < 400; i++)
    if (cairn_handshake(numbers[i % 2], look, &ten, CAIRN_ASK_FOREVER) != CAIRN_OK)
      abort();
  if (looks != 400 || cairn_handshake_all(look, &none, CAIRN_ASK_FOREVER) != CAIRN_OK || looks != 403)
    abort();
  done = 1;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
