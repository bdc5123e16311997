/* SPDX-License-Identifier: Apache-2.0
 *
 * Young collections that look at the activations that have run, and at no others. What would go
 * wrong: an activation that has run is not looked at, and keeps a reference to where an object was
 * (examples/collectors/generational.c looks at all of them after each collection, and old addresses fault); a
 * result is lost on the way back through a barrier; a barrier is met whose activation is gone.
 */
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -Wall -Wextra -Werror -O2 -c %S/Inputs/young_native.c -o %t.native.o
// RUN: %root/test/run/Inputs/same %build --own %t.o --links %t.native.o --args %if soak %{1000%} %else %{300%} \
// RUN:   --small %if soak %{40%} %else %{25%} --levels "-O0 -O2" %s
// The check of the stack by the platform's unwinder, at each collection, barriers on it or not.
// RUN: %cairn-cc -O2 -I%root/include %s %t.native.o %t.o -o %t
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t 25 >%t.out
// RUN: env GENERATIONAL_FULL=1 CAIRN_STRESS=1 %t 25 | diff %t.out -
// Few of the activations are looked at, and fewer than there are of them even while everything moves.
// RUN: env CAIRN_HEAP_INITIAL=1m GENERATIONAL_FULL=1000000 GENERATIONAL_REPORT=1 %t 1000 2>&1 >%t.out | tee %t.report
// RUN: awk '/looked at/ { exit !($8 * 6 < $10) }' %t.report
// Objects stay young, but not those that activations below the youngest barrier lead to.
// RUN: awk '/stayed young/ { exit !($2 > 1000 && $6 > 100) }' %t.report
// RUN: env CAIRN_STRESS=1 GENERATIONAL_AGE=0 GENERATIONAL_REPORT=1 %t 25 2>&1 >%t.out0 \
// RUN:   | FileCheck --check-prefix=AT-ONCE %s
// RUN: env CAIRN_STRESS=1 GENERATIONAL_AGE=15 %t 25 | diff %t.out0 -
// AT-ONCE: generational: 0 objects stayed young, 0 were promoted early
// RUN: env CAIRN_STRESS=1 GENERATIONAL_FULL=1000000 GENERATIONAL_REPORT=1 %t 40 2>&1 >%t.out | tee %t.report
// RUN: awk '/looked at/ { exit !($8 * 2 < $10) }' %t.report
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  long value;
  struct cell managed *next;
};
typedef struct cell managed *ref;

/* young_native.c */
typedef long callback(long);
long call_native(callback *function, long n);
long guard(callback *function, long n); /* -1 if it does not return */
void escape(void);

static ref kept;

static __attribute__((noinline)) ref cell(long value, ref next)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  c->next = next;
  return c;
}

static __attribute__((noinline)) long busy(long depth)
{
  ref c = cell(depth, kept);

  return depth == 0 ? c->value : busy(depth - 1) + c->value;
}

/* ---- a busy leaf on a deep stack ---- */

static __attribute__((noinline)) long deep(long n, ref above)
{
  long sum = 0;

  if (n > 0) {
    ref mine = cell(n, above);
    sum = deep(n - 1, n % 3 ? mine : above);
    return (sum * 7 + mine->value + above->value + mine->next->value) % 1000003;
  }
  for (int i = 0; i < 40; i++) {
    sum += busy(i % 5);
    kept = cell(i, above);
    cairn_collect();
  }
  return sum + above->value;
}

/* ---- up and down by many, between collections ---- */

static unsigned long seed = 1;

static unsigned long chance(unsigned long n)
{
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return (seed >> 33) % n;
}

static __attribute__((noinline)) long stairs(long n, ref above)
{
  ref mine = cell(n, above), other = above;
  long sum = 0;

  if (n <= 0)
    return above->value;
  if (chance(8) == 0)
    cairn_collect();
  unsigned long times = chance(n > 40 ? 60 : 5) == 0 ? 2 : 1;
  for (unsigned long i = 0; i < times; i++) {
    sum += stairs(n - 1, chance(2) ? mine : other);
    if (chance(16) == 0)
      cairn_collect();
    other = cell(sum % 100, other);
  }
  return (sum + mine->value + other->value + other->next->value) % 1000003;
}

/* ---- locals of old activations that young ones write to ---- */

struct pair {
  ref left, right;
};

