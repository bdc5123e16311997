/* SPDX-License-Identifier: Apache-2.0
 *
 * Fibonacci numbers by double recursion: nothing but calls, each with a poll at its entry.
 */
#include "../programs/kernel.h"

void setup_fib(void) {}

NOINLINE static long fib(int n)
{
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

long kernel_fib(void)
{
  return fib(28);
}
