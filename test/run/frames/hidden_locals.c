// RUN: %root/test/run/Inputs/same %build %s
// RUN: %root/test/run/Inputs/same %build --flags -fno-strict-aliasing %s
// Structs with references that are handled by address in inlined functions, by value, and as
// pieces, over a collection. The optimiser cuts such locals up; each piece must still be found.
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *n;
  long key;
};
struct one {
  struct node managed *p;
};
struct two {
  struct node managed *p, *q;
};
struct odd {
  int a, b;
  struct node managed *p;
  int c;
};
struct text {
  int a;
  char name[12];
  struct node managed *p;
};

#define COPIES(T) \
  static void in_##T(struct T managed *o, struct T *x) \
  { \
    *x = *o; \
  } \
  static void out_##T(struct T managed *o, struct T *x) \
  { \
    *o = *x; \
  } \
  static struct T get_##T(struct T managed *o) \
  { \
    return *o; \
  }
COPIES(one)
COPIES(two)
COPIES(odd)
COPIES(text)

static struct node managed *node(long key)
{
  struct node managed *n = cairn_new(struct node);

  n->key = key;
  return n;
}

__attribute__((noinline)) static void by_address(struct one managed *a, struct two managed *b,
                                                 struct odd managed *c, struct text managed *d)
{
  struct one w;
  struct two x;
  struct odd y;
  struct text z;

  in_one(a, &w);
  in_two(b, &x);
  in_odd(c, &y);
  in_text(d, &z);
  y.a++;
  z.a++;
  cairn_collect();
  node(1);
  out_one(a, &w);
  out_two(b, &x);
  out_odd(c, &y);
  out_text(d, &z);
}

__attribute__((noinline)) static void by_value(struct one managed *a, struct two managed *b,
                                               struct odd managed *c, struct text managed *d)
{
  struct one w = get_one(a);
  struct two x = get_two(b);
  struct odd y = get_odd(c);
  struct text z = get_text(d);

  y.c++;
  z.name[1]++;
  cairn_collect();
  node(2);
  *a = w;
  out_two(b, &x);
  *c = y;
  out_text(d, &z);
}

/* The copy of one element is hoisted out of the loop as far as it may be. */
__attribute__((noinline)) static long grow(struct node managed *managed *old, long n, long times)
{
  long sum = 0;

  for (long t = 0; t < times; t++) {
    struct node managed *managed *v = cairn_new_array(struct node managed *, 2 * n);
    for (long i = 0; i < n; i++)
      v[i] = old[i];
    sum += v[0]->key;
  }
  return sum;
}

int main(void)
{
  struct one managed *a = cairn_new(struct one);
  struct two managed *b = cairn_new(struct two);
  struct odd managed *c = cairn_new(struct odd);
  struct text managed *d = cairn_new(struct text);
  struct node managed *managed *old = cairn_new_array(struct node managed *, 1);

  a->p = node(10);
  b->p = node(20);
  b->q = node(30);
  c->p = node(40);
  d->p = node(50);
  d->name[1] = 'a';
  old[0] = node(60);
  by_address(a, b, c, d);
  by_value(a, b, c, d);
  printf("%ld %ld %ld %ld %ld\n", a->p->key, b->p->key, b->q->key, c->p->key, d->p->key);
  printf("%d %d %d %s\n", c->a, c->c, d->a, d->name[1] == 'b' ? "b" : "?");
  printf("%ld %ld\n", grow(old, 1, 10), grow(old, old[0]->key == 60, 10));
  return 0;
}
