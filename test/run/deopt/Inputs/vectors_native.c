/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code for vectors.c, which keeps eight numbers over a call.
 */
volatile double factors[8] = {2, 3, 5, 7, 11, 13, 17, 19};

long native_keeps(long (*next)(long, double), long kind, double x);
void native_throws(void);
int cairn_throw_handle(unsigned long key, void *handle);

long native_keeps(long (*next)(long, double), long kind, double x)
{
  double a = x * factors[0], b = x * factors[1], c = x * factors[2], d = x * factors[3], e = x * factors[4],
         f = x * factors[5], g = x * factors[6], h = x * factors[7];
  long r = next(kind, x);

  return r + (a == b || c == d || e == f || g == h);
}

void native_throws(void)
{
  cairn_throw_handle(5, 0);
}
