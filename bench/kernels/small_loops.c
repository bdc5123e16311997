/* SPDX-License-Identifier: Apache-2.0
 *
 * Nested loops with small trips, which the compiler does not know: matrices of three or four rows
 * times many small vectors.
 */
#include "../programs/kernel.h"

static double managed *matrix;
static double managed *vectors;
static double managed *results;
static const volatile int count = 2500;

void setup_small_loops(void)
{
  matrix = bench_array(double, 16);
  vectors = bench_array(double, count * 4);
  results = bench_array(double, count * 4);
  for (int i = 0; i < 16; i++)
    matrix[i] = i % 5 - 1;
  for (int i = 0; i < count * 4; i++)
    vectors[i] = i % 9;
}

NOINLINE static void transform(double managed *out, const double managed *m,
                               const double managed *in, int n, int rows)
{
  for (int v = 0; v < n; v++)
    for (int row = 0; row < rows; row++) {
      double s = 0;
      for (int column = 0; column < rows; column++)
        s += m[row * rows + column] * in[v * rows + column];
      out[v * rows + row] = s;
    }
}

long kernel_small_loops(void)
{
  double s = 0;

  for (int round = 0; round < 50; round++) {
    transform(results, matrix, vectors, count, 3 + (round & 1));
    s = s / 2 + results[round + 40];
  }
  return (long)(s * 64);
}
