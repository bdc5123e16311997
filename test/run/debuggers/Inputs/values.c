// 32 functions that show the values of variables: show() is told the name and the value, and a debugger that stops there
// compares the value with its own.
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

__attribute__((noinline)) static void show(const char *name, long value)
{
  __asm__ volatile("" ::"r"(name), "r"(value) : "memory");
}
/* The assembly keeps the call from being a tail call. */
#define SHOW(variable) \
  do { \
    show(#variable, (long)(variable)); \
    __asm__ volatile(""); \
  } while (0)

__attribute__((noinline)) static long work(long n)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = n & 3;
  return cell->value;
}

__attribute__((noinline)) static void step(long *at)
{
  *at += work(*at) + 1;
}

static inline long half(long x)
{
  long result = x / 2;
  SHOW(result);
  return result;
}

__attribute__((noinline)) static long straight(struct cell managed *list, long n)
{
  (void)list;
  long a = n + 1; SHOW(a); a += 10; work(n); SHOW(a); a += 10; SHOW(a); return a;
}

__attribute__((noinline)) static long three(struct cell managed *list, long n)
{
  (void)list;
  long i = 10; step(&i); long x = i - 1; SHOW(x); x++; SHOW(x); x++; SHOW(x); return x;
}

__attribute__((noinline)) static long loop_up(struct cell managed *list, long n)
{
  (void)list;
  long s = 0; for (long i = 0; i < n; i++) { s += i; SHOW(s); SHOW(i); } return s;
}

__attribute__((noinline)) static long loop_down(struct cell managed *list, long n)
{
  (void)list;
  long s = 1; for (long i = n; i > 0; i--) { s = s * 3 + i; SHOW(i); SHOW(s); } return s;
}

__attribute__((noinline)) static long loop_list(struct cell managed *list, long n)
{
  (void)list;
  long count = 0; for (struct cell managed *c = list; c; c = c->next) { count += c->value; SHOW(count); } return
    count;
}

__attribute__((noinline)) static long build_list(struct cell managed *list, long n)
{
  (void)list;
  long made = 0; struct cell managed *l = NULL; for (int k = 0; k < 3; k++) { struct cell managed *c =
    cairn_new(struct cell); c->next = l; c->value = k; l = c; made += k + 1; SHOW(made); } return made + l->value;
}

__attribute__((noinline)) static long two_new(struct cell managed *list, long n)
{
  (void)list;
  long x = n * 2; struct cell managed *a = cairn_new(struct cell); SHOW(x); x += 5; struct cell managed *b =
    cairn_new(struct cell); SHOW(x); a->next = b; b->value = x; x += 7; SHOW(x); return a->next->value + x;
}

__attribute__((noinline)) static long branches(struct cell managed *list, long n)
{
  (void)list;
  long r = n; if (n & 1) { r += 100; SHOW(r); } else { r -= 100; SHOW(r); } work(n); r ^= 3; SHOW(r); return r;
}

__attribute__((noinline)) static long switches(struct cell managed *list, long n)
{
  (void)list;
  long r = 0; for (int k = 0; k < 4; k++) { switch (k) { case 0: r += 1; break; case 1: r += 20; work(1); break;
    case 2: r += 300; break; default: r = -r; } SHOW(r); } return r;
}

__attribute__((noinline)) static long nested(struct cell managed *list, long n)
{
  (void)list;
  long s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) { s += i * 10 + j; SHOW(i); SHOW(j); SHOW(s);
    } return s;
}

__attribute__((noinline)) static long recursive(struct cell managed *list, long n)
{
  (void)list;
  long depth = n; if (n <= 0) return 0; SHOW(depth); long r = recursive(list, n - 1) + n; SHOW(r); depth++;
    SHOW(depth); return r;
}

__attribute__((noinline)) static long parameter(struct cell managed *list, long n)
{
  (void)list;
  n += 3; SHOW(n); work(n); n *= 2; SHOW(n); return n;
}

__attribute__((noinline)) static long narrow(struct cell managed *list, long n)
{
  (void)list;
  short s = (short)n; unsigned char c = (unsigned char)(n * 7); SHOW(s); SHOW(c); s = (short)(s + 300); work(n); c =
    (unsigned char)(c + 1); SHOW(s); SHOW(c); return s + c;
}

__attribute__((noinline)) static long many(struct cell managed *list, long n)
{
  (void)list;
  long a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4; work(a); SHOW(a); a += b; SHOW(b); b += c; SHOW(c); c +=
    d; work(c); d += e; SHOW(d); e += a; SHOW(e); SHOW(a); SHOW(b); return a + b + c + d + e;
}

__attribute__((noinline)) static long swap(struct cell managed *list, long n)
{
  (void)list;
  long a = n, b = n * 5; for (int k = 0; k < 3; k++) { long t = a; a = b; b = t + k; SHOW(a); SHOW(b); } return a -
    b;
}

__attribute__((noinline)) static long fibonacci(struct cell managed *list, long n)
{
  (void)list;
  long a = 0, b = 1; for (long k = 0; k < n; k++) { long c = a + b; a = b; b = c; SHOW(b); } return a;
}

__attribute__((noinline)) static long inlined(struct cell managed *list, long n)
{
  (void)list;
  long x = half(n * 4); SHOW(x); x = half(x + 10); SHOW(x); return x;
}

__attribute__((noinline)) static long pointer(struct cell managed *list, long n)
{
  (void)list;
  long x = n; step(&x); SHOW(x); step(&x); SHOW(x); return x;
}

__attribute__((noinline)) static long array(struct cell managed *list, long n)
{
  (void)list;
  long t[4] = {n, n + 1, n + 2, n + 3}; long s = 0; for (int k = 0; k < 4; k++) { s += t[k]; step(&t[k]); SHOW(s); }
    return s + t[0];
}

