#include <stdlib.h>
#include <cairn/cairn.h>
#ifndef QUIET
#define QUIET cairn_nopoll
#endif

/* Adds up. */

long sum(const long managed *a, long n)
{
  long s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * a[i];
  return s;
}

QUIET
long quiet(const long managed *a)
{
  long n = 0;
  while (a[n] > n)
    n++;
  return n;
}

void *room(unsigned long n)
{
  return calloc(n, 16);
}
