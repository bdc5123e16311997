/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the kernels of one variant: for each its name, the least time of several runs in
 * nanoseconds, and a checksum. Compiled as plain C, the same for every variant. Kernels are given
 * as -DKERNELS="X(sum) X(fib) ...".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "memory.h"

#define X(name) \
  void setup_##name(void); \
  long kernel_##name(void);
KERNELS
#undef X

static const struct kernel {
  const char *name;
  void (*setup)(void);
  long (*run)(void);
} kernels[] = {
#define X(name) {#name, setup_##name, kernel_##name},
    KERNELS
#undef X
};

/* For the modules that LLVM's own passes compiled: their poll's word, never set. */
_Thread_local volatile unsigned long bench_poll;
void bench_poll_slow(void);
void bench_poll_slow(void)
{
  abort();
}

static long now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void time_kernel(const struct kernel *kernel, int repeats)
{
  long best = 0, result = kernel->run();

  for (int i = 0; i < repeats; i++) {
    long start = now();
    if (kernel->run() != result)
      printf("%s: the result changes\n", kernel->name);
    long time = now() - start;
    best = !best || time < best ? time : best;
  }
  printf("%s %ld %lx\n", kernel->name, best, (unsigned long)result);
}

/* Arguments: how often each kernel is timed, after a first run that warms caches and pages; and the
 * only kernel to run. All are set up in any case, so that each finds its memory at the same
 * place. */
int main(int argc, char **argv)
{
  int repeats = argc > 1 ? atoi(argv[1]) : 9;
  const char *only = argc > 2 ? argv[2] : NULL;

  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    kernels[k].setup();
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    if (!only || strcmp(only, kernels[k].name) == 0)
      time_kernel(&kernels[k], repeats);
  return 0;
}
