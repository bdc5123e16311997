/* SPDX-License-Identifier: Apache-2.0
 *
 * y = a x + y over floats, in vectors.
 */
#include "../programs/kernel.h"

static float ANEW xs;
static float ANEW ys;
static const volatile long count = 2000;

void setup_saxpy(void)
{
  xs = bench_array(float, count);
  ys = bench_array(float, count);
  for (long i = 0; i < count; i++) {
    xs[i] = (float)(i % 100);
    ys[i] = (float)(i % 7);
  }
}

NOINLINE static void saxpy(float managed *restrict y, const float managed *restrict x, float a,
                           long n)
{
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

long kernel_saxpy(void)
{
  for (int round = 0; round < 3000; round++)
    saxpy(ys, xs, round & 1 ? 0.5f : -0.5f, count);
  return (long)(ys[17] * 1000);
}
