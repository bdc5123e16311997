/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that each grow and shrink arrays of references, numbers and letters, while others allocate and collect: each
 * thread's last object is in its own buffer. What would go wrong: an array grows over another thread's object, or a
 * collection of another thread comes between the look at the array and its copy.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t 300 | FileCheck %s
// RUN: env CAIRN_HEAP_MAX=3m %t 300 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 %t 8 2>&1 | FileCheck %s --check-prefixes=CHECK,MOVED
// CHECK: 6 threads, 0 wrong
// MOVED: collections: {{[1-9][0-9]+}}
// MOVED: objects moved: {{[1-9][0-9]+}}
#include <cairn/cairn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 6 };
struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;
static long rounds;

static ref node(long value, ref next)
{
  ref n = cairn_new(struct node);

  n->value = value;
  n->next = next;
  return n;
}

static long lists(long seed, long n)
{
  ref managed *a = cairn_new_array(ref, 1);
  long wrong = 0, length = 1;

  for (long i = 0; i < n; i++) {
    long wanted = 1 + (i * 37 + seed) % 90;
    a = cairn_resize_array(a, wanted);
    for (long k = length; k < wanted; k++)
      wrong += a[k] != NULL;
    for (long k = 0; k < wanted; k += 3)
      a[k] = node(seed * k, a[0]);
    for (long k = 0; k < wanted; k++)
      wrong += a[k] && a[k]->value != seed * k;
    a[0]->next = NULL;
    length = wanted;
  }
  return wrong;
}

static long letters(long seed, long n)
{
  char managed *text = cairn_new_array_uninit(char, 0);
  long wrong = 0;

  for (long i = 0; i < n; i++) {
    text = i % 2 ? cairn_resize_array_uninit(text, i + 1) : cairn_resize_array(text, i + 1);
    wrong += i % 2 == 0 && text[i] != 0;
    text[i] = (char)(i * seed);
    if (i % 17 == seed % 17)
      node(i, NULL);
  }
  for (long i = 0; i < n; i++)
    wrong += text[i] != (char)(i * seed);
  return wrong;
}

static void *run(void *seed)
{
  long wrong = 0;

  for (long i = 0; i < 4; i++)
    wrong += lists((long)seed + i, rounds) + letters((long)seed + i, rounds * 5);
  return (void *)wrong;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  long wrong = 0;

  rounds = argc > 1 ? atol(argv[1]) : 10;
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, run, (void *)(i + 1)))
      return 1;
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  printf("%d threads, %ld wrong\n", THREADS, wrong);
  fflush(stdout);
  return 0;
}