__attribute__((noinline)) static long goto_loop(struct cell managed *list, long n)
{
  (void)list;
  long k = 0; again:  k += 2; SHOW(k); work(k); if (k < n) goto again; SHOW(k); return k;
}

__attribute__((noinline)) static long do_while(struct cell managed *list, long n)
{
  (void)list;
  long k = n, rounds = 0; do { k /= 2; rounds++; SHOW(k); SHOW(rounds); } while (k); return rounds;
}

__attribute__((noinline)) static long long_loop(struct cell managed *list, long n)
{
  (void)list;
  long s = n; for (long k = 0; k < 100000; k++) s ^= s * 5 + k; SHOW(s); s &= 1023; SHOW(s); return s;
}

__attribute__((noinline)) static long list_and_loop(struct cell managed *list, long n)
{
  (void)list;
  long s = 0; for (long k = 0; k < 3; k++) { for (struct cell managed *c = list; c; c = c->next) s += c->value * k;
    SHOW(k); SHOW(s); } return s;
}

__attribute__((noinline)) static long conditional(struct cell managed *list, long n)
{
  (void)list;
  long x = n > 2 ? n * 2 : n + 50; SHOW(x); x = x > 20 ? x - 20 : x + 20; work(x); SHOW(x); return x;
}

__attribute__((noinline)) static long unsigned_wrap(struct cell managed *list, long n)
{
  (void)list;
  unsigned u = (unsigned)n; u -= 100; SHOW(u); work(n); u += 200; SHOW(u); return u;
}

__attribute__((noinline)) static long early_return(struct cell managed *list, long n)
{
  (void)list;
  long x = n + 7; SHOW(x); if (x > 1000) return x; x += work(x); SHOW(x); for (int k = 0; k < 2; k++) { x += k;
    SHOW(x); if (x > 500) return -x; } return x;
}

__attribute__((noinline)) static long shadowed(struct cell managed *list, long n)
{
  (void)list;
  long v = n; SHOW(v); { long w = v + 9; work(w); SHOW(w); v += w; } SHOW(v); return v;
}

__attribute__((noinline)) static long string(struct cell managed *list, long n)
{
  (void)list;
  long letters = 0; for (const char *p = "abc"; *p; p++) { letters = letters * 31 + *p; SHOW(letters); } return
    letters;
}

__attribute__((noinline)) static long calls_in_row(struct cell managed *list, long n)
{
  (void)list;
  long a = work(n); SHOW(a); long b = work(a) + a; SHOW(b); long c = work(b) + b; SHOW(c); SHOW(a); return a + b +
    c;
}

__attribute__((noinline)) static long keeps_list(struct cell managed *list, long n)
{
  (void)list;
  long v = list->value; work(v); SHOW(v); v += list->next->value; struct cell managed *c = cairn_new(struct cell);
    c->value = v; SHOW(v); v += c->value; SHOW(v); return v;
}

__attribute__((noinline)) static long down(struct cell managed *list, long n)
{
  if (n == 0)
    return 0;
  long x = 10; SHOW(x); x++; long r = down(list, n - 1); SHOW(x); x++; r += down(list->next, n - 1); SHOW(x); x++;
  SHOW(x); return r + x;
}

__attribute__((noinline)) static long counts(struct cell managed *list, long n)
{
  long x = 10; SHOW(x); x++; SHOW(x); x++; SHOW(x);
  while (n--) { long y = 10; SHOW(y); y++; SHOW(y); y++; SHOW(y); x += list->value; }
  x = 10; SHOW(x); x++; SHOW(x); x++; SHOW(x);
  return x;
}

int main(void)
{
  struct cell managed *list = NULL;
  long sum = 0;

  for (long i = 0; i < 4; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    *cell = (struct cell){list, i * 11 + 1};
    list = cell;
  }
  sum = sum * 3 + straight(list, 5);
  sum = sum * 3 + three(list, 5);
  sum = sum * 3 + loop_up(list, 5);
  sum = sum * 3 + loop_down(list, 5);
  sum = sum * 3 + loop_list(list, 5);
  sum = sum * 3 + build_list(list, 5);
  sum = sum * 3 + two_new(list, 5);
  sum = sum * 3 + branches(list, 5);
  sum = sum * 3 + switches(list, 5);
  sum = sum * 3 + nested(list, 5);
  sum = sum * 3 + recursive(list, 5);
  sum = sum * 3 + parameter(list, 5);
  sum = sum * 3 + narrow(list, 5);
  sum = sum * 3 + many(list, 5);
  sum = sum * 3 + swap(list, 5);
  sum = sum * 3 + fibonacci(list, 5);
  sum = sum * 3 + inlined(list, 5);
  sum = sum * 3 + pointer(list, 5);
  sum = sum * 3 + array(list, 5);
  sum = sum * 3 + goto_loop(list, 5);
  sum = sum * 3 + do_while(list, 5);
  sum = sum * 3 + long_loop(list, 5);
  sum = sum * 3 + list_and_loop(list, 5);
  sum = sum * 3 + conditional(list, 5);
  sum = sum * 3 + unsigned_wrap(list, 5);
  sum = sum * 3 + early_return(list, 5);
  sum = sum * 3 + shadowed(list, 5);
  sum = sum * 3 + string(list, 5);
  sum = sum * 3 + calls_in_row(list, 5);
  sum = sum * 3 + keeps_list(list, 5);
  sum = sum * 3 + down(list, 3);
  sum = sum * 3 + counts(list, 3);
  printf("%ld\n", sum);
}
