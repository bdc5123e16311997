// RUN: %root/test/run/Inputs/same %build  %s
// So many locals of a type whose address is taken that they become one array in the frame
// (merge_locals.c): each keeps its own object while all of them move.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;
struct pair {
  ref first;
  long number;
};

__attribute__((noinline)) static void fill(ref *at, long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  *at = b;
  cairn_collect();
}

__attribute__((noinline)) static void fill_pair(struct pair *at, long value)
{
  at->number = -value;
  fill(&at->first, value);
}

__attribute__((noinline)) static void exchange(ref *a, ref *b)
{
  ref t = *a;

  cairn_collect();
  *a = *b;
  *b = t;
}

#define EACH(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) \
  DO(15) DO(16) DO(17) DO(18) DO(19)
#define DECLARE(n) ref r##n = 0; struct pair p##n = {0};
#define FILL(n) fill(&r##n, base + n); fill_pair(&p##n, base * 2 + n);
#define SHOW(n) \
  printf("%ld %ld %ld\n", r##n ? r##n->value : -1, p##n.number, p##n.first ? p##n.first->value : -1);

/* Half of them are not filled if `base` is odd: null stays null. */
__attribute__((noinline)) static long all(long base)
{
  EACH(DECLARE)

  ref *which = base & 1 ? &r3 : &r17;
  fill(which, base + 1000);
  if (!(base & 1)) {
    EACH(FILL)
  }
  exchange(which, &r5);
  exchange(&p2.first, &r4);
  for (int i = 0; i < 3; i++) {
    struct pair kept = p7; /* a copy of its own on each pass */
    fill_pair(&p7, base + i);
    exchange(&kept.first, &p9.first);
  }
  EACH(SHOW)
  return r5 ? r5->value : 0;
}

int main(void)
{
  printf("%ld\n", all(0));
  printf("%ld\n", all(7));
  return 0;
}
