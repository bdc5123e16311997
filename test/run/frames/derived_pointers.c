// RUN: %root/test/run/Inputs/same %build  %s
// Pointers into objects over safepoints: each must follow the base that it came from, also when
// which base that is depends on the path taken.
#include <stdio.h>
#include <cairn/cairn.h>

struct point {
  int x, y;
};
struct shape {
  long tag;
  struct point corners[4];
  struct shape managed *inner;
};

__attribute__((noinline)) static void fill(struct point managed *p, int n)
{
  for (int i = 0; i < n; i++) {
    cairn_collect();
    p[i].x = i * 3;
    p[i].y = i * 5;
  }
}

__attribute__((noinline)) static long total(int managed *first, int managed *end)
{
  long sum = 0;

  while (first != end) {
    sum = sum * 7 + *first++;
    cairn_collect();
  }
  return sum;
}

__attribute__((noinline)) static long either(int way, struct shape managed *a,
                                             struct shape managed *b)
{
  int managed *p = way ? &a->corners[1].y : &b->corners[2].x;

  cairn_collect();
  *p += 100;
  cairn_collect();
  return *p;
}

/* The base of p changes from round to round, and so does its offset. */
__attribute__((noinline)) static long wander(struct shape managed *s, int rounds)
{
  int managed *p = &s->corners[0].x;
  long sum = 0;

  for (int i = 0; i < rounds; i++) {
    cairn_collect();
    sum = sum * 3 + *p;
    if (i % 4 == 3) {
      s = s->inner ? s->inner : s;
      p = &s->corners[0].x;
    } else {
      p += 1;
    }
  }
  return sum;
}

__attribute__((noinline)) static long backwards(int managed *array, int n)
{
  long sum = 0;

  for (int managed *p = array + n; p-- > array;) {
    cairn_collect();
    sum = sum * 5 + *p;
  }
  return sum;
}

/* Outside the object by a whole object: only the base tells whose it is. */
__attribute__((noinline)) static long far_outside(int managed *array)
{
  int managed *p = array + 1000;

  cairn_collect();
  p -= 998;
  cairn_collect();
  return *p;
}

int main(void)
{
  struct shape managed *a = cairn_new(struct shape);
  struct shape managed *b = cairn_new(struct shape);

  a->inner = b;
  fill(a->corners, 4);
  fill(&b->corners[2], 2);
  printf("%d %d %d %d\n", a->corners[3].x, a->corners[3].y, b->corners[3].x, b->corners[3].y);
  printf("%ld %ld\n", either(1, a, b), either(0, a, b));
  printf("%ld %ld\n", either(1, b, a), either(0, b, a));
  printf("%ld\n", wander(a, 12));
  int managed *array = cairn_new_array(int, 10);
  for (int i = 0; i < 10; i++)
    array[i] = i * i + 1;
  printf("%ld %ld\n", total(array, array + 10), total(array + 3, array + 3));
  printf("%ld %ld\n", backwards(array, 10), far_outside(array));
  int managed *end = array + 10;
  cairn_collect();
  printf("%ld %d\n", (long)(end - array), end[-1]);
  return 0;
}
