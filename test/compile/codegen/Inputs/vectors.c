// Loops that plain C makes vector code or calls of the C library.
#include <cairn/cairn.h>

long dot(const int managed *a, const int managed *b, long n)
{
  int s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

long count(const char managed *p, const char managed *end, char c)
{
  long s = 0;
  for (; p != end; p++)
    s += *p == c;
  return s;
}

float greatest(const float managed *a, int n)
{
  float m = 0;
  for (int i = 0; i < n; i++)
    m = a[i] > m ? a[i] : m;
  return m;
}

void copy(long managed *restrict to, const long managed *restrict from, long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}

void shift(char managed *a, long n)
{
  for (long i = 0; i < n; i++)
    a[i] = a[i + 1];
}

void fill(char managed *a, char c, long n)
{
  while (n-- > 0)
    *a++ = c;
}

void rows(double managed *restrict m, const double managed *restrict v, long n, long width)
{
  for (long y = 0; y < n; y++)
    for (long x = 0; x < width; x++)
      m[y * width + x] *= v[x];
}

void absolute(short managed *a, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    a[i] = (short)(a[i] < 0 ? -a[i] : a[i]);
}
