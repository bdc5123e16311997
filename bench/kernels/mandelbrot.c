/* SPDX-License-Identifier: Apache-2.0
 *
 * The Mandelbrot set into bytes: loops that leave early, in floating point.
 */
#include "../programs/kernel.h"

static unsigned char managed *pixels;
static const volatile int size = 96;

void setup_mandelbrot(void)
{
  pixels = bench_array(unsigned char, size * size);
}

NOINLINE static long draw(unsigned char managed *out, int n)
{
  long inside = 0;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      double cr = 3.0 * x / n - 2.0, ci = 2.0 * y / n - 1.0, zr = 0, zi = 0;
      int i = 0;
      while (i < 100 && zr * zr + zi * zi < 4) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        i++;
      }
      out[y * n + x] = (unsigned char)i;
      inside += i == 100;
    }
  return inside;
}

long kernel_mandelbrot(void)
{
  return draw(pixels, size);
}
