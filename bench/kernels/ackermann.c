/* SPDX-License-Identifier: Apache-2.0
 *
 * Ackermann's function: calls of itself in a call of itself, thousands deep, with nothing between
 * them.
 */
#include "../programs/kernel.h"

static const volatile long first = 3, second = 6;

void setup_ackermann(void) {}

NOINLINE static long ackermann(long m, long n)
{
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

long kernel_ackermann(void)
{
  long s = 0;

  for (int round = 0; round < 5; round++)
    s += ackermann(first, second);
  return s;
}
