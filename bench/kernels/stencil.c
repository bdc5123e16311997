/* SPDX-License-Identifier: Apache-2.0
 *
 * Heat spreading over a plate: each cell becomes the mean of its four neighbours, in vectors.
 */
#include "../programs/kernel.h"

static double ANEW plate;
static double ANEW next;
static const volatile int size = 130;

void setup_stencil(void)
{
  plate = bench_array(double, size * size);
  next = bench_array(double, size * size);
  for (int i = 0; i < size * size; i++)
    next[i] = plate[i] = i % 11 == 0 ? 100 : 0;
}

NOINLINE static void spread(double managed *restrict out, const double managed *restrict in, long n)
{
  for (long y = 1; y < n - 1; y++)
    for (long x = 1; x < n - 1; x++) {
      long at = y * n + x;
      out[at] = 0.25 * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
    }
}

long kernel_stencil(void)
{
  /* From the same plate each time, so that the result does not change. */
  double managed *cells = plate;
  for (int i = 0, count = size * size; i < count; i++)
    cells[i] = i % 11 == 0 ? 100 : 0;
  for (int round = 0; round < 40; round++) {
    spread(next, plate, size);
    spread(plate, next, size);
  }
  return (long)(plate[size * 3 + 7] * 1000);
}
