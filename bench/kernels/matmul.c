/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two square matrices of double, in the textbook order.
 */
#include "../programs/kernel.h"

static double managed *a;
static double managed *b;
static double managed *c;
static const volatile int size = 120;

void setup_matmul(void)
{
  a = bench_array(double, size * size);
  b = bench_array(double, size * size);
  c = bench_array(double, size * size);
  for (int i = 0; i < size * size; i++) {
    a[i] = i % 13;
    b[i] = i % 17;
  }
}

NOINLINE static void multiply(double managed *z, const double managed *x, const double managed *y,
                              int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += x[i * n + k] * y[k * n + j];
      z[i * n + j] = s;
    }
}

long kernel_matmul(void)
{
  multiply(c, a, b, size);
  return (long)c[size + 1];
}
