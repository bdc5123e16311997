// RUN: %root/test/run/Inputs/same %build --small 3 --args 40 --many 600 %s
// Arrays that are not cleared, of all sizes, filled at once: at the ends of objects of other types, whose headers and
// references lie in them. A pointer to an element that is not filled yet is a root, and the word before it often looks
// like a header.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
struct text {
  unsigned length;
  char bytes[];
};

static struct node managed *kept;

/* Leave headers and references behind. */
static void litter(long n)
{
  for (long i = 0; i < n; i++) {
    struct node managed *x = cairn_new(struct node);
    x->value = i;
    x->next = i % 8 ? kept : NULL;
    kept = x;
  }
}

/* Fill what it is given after a collection, from a pointer into the array. */
__attribute__((noinline)) static long fill_up(long managed *from, long n, long start)
{
  cairn_collect();
  for (long i = 0; i < n; i++)
    from[i] = start + i;
  return from[n - 1];
}

static long numbers(long n)
{
  long managed *a = cairn_new_array_uninit(long, n);
  long half = n / 2, sum = fill_up(a + half, n - half, half);

  if (half > 0)
    sum += fill_up(a, half, 0);
  for (long i = 0; i < n; i++)
    sum += a[i] * (i % 7 + 1);
  return sum;
}

static long letters(long n)
{
  struct text managed *t = cairn_new_flex_uninit(struct text, n);

  t->length = (unsigned)n;
  for (long i = 0; i < n; i++)
    t->bytes[i] = (char)('a' + i % 26);
  litter(1);
  long sum = t->length;
  for (long i = 0; i < n; i++)
    sum = sum * 3 + t->bytes[i];
  return sum;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 1, sum = 0;

  for (long r = 0; r < rounds; r++) {
    litter(rounds < 10 ? 5 : 300);
    sum += numbers(1 + r % 5) + numbers(100 + r * 31 % 900) + letters(r % 50) + letters(4000 + r * 7 % 3000);
    kept = NULL;
  }
  printf("%ld\n", sum);
  return 0;
}
