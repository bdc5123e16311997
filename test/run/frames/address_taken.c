// RUN: %root/test/run/Inputs/same %build  %s
// Locals that hold references and whose address is taken: the collector must update them in
// place, and nobody may keep a copy from before.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct pair {
  ref a;
  long number;
  ref b;
};

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static void swap(ref *a, ref *b)
{
  ref t = *a;

  cairn_collect();
  *a = *b;
  *b = t;
}

__attribute__((noinline)) static int out(long value, ref *result)
{
  *result = box(value);
  cairn_collect();
  return 1;
}

__attribute__((noinline)) static void both(struct pair *pair)
{
  pair->a = box(pair->number);
  pair->b = box(pair->a->value * 2);
}

__attribute__((noinline)) static long array_of(int n)
{
  ref boxes[8] = {0};
  long sum = 0;

  for (int i = 0; i < n; i++) {
    boxes[i % 8] = box(i);
    if (boxes[(i * 5) % 8])
      boxes[(i * 3) % 8] = boxes[(i * 5) % 8];
  }
  cairn_collect();
  for (int i = 0; i < 8; i++)
    sum = sum * 10 + (boxes[i] ? boxes[i]->value % 10 : 9);
  return sum;
}

__attribute__((noinline)) static long pairs(int n)
{
  struct pair pairs[3] = {{0}};
  struct pair *at = pairs;
  long sum = 0;

  for (int i = 0; i < n; i++) {
    at = &pairs[i % 3];
    at->number = i;
    both(at);
    struct pair copy = *at;
    cairn_collect();
    sum += copy.a->value * 10 + copy.b->value + (copy.a == at->a) + (copy.b == pairs[i % 3].b);
  }
  return sum;
}

/* Declared in a loop: its lifetime begins and ends in each round. */
__attribute__((noinline)) static long scoped(int n)
{
  long sum = 0;

  for (int i = 0; i < n; i++) {
    ref inner;
    if (out(i, &inner))
      sum = sum * 3 + inner->value;
    {
      ref other = inner;
      swap(&inner, &other);
      sum += inner == other;
    }
  }
  return sum;
}

/* Which of two locals a pointer names is known only when it runs. */
__attribute__((noinline)) static long chosen(int n)
{
  ref a = box(1), b = box(2);

  for (int i = 0; i < n; i++) {
    ref *p = i % 3 ? &a : &b;
    *p = box((*p)->value + i);
    cairn_collect();
    p = i % 2 ? p : &b;
    (*p)->value++;
  }
  return a->value * 1000 + b->value;
}

int main(void)
{
  ref a = box(1), b = box(2);

  swap(&a, &b);
  printf("%ld %ld\n", a->value, b->value);
  out(5, &a);
  swap(&b, &a);
  printf("%ld %ld\n", a->value, b->value);
  printf("%ld\n", array_of(20));
  printf("%ld\n", pairs(10));
  printf("%ld\n", scoped(10));
  printf("%ld\n", chosen(10));
  return 0;
}
