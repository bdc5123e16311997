// RUN: %root/test/run/Inputs/same %build %s
// Leaves are called as plain C calls them, and recursions poll where they first need to: each
// reference must be found all the same, in every frame, wherever a collection comes. A leaf that
// can collect after all, or one that fills a caller's local behind the collector's back, loses one.
#include <stdio.h>
#include <cairn/cairn.h>

#define NOINLINE __attribute__((noinline))

struct tree {
  struct tree managed *left, *right;
  long value;
};
struct pair {
  struct tree managed *a, *b;
};

NOINLINE static long value_of(const struct tree managed *t)
{
  return t ? t->value : 0;
}

/* Stores references through a pointer to a caller's local. */
NOINLINE static void swap(struct pair *p)
{
  struct tree managed *t = p->a;

  p->a = p->b;
  p->b = t;
}

NOINLINE static struct tree managed *pick(struct tree managed *a, struct tree managed *b, long n)
{
  return n & 1 ? a : b;
}

NOINLINE static struct tree managed *make(long value)
{
  struct tree managed *t = cairn_new(struct tree);

  t->value = value;
  return t;
}

NOINLINE static struct tree managed *build(int depth)
{
  if (depth == 0)
    return NULL;
  struct tree managed *t = make(depth);
  t->left = build(depth - 1);
  t->right = build(depth - 1);
  return t;
}

NOINLINE static long odd(const struct tree managed *t, long n);

NOINLINE static long even(const struct tree managed *t, long n)
{
  return n == 0 ? value_of(t) : odd(t, n - 1) + 1;
}

NOINLINE static long odd(const struct tree managed *t, long n)
{
  return n == 0 ? -value_of(t) : even(t, n - 1) - 1;
}

NOINLINE static long sum(const struct tree managed *t)
{
  return t ? sum(t->left) + value_of(t) + sum(t->right) : 0;
}

NOINLINE static long callback(long (*f)(const struct tree managed *), struct tree managed *t)
{
  struct tree managed *other = make(7);

  return f(t) * 100 + f(other) + value_of(t);
}

int main(void)
{
  struct tree managed *t = build(8);
  struct pair p = {make(1), make(2)};
  long total = 0;

  for (long i = 0; i < 20; i++) {
    struct tree managed *before = pick(p.a, p.b, i);
    swap(&p);
    make(i);
    swap(&p);
    cairn_collect();
    swap(&p);
    total += value_of(before) * 10 + value_of(p.a) - value_of(p.b) + (before == p.b);
  }
  printf("%ld %ld\n", total, sum(t));
  printf("%ld %ld\n", even(t, 3000), odd(t, 3001));
  printf("%ld %ld\n", callback(value_of, t), callback(sum, t));
  return 0;
}
