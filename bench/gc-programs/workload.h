/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of bench/gc: NAME THREADS ARGUMENT.... It is written once, as managed C, and compiled
 * by cairn-cc; by any compiler it is C as usual, which frees what it drops, and with -DBOEHM C for
 * Boehm's collector. It defines work(), which each thread does by itself, and prints the sum of
 * what they return. Memory of make() holds anything but with a collector: a program sets each
 * member.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __CAIRN__
#include <cairn/cairn.h>
#define make(type) cairn_new(type)
#define make_array(type, n) cairn_new_array(type, n)
#define make_text(type, n) cairn_new_flex_uninit(type, n)
#ifdef CLEARED
#define make_bytes(n) cairn_new_array(char, n)
#else
#define make_bytes(n) cairn_new_array_uninit(char, n)
#endif
#define drop(object) ((void)(object))
#elif defined(BOEHM)
#define GC_THREADS
#include <gc.h>
#define managed
#define make(type) ((type *)GC_MALLOC(sizeof(type)))
#define make_array(type, n) ((type *)GC_MALLOC((size_t)(n) * sizeof(type)))
#define make_text(type, n) ((type *)GC_MALLOC_ATOMIC(sizeof(type) + (size_t)(n)))
#define make_bytes(n) ((char *)GC_MALLOC_ATOMIC((size_t)(n)))
#define drop(object) ((void)(object))
#else
#define managed
#define make(type) ((type *)malloc(sizeof(type)))
#define make_array(type, n) ((type *)calloc((size_t)(n), sizeof(type)))
#define make_text(type, n) ((type *)malloc(sizeof(type) + (size_t)(n)))
#ifdef CLEARED
#define make_bytes(n) ((char *)calloc((size_t)(n), 1))
#else
#define make_bytes(n) ((char *)malloc((size_t)(n)))
#endif
#define drop(object) free(object)
#endif

enum { MOST_THREADS = 16, MOST_ARGUMENTS = 4 };

static long arguments[MOST_ARGUMENTS];

static long work(void);

/* Numbers that each language makes in the same way. */
static inline long next_random(long *state)
{
  *state = (*state * 1103515245 + 12345) & 0x7fffffff;
  return *state >> 8;
}

static void *start(void *result)
{
  *(long *)result = work();
  return NULL;
}

int main(int argc, char **argv)
{
  long threads = argc > 1 ? atol(argv[1]) : 1, results[MOST_THREADS], sum = 0;
  pthread_t started[MOST_THREADS];

#ifdef BOEHM
  GC_INIT();
#endif
  if (threads < 1 || threads > MOST_THREADS || argc > 2 + MOST_ARGUMENTS) {
    fprintf(stderr, "usage: %s THREADS ARGUMENT...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++)
    arguments[i - 2] = atol(argv[i]);
  for (long i = 1; i < threads; i++)
    if (pthread_create(&started[i], NULL, start, &results[i]) != 0)
      return 1;
  start(&results[0]);
  for (long i = 0; i < threads; i++) {
    if (i > 0)
      pthread_join(started[i], NULL);
    sum += results[i];
  }
  printf("%ld\n", sum);
  return 0;
}

#endif
