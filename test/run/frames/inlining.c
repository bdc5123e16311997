// RUN: %root/test/run/Inputs/same %build  %s
// Inline functions, tail calls, local recursion that becomes a loop: frames that the optimiser
// melts together or drops.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *next;
};
typedef struct box managed *ref;

static inline __attribute__((always_inline)) ref box(long value, ref next)
{
  ref b = cairn_new(struct box);

  b->value = value;
  b->next = next;
  return b;
}

inline long folded(ref list, long start);
inline long folded(ref list, long start)
{
  return list ? folded(list->next, start * 3 + box(list->value, NULL)->value) : start;
}
extern long folded(ref list, long start);

static ref reversed(ref list, ref done)
{
  return list ? reversed(list->next, box(list->value, done)) : done;
}

__attribute__((noinline)) static ref second(ref a, ref b)
{
  cairn_collect();
  return a->value > b->value ? b : a;
}

__attribute__((noinline)) static ref first(ref a, ref b)
{
  ref c = box(7, NULL);

  if (a->value == c->value)
    return second(c, b);
  return second(b, a);
}

static ref build(long n)
{
  return n ? box(n, build(n - 1)) : NULL;
}

int main(void)
{
  ref list = build(12);

  printf("%ld\n", folded(list, 1));
  printf("%ld\n", folded(reversed(list, NULL), 1));
  printf("%ld %ld\n", first(list, list->next)->value, first(box(7, NULL), list)->value);
  return 0;
}
