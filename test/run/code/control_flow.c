// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Switches, jump tables, gotos into loops (irreducible), computed gotos: every way to come to a
// safepoint and to leave it.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long switched(int how, ref a, ref b)
{
  ref c = a;

  switch (how) {
  case 0:
    c = box(10);
    /* fall through */
  case 1:
    a = box(a->value + c->value);
    break;
  case 2:
    cairn_collect();
    /* fall through */
  case 3:
    b = c;
    break;
  case 4:
    return box(77)->value + a->value;
  case 5:
    for (int i = 0; i < 3; i++) {
      if (i == 1)
        continue;
      c = box(c->value * 2);
    }
    break;
  default:
    c = b;
    b = box(3);
  }
  return a->value * 10000 + b->value * 100 + c->value;
}

/* Two entries into one loop. */
__attribute__((noinline)) static long irreducible(int start, int n)
{
  ref a = box(1), b = box(2);

  if (start)
    goto middle;
top:
  a = box(a->value + b->value);
middle:
  b = box(b->value + 1 + (a == b));
  if (--n > 0)
    goto top;
  return a->value * 1000 + b->value;
}

__attribute__((noinline)) static long interpret(const unsigned char *code)
{
  static void *const labels[] = {&&stop, &&grow, &&twice, &&exchange};
  ref a = box(1), b = box(5), t;

  goto *labels[*code++];
grow:
  a = box(a->value + b->value);
  goto *labels[*code++];
twice:
  cairn_collect();
  a->value *= 2;
  goto *labels[*code++];
exchange:
  t = a;
  a = b;
  b = t;
  goto *labels[*code++];
stop:
  return a->value * 1000 + b->value;
}

__attribute__((noinline)) static long nested(int n)
{
  ref sum = box(0);

  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      if ((i + j) % 5 == 4)
        break;
      int k = 0;
      do {
        sum = box(sum->value * 3 % 1009 + i + j + k);
      } while (++k < j);
    }
  return sum->value;
}

int main(void)
{
  for (int how = 0; how < 7; how++)
    printf("%ld\n", switched(how, box(1), box(2)));
  printf("%ld %ld\n", irreducible(0, 9), irreducible(1, 9));
  printf("%ld\n", interpret((const unsigned char[]){1, 2, 3, 1, 1, 3, 2, 1, 0}));
  printf("%ld\n", nested(8));
  return 0;
}
