/* SPDX-License-Identifier: Apache-2.0
 *
 * A witness of how fast the processor is just now: a loop of registers alone, of some microseconds.
 * The processor of a virtual machine may run at a tenth of its speed for 50 ms, again and again. No
 * counter of the system tells: the time is the thread's own, and none is stolen.
 */
#ifndef CAIRN_BENCH_WITNESS_H
#define CAIRN_BENCH_WITNESS_H

#include <stdint.h>
#include <time.h>

enum {
  WITNESS_STEPS = 2000,
  WITNESS_SLOW = 2, /* times the least that a run has found: the processor was slow */
  WITNESS_TRIES = 1000
};

/* Nanoseconds of the calling thread. */
static uint64_t witness(void)
{
  struct timespec before, after;
  uint64_t bits = 88172645463325252u;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  for (int i = 0; i < WITNESS_STEPS; i++) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    __asm__ volatile("" : "+r"(bits));
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  return (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u + (uint64_t)(after.tv_nsec - before.tv_nsec);
}

#endif
