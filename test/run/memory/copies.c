// RUN: %root/test/run/Inputs/same %build  %s
// Struct assignment between objects, locals and globals, in every size at which the optimiser has
// another idea: one reference (8 bytes), two, three, many, in arrays.
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct r1 {
  ref a;
};
struct r2 {
  ref a, b;
};
struct i1r1 {
  long n;
  ref a;
};
struct r3 {
  ref a, b, c;
};
struct r9 {
  ref a[9];
};
struct many {
  struct i1r1 pairs[6];
  char text[11];
};
struct holder {
  struct r1 one;
  struct r2 two;
  struct i1r1 mixed;
  struct r3 three;
  struct r9 nine;
  struct many many;
};

static struct holder kept;
static struct r1 kept_one;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static void fill(struct holder managed *h, long v)
{
  h->one.a = box(v);
  h->two = (struct r2){box(v + 1), box(v + 2)};
  h->mixed = (struct i1r1){v, box(v + 3)};
  h->three.a = box(v + 4);
  h->three.c = box(v + 5);
  for (int i = 0; i < 9; i++)
    h->nine.a[i] = box(v + 6 + i);
  for (int i = 0; i < 6; i++)
    h->many.pairs[i] = (struct i1r1){i, box(v + 20 + i)};
  h->many.text[10] = 'x';
}

__attribute__((noinline)) static long sum(struct holder managed *h)
{
  long s = h->one.a->value;

  s = s * 3 + h->two.a->value + 2 * h->two.b->value;
  s = s * 3 + h->mixed.n + h->mixed.a->value;
  s = s * 3 + h->three.a->value + h->three.c->value + (h->three.b == NULL);
  for (int i = 0; i < 9; i++)
    s = s * 3 + h->nine.a[i]->value;
  for (int i = 0; i < 6; i++)
    s = s * 3 + h->many.pairs[i].n + h->many.pairs[i].a->value;
  return s + h->many.text[10];
}

__attribute__((noinline)) static void copy(struct holder managed *to, struct holder managed *from)
{
  to->one = from->one;
  to->two = from->two;
  to->mixed = from->mixed;
  to->three = from->three;
  to->nine = from->nine;
  to->many = from->many;
}

/* A copy of one word held in a local over a safepoint, loop-invariant. */
__attribute__((noinline)) static long invariant(struct holder managed *h, int n)
{
  long s = 0;

  for (int i = 0; i < n; i++) {
    struct r1 local = h->one;
    kept_one = local;
    cairn_collect();
    s = s * 3 + local.a->value + kept_one.a->value;
    struct holder managed *other = cairn_new(struct holder);
    other->one = local;
    cairn_collect();
    s += other->one.a == h->one.a;
  }
  return s;
}

__attribute__((noinline)) static void rotate(struct r2 managed *pairs, int n)
{
  struct r2 first = pairs[0];

  for (int i = 1; i < n; i++) {
    pairs[i - 1] = pairs[i];
    cairn_collect();
  }
  pairs[n - 1] = first;
}

int main(void)
{
  struct holder managed *h = cairn_new(struct holder);
  struct holder managed *g = cairn_new(struct holder);

  fill(h, 100);
  copy(g, h);
  cairn_collect();
  printf("%d\n", sum(g) == sum(h));
  kept = *h;
  fill(h, 7);
  cairn_collect();
  struct holder local = kept;
  cairn_collect();
  *h = local;
  printf("%d %ld\n", sum(g) == sum(h), sum(h));
  printf("%ld\n", invariant(h, 4));
  struct r2 managed *pairs = cairn_new_array(struct r2, 5);
  for (int i = 0; i < 5; i++)
    pairs[i] = (struct r2){box(i), box(10 * i)};
  rotate(pairs, 5);
  for (int i = 0; i < 5; i++)
    printf("%ld %ld ", pairs[i].a->value, pairs[i].b->value);
  printf("\n");
  return 0;
}
