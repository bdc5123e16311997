// RUN: %root/test/run/Inputs/same %build %s
// Results of every class of the ABI over statepoints: two registers, both kinds of registers,
// memory, vectors.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long v;
};
typedef struct box managed *ref;
struct dd {
  double a, b;
};
struct ld {
  long a;
  double b;
};
struct ff {
  float a, b, c;
};
struct ri {
  ref r;
  int i;
};
struct rr {
  ref a;
  ref b;
};
struct big {
  long a[4];
};
typedef float v4 __attribute__((vector_size(16)));
typedef long v2 __attribute__((vector_size(16)));
__attribute__((noinline)) ref box(long v)
{
  ref b = cairn_new(struct box);
  b->v = v;
  return b;
}
__attribute__((noinline)) struct dd dd(double x)
{
  cairn_collect();
  return (struct dd){x, x + 1};
}
__attribute__((noinline)) struct ld ld(double x)
{
  cairn_collect();
  return (struct ld){(long)x, x + 1};
}
__attribute__((noinline)) struct ff ff(float x)
{
  cairn_collect();
  return (struct ff){x, x + 1, x + 2};
}
__attribute__((noinline)) struct ri ri(long x)
{
  ref b = box(x);
  cairn_collect();
  return (struct ri){b, (int)x};
}
__attribute__((noinline)) struct big big(long x)
{
  cairn_collect();
  return (struct big){{x, x, x, x + 1}};
}
__attribute__((noinline)) __int128 i128(long x)
{
  cairn_collect();
  return (__int128)x << 64 | (unsigned long)(x + 1);
}
__attribute__((noinline)) _Complex double cd(double x)
{
  cairn_collect();
  return x + 2.0i * x;
}
__attribute__((noinline)) _Complex float cf(float x)
{
  cairn_collect();
  return x + 2.0fi * x;
}
__attribute__((noinline)) v4 vec(float x)
{
  cairn_collect();
  return (v4){x, x + 1, x + 2, x + 3};
}
__attribute__((noinline)) v2 vecl(long x, v2 y)
{
  cairn_collect();
  return (v2){x, x + 1} + y;
}
__attribute__((noinline)) _Bool bb(int x)
{
  cairn_collect();
  return x & 1;
}
__attribute__((noinline)) signed char sc(int x)
{
  cairn_collect();
  return (signed char)x;
}
__attribute__((noinline)) unsigned short us(int x)
{
  cairn_collect();
  return (unsigned short)x;
}
__attribute__((noinline)) float fl(float x)
{
  cairn_collect();
  return x * 2;
}
int main(void)
{
  ref keep = box(9);
  struct dd a = dd(1.5);
  struct ld b = ld(2.5);
  struct ff c = ff(0.5f);
  struct ri d = ri(7);
  struct big e = big(3);
  __int128 f = i128(5);
  _Complex double g = cd(1.25);
  _Complex float h = cf(0.25f);
  v4 i = vec(1);
  v2 j = vecl(4, (v2){10, 20});
  printf("%.1f %.1f %ld %.1f %.1f %.1f %.1f\n", a.a, a.b, b.a, b.b, (double)c.a, (double)c.b,
         (double)c.c);
  printf("%ld %d %ld %ld %ld %ld\n", d.r->v, d.i, e.a[0], e.a[3], (long)(f >> 64), (long)f);
  printf("%.2f %.2f %.2f %.2f\n", __real g, __imag g, (double)__real h, (double)__imag h);
  printf("%.1f %.1f %ld %ld\n", (double)i[0], (double)i[3], j[0], j[1]);
  printf("%d %d %d %.1f %ld\n", bb(3), sc(200), us(70000), (double)fl(1.5f), keep->v);
  struct dd (*pdd)(double) = dd;
  __int128 (*pi)(long) = i128;
  v4 (*pv)(float) = vec;
  struct ff (*pf)(float) = ff;
  printf("%.1f %ld %.1f %.1f %ld\n", pdd(keep->v > 1 ? 2.0 : 0).b, (long)(pi(8) >> 64),
         (double)pv(2)[2], (double)pf(1).c, keep->v);
  return 0;
}
