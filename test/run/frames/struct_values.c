// RUN: %root/test/run/Inputs/same %build  %s
// Structs that hold references as parameters, results and copies: in registers, in memory,
// through sret.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct one {
  ref a;
};
struct two {
  ref a, b;
};
struct mixed {
  int n;
  ref a;
};
struct large {
  ref a, b, c;
  double d;
  ref e[2];
};

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static struct one make_one(long v)
{
  return (struct one){box(v)};
}

__attribute__((noinline)) static struct two make_two(long v)
{
  struct two t = {box(v), box(v + 1)};

  cairn_collect();
  return t;
}

__attribute__((noinline)) static struct mixed make_mixed(long v)
{
  return (struct mixed){(int)v, box(v * 2)};
}

__attribute__((noinline)) static struct large make_large(long v)
{
  struct large l = {.a = box(v), .c = box(v + 2), .d = 0.5};

  l.b = box(v + 1);
  l.e[1] = l.a;
  cairn_collect();
  l.e[0] = l.b;
  return l;
}

__attribute__((noinline)) static long use_one(struct one o)
{
  cairn_collect();
  return o.a->value;
}

__attribute__((noinline)) static struct two crossed(struct two t, struct mixed m)
{
  cairn_collect();
  return (struct two){m.n % 2 ? t.b : m.a, t.a};
}

__attribute__((noinline)) static long chain(int n)
{
  struct two t = make_two(n);
  long sum = 0;

  for (int i = 0; i < n; i++) {
    struct two u = crossed(t, make_mixed(i));
    sum = sum * 5 % 100003 + u.a->value + 3 * u.b->value;
    t = i % 3 ? u : t;
    cairn_collect();
  }
  return sum + t.a->value;
}

int main(void)
{
  printf("%ld\n", use_one(make_one(1)));
  printf("%ld\n", chain(12));
  struct large l = make_large(10), m = l;
  cairn_collect();
  printf("%ld %ld %ld %.1f %ld %ld %d\n", m.a->value, m.b->value, m.c->value, m.d, l.e[0]->value,
         m.e[1]->value, m.a == l.e[1]);
  m = make_large(m.c->value);
  printf("%ld %ld\n", m.a->value, l.a->value);
  return 0;
}
