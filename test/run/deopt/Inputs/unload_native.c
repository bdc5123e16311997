/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/unload.ll: loads the two shared objects in turn.
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS = 60, THREADS = 2 };

__attribute__((visibility("default"))) void look(long n);

static bool number_first;
static long right;
static pthread_barrier_t barrier;

static void expect(bool good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

void look(long n)
{
  struct cairn_stack_iterator it;
  struct cairn_deopt_value value[2];
  uint64_t expected[2] = {number_first ? (uint64_t)n : 2000, number_first ? 1000 : (uint64_t)n};

  cairn_stack_youngest(&it);
  pthread_barrier_wait(&barrier);
  for (uint32_t i = 0; i < 2; i++)
    expect(cairn_deopt_read(&it, i, &value[i]) == CAIRN_OK && value[i].word[0] == expected[i], "an operand");
  __atomic_fetch_add(&right, 2, __ATOMIC_RELAXED);
}

static long number; /* of the load */

static void *call(void *function)
{
  ((void (*)(long))function)(number);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];

  (void)argc;
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (number = 0; number < LOADS; number++) {
    void *plugin = dlopen(argv[1 + number % 2], RTLD_NOW);
    expect(plugin != NULL, plugin != NULL ? "" : dlerror());
    number_first = number % 2 == 0;
    for (int i = 0; i < THREADS; i++)
      expect(pthread_create(&threads[i], NULL, call, dlsym(plugin, "call")) == 0, "a thread");
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    dlclose(plugin);
  }
  printf("%ld right looks\n", right);
  return 0;
}