static __attribute__((noinline)) long writes(long n, ref *out, struct pair *pairs)
{
  ref mine = cell(n, *out);
  long sum = 0;

  if (n > 0) {
    struct pair own[2] = {{mine, NULL}, {*out, mine}};
    sum = writes(n - 1, n % 16 ? out : &own[n % 2].left, n % 50 ? pairs : own);
    return (sum + own[0].left->value + own[1].left->value + own[1].right->value +
            (own[0].right ? own[0].right->value : 0)) % 1000003;
  }
  for (int i = 0; i < 20; i++) {
    *out = cell(i, *out);
    pairs[i % 2].right = cell(100 + i, pairs[i % 2].left);
    cairn_collect();
    sum += (*out)->value + (*out)->next->value + pairs[i % 2].right->value;
    busy(3);
  }
  return sum;
}

/* ---- results of all kinds, through barriers ---- */

struct two {
  long a, b;
};
struct mixed {
  double a;
  long b;
};
struct refs {
  ref a, b;
};

static struct two two(long n)
{
  if (n == 0)
    return (struct two){busy(2), busy(3) + 1};
  struct two r = two(n - 1);
  return (struct two){r.b + n, (r.a * 3 + kept->value) % 1000003};
}

static __attribute__((noinline)) struct mixed mixed(long n)
{
  if (n == 0)
    return (struct mixed){(double)busy(2), busy(3)};
  struct mixed r = mixed(n - 1);
  return (struct mixed){r.a / 2 + (double)n, (r.b * 3 + n) % 1000003};
}

static __attribute__((noinline)) struct refs refs(long n)
{
  if (n == 0) {
    cairn_collect();
    return (struct refs){cell(1, NULL), cell(2, NULL)};
  }
  struct refs r = refs(n - 1);
  return (struct refs){r.b, n % 20 ? r.a : cell(r.a->value + n, r.a)};
}

static __attribute__((noinline)) __int128 wide(long n)
{
  if (n == 0) {
    cairn_collect();
    return 1;
  }
  return wide(n - 1) * 3 + kept->value;
}

static __attribute__((noinline)) ref single(long n)
{
  if (n == 0) {
    cairn_collect();
    return cell(5, NULL);
  }
  ref r = single(n - 1);
  r->value += n;
  return r;
}

static long results(long n)
{
  struct two t = two(n);
  struct mixed m = mixed(n);
  struct refs r = refs(n);
  __int128 w = wide(n);

  return (t.a + t.b + (long)m.a + m.b + r.a->value + r.b->value +
          (long)(w % 1000003) + single(n)->value) % 1000003;
}

/* ---- native code between, and out of it by longjmp ---- */

static long between(long n)
{
  ref mine = cell(n, kept);
  long sum = n <= 0 ? busy(4) : n % 5 ? between(n - 1) : call_native(between, n - 1);

  if (n % 11 == 0)
    cairn_collect();
  return (sum + mine->value + mine->next->value) % 1000003;
}

static long escapes(long n)
{
  ref mine = cell(n, kept);

  if (n % 64 == 0)
    cairn_collect();
  if (n <= 0)
    escape();
  long sum = n % 90 ? escapes(n - 1) : guard(escapes, n - 1);
  for (int i = 0; i < 3; i++) {
    kept = cell(sum, kept);
    cairn_collect();
    sum += busy(20);
  }
  return sum + mine->value;
}

/* ---- tail calls of an activation whose return address is a barrier's ---- */

static long hands_on(long n);

static __attribute__((noinline)) long more_arguments(long a, long b, long c, long d, long e, long f,
                                                     long g, ref h, ref i)
{
  cairn_collect();
  return a + b + c + d + e + f + g + h->value + i->value + (a > 0 ? hands_on(a - 1) : 0);
}

static __attribute__((noinline)) long tail(long n, ref mine)
{
  long sum = deep(30, mine); /* sets a barrier below */

  if (n % 2)
    return call_native(hands_on, n - 1);
  return more_arguments(n, sum, n, sum, n, 1, 2, mine, mine);
}

static long hands_on(long n)
{
  ref mine = cell(n, kept);

  return n <= 0 ? busy(3) : (tail(n, mine) * 3 + mine->value + mine->next->value) % 1000003;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 100;
  ref first = cell(1, NULL), out = cell(2, first);
  struct pair pairs[2] = {{first, out}, {out, first}};

  kept = cell(3, first);
  printf("deep %ld\n", deep(n, first));
  printf("stairs %ld\n", stairs(n < 150 ? n / 2 : 75, first));
  printf("writes %ld %ld", writes(n / 2, &out, pairs), out->value);
  printf(" %ld %ld\n", pairs[0].right->value, pairs[1].right->value);
  printf("results %ld\n", results(n));
  printf("between %ld\n", between(n));
  printf("escapes %ld\n", guard(escapes, n));
  printf("escapes %ld\n", guard(escapes, n / 3));
  printf("tail %ld\n", hands_on(n < 60 ? n : 60));
  return 0;
}
