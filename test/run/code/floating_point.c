// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Floating-point values live over polls and allocations: the slow paths promise to keep every
// vector register.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  double value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static double mixed(double managed *v, int n)
{
  double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10;
  float p = 0.5f, q = 0.25f;

  for (int k = 0; k < n; k++) {
    a += v[k];
    b += a * 0.5;
    c -= b * 0.25;
    d += c;
    e = e * 0.5 + d;
    f -= e * 0.125;
    g += f;
    h = h * 0.5 - g;
    i += h * 0.0625;
    j = j * 0.5 + i;
    p += q;
    q *= 1.25f;
    ref box = cairn_new(struct box);
    box->value = j;
    v[k] = box->value;
  }
  return a + b + c + d + e + f + g + h + i + j + (double)(p + q);
}

__attribute__((noinline)) static double sum(const double managed *v, int n)
{
  double s = 0;

  for (int k = 0; k < n; k++)
    s += v[k];
  return s;
}

__attribute__((noinline)) static void saxpy(float managed *y, const float managed *x, float a,
                                            int n)
{
  for (int k = 0; k < n; k++)
    y[k] += a * x[k];
}

int main(void)
{
  double managed *v = cairn_new_array(double, 100);
  float managed *x = cairn_new_array(float, 103);
  float managed *y = cairn_new_array(float, 103);

  for (int k = 0; k < 100; k++)
    v[k] = k * 0.25;
  for (int k = 0; k < 103; k++)
    x[k] = (float)k, y[k] = (float)(103 - k);
  printf("%.6f\n", mixed(v, 30));
  printf("%.6f\n", sum(v, 100));
  saxpy(y, x, 0.5f, 103);
  printf("%.3f %.3f\n", (double)y[1], (double)y[102]);
  return 0;
}
