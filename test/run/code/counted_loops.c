// RUN: %root/test/run/Inputs/same %build --small 1 --still %s
// Counted loops of every shape, whose number of rounds must be the same when they are cut into
// chunks between polls: bounds, steps, signs, widths, wrap-around. Sums that may wrap are unsigned.
#include <stdio.h>
#include <cairn/cairn.h>

typedef unsigned long u64;

__attribute__((noinline)) static long up(long managed *a, long n)
{
  u64 s = 0;
  for (long i = 0; i < n; i++)
    s = s * 3 + (u64)(a[i & 15] + i);
  return (long)s;
}
__attribute__((noinline)) static long up_int(long managed *a, int n)
{
  long s = 0;
  for (int i = 0; i <= n; i++)
    s += a[i & 15] ^ i;
  return s;
}
__attribute__((noinline)) static long unequal(long managed *a, unsigned from, unsigned to)
{
  long s = 0;
  for (unsigned i = from; i != to; i++)
    s += a[i & 15] + i;
  return s;
}
__attribute__((noinline)) static long down(long managed *a, long n)
{
  u64 s = 0;
  for (long i = n; i > 0; i -= 3)
    s = s * 5 + (u64)a[i & 15];
  return (long)s;
}
__attribute__((noinline)) static long down_unequal(long managed *a, u64 n)
{
  u64 s = 0;
  for (u64 i = n * 7; i != 0; i -= 7)
    s = s * 5 + (u64)a[i & 15];
  return (long)s;
}
__attribute__((noinline)) static long wide_step(long managed *a, u64 n)
{
  long s = 0;
  for (u64 i = 0; i < n; i += 1000)
    s += a[i / 1000 & 15];
  return s;
}
__attribute__((noinline)) static long bytes(long managed *a, unsigned char from, unsigned char to)
{
  u64 s = 0;
  for (unsigned char i = from; i != to; i++)
    s = s * 3 + (u64)a[i & 15];
  return (long)s;
}
__attribute__((noinline)) static long until(long managed *a, long n, long stop)
{
  long i, s = 0;
  for (i = 0; i < n; i++) {
    s += a[i & 15];
    if (s > stop)
      break;
  }
  return s * 1000000 + i;
}
__attribute__((noinline)) static long two(long managed *a, int n, int m)
{
  u64 s = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < m; j++)
      s = s * 3 + (u64)a[(i ^ j) & 15];
  return (long)s;
}
__attribute__((noinline)) static double floats(const double managed *d, long n)
{
  double s = 0;
  for (long i = 0; i < n; i++)
    s += d[i] * (double)i;
  return s;
}
__attribute__((noinline)) static long vectors(const int managed *v, long n)
{
  long s = 0;
  for (long i = 0; i < n; i++)
    s += v[i];
  return s;
}
__attribute__((noinline)) static void shift(int managed *to, const int managed *from, long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i] * 3 + 1;
}
__attribute__((noinline)) static long last_index(long managed *a, long n)
{
  long i = 0;
  do {
    a[i & 15] ^= i;
    i++;
  } while (i != n);
  return i * 100 + a[3];
}
__attribute__((noinline)) static long pointers(const int managed *p, const int managed *end)
{
  u64 s = 0;
  for (; p != end; p++)
    s = s * 3 + (u64)*p;
  return (long)s;
}

int main(int argc, char **argv)
{
  static const long counts[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 1000, 4095, 4096, 4097, 70001};
  int last = argc > 1 ? 10 : 15;
  long most = counts[last - 1];
  long managed *a = cairn_new_array(long, 16);
  double managed *d = cairn_new_array(double, most);
  int managed *v = cairn_new_array(int, most);

  (void)argv;
  for (int i = 0; i < 16; i++)
    a[i] = i * i - 3;
  for (long i = 0; i < most; i++)
    d[i] = (double)(i % 7), v[i] = (int)(i % 11) - 5;
  for (int k = 0; k < last; k++) {
    long n = counts[k];
    int managed *w = cairn_new_array(int, n);
    shift(w, v, n);
    printf("%ld: %ld %ld %ld %ld %ld %ld %ld\n", n, up(a, n), up_int(a, (int)n),
           unequal(a, 0u - (unsigned)n / 2, (unsigned)(n - n / 2)), down(a, n),
           down_unequal(a, (u64)n), wide_step(a, (u64)n * 999), until(a, n, n * 20));
    printf("%ld %ld %.1f %ld %ld\n", two(a, (int)n % 40, (int)n % 61),
           bytes(a, 250, (unsigned char)n), floats(d, n), vectors(w, n), pointers(v, v + n));
    printf("%ld\n", last_index(a, n ? n : 1));
  }
  return 0;
}
